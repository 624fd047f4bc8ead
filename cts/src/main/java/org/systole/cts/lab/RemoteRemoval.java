package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.systole.common.cib.CibXPath;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.cts.local.LocalNode;

/// A remote host is taken out of the cluster, as pcs does it: its executor is asked to end, its resource and what names it are
/// taken out of the configuration, the node is removed. A host that the cluster does not have any more is nobody's to fence.
final class RemoteRemoval {
  private static final String HOST = FarHost.NAME;

  /// More than a plan takes that would have it fenced.
  private static final long QUIET_MILLIS = 20_000;

  private RemoteRemoval() {}

  /// `pcs cluster node remove-remote` as of 0.12: one change takes the resource with all that names it.
  static void atOnce(Run run, LocalNode host) throws IOException {
    removed(run, host, () -> end(run, host), () -> take(run, true));
  }

  /// The same of a host whose executor nobody has asked to end, as it is out of pcs's reach.
  static void running(Run run, LocalNode host) throws IOException {
    removed(run, host, () -> {}, () -> take(run, true));
  }

  /// As pcs 0.11 does it: the constraints first, and then the resource. Between the two the cluster has time to connect again.
  static void inSteps(Run run, LocalNode host) throws IOException {
    removed(
        run,
        host,
        () -> end(run, host),
        () -> {
          take(run, false);
          FarHost.delete(
              run.lab().nodes().getFirst(),
              "//primitive[@id=%s]".formatted(CibXPath.literal(HOST)));
        });
  }

  private static void removed(Run run, LocalNode host, Lab.Action before, Lab.Action take)
      throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    run.fault(before);
    take.run();
    run.reached("taken out");
    Lab.succeed(first, "crm_node", "--force", "--remove", HOST);
    run.reached("removed");
    Lab.succeed(first, "crm_resource", "--wait", "--timeout", "90");
    run.await(
        "elsewhere",
        first,
        FarHost.RESOURCE + " on a member",
        it ->
            Run.names(lab.nodes()).containsAll(it.activeOn(FarHost.RESOURCE))
                && !it.activeOn(FarHost.RESOURCE).isEmpty()
                && !it.isPending());
    Lab.awaitProcess("time enough", run.fromNow(QUIET_MILLIS));
    var fenced = RemoteScenarios.timesFenced(run);
    LabFailure.unless(fenced == 0, "%s was fenced %d times".formatted(HOST, fenced));
    var left = Lab.succeed(first, "cibadmin", "-Q").output();
    LabFailure.unless(
        !left.contains("uname=\"%s\"".formatted(HOST)), "the CIB still has " + HOST);
    var overlaps = lab.evidence().overlaps(List.of(FarHost.RESOURCE));
    LabFailure.unless(overlaps.isEmpty(), "active twice: " + overlaps);
    again(run, host);
  }

  /// Its executor ends when the cluster has no connection to it any more, as `systemctl stop` waits for it.
  private static void end(Run run, LocalNode host) {
    var executor = LabProcesses.only(host, "remoted");
    executor.destroy();
    run.await("executor ended", "the end of the executor of " + HOST, () -> !executor.isAlive());
  }

  /// Takes the constraints that name it out of the configuration, in one change.
  ///
  /// @param resource whether its resource goes with them
  private static void take(Run run, boolean resource) throws IOException {
    var first = run.lab().nodes().getFirst();
    var cib = run.lab().await("a configuration", it -> it.cib().first("configuration") != null).cib();
    var configuration = Objects.requireNonNull(cib.first("configuration"));
    var after = XmlWriter.compact(without(configuration, resource));
    var replaced =
        first.runWithInput(after, "cibadmin", "--replace", "-o", "configuration", "--xml-pipe");
    LabFailure.unless(replaced.ok(), "cibadmin: " + replaced.output().strip());
  }

  private static Element without(Element within, boolean resource) {
    return within.withChildren(
        within.children().stream()
            .filter(it -> !it.is("rsc_location") || !HOST.equals(it.get("node")))
            .filter(it -> !resource || !it.is("primitive") || !HOST.equals(it.id()))
            .map(it -> without(it, resource))
            .toList());
  }

  /// It is taken in again.
  private static void again(Run run, LocalNode host) throws IOException {
    host.kill();
    host.start();
    FarHost.configure(run.lab(), host, "remote.xml");
    run.reached("again");
  }
}
