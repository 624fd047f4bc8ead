package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.List;
import java.util.Random;
import org.systole.cts.local.LocalNode;

/// A host that is no member: the cluster connects to it, and runs a resource there.
final class RemoteScenarios {
  private static final String HOST = "far";
  private static final String RESOURCE = "distant";
  private static final int KEY_BYTES = 512;

  private RemoteScenarios() {}

  /// What happens to the cluster while the resource runs on the host.
  private interface Fault {
    void tell(Run run, LocalNode host) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of("remote-host-dies", "a remote host loses its power", RemoteScenarios::dies),
        of("remote-host-cut-off", "its cable is cut", RemoteScenarios::cutOff),
        of("remote-executor-dies", "its executor is killed", RemoteScenarios::executorDies),
        of("remote-member-dies", "the member with its connection dies", RemoteScenarios::member),
        of("remote-moves", "its connection is moved, and moved back", RemoteScenarios::moves));
  }

  private static Scenario of(String name, String about, Fault fault) {
    return Scenario.of(name, about, run -> story(run, fault));
  }

  private static void story(Run run, Fault fault) throws IOException {
    var lab = run.lab();
    var host = lab.addHost(HOST);
    try {
      begin(lab, host);
      fault.tell(run, host);
      lab.await(RESOURCE + " on " + HOST, it -> it.activeOn(RESOURCE).equals(List.of(HOST)));
      end(lab);
    } finally {
      host.kill();
      lab.evidence().dead(HOST);
      lab.removeHost();
    }
  }

  private static void begin(Lab lab, LocalNode host) throws IOException {
    var key = new byte[KEY_BYTES];
    new Random(lab.dir().hashCode()).nextBytes(key);
    for (var node : lab.nodes()) {
      write(node.layout().configuration().resolve("authkey"), key);
    }
    host.prepareRemote();
    write(host.layout().configuration().resolve("authkey"), key);
    host.start();
    hosts(lab, " " + HOST);
    var text =
        LabHome.text("remote.xml")
            .replace("@DIRECTORY@", lab.dir().toString())
            .replace("@ADDRESS@", host.address());
    var loaded =
        lab.nodes()
            .getFirst()
            .runWithInput(
                text, "cibadmin", "--modify", "--allow-create", "-o", "configuration", "-p");
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
    lab.await(
        RESOURCE + " on " + HOST,
        it -> it.activeOn(RESOURCE).equals(List.of(HOST)) && !it.isPending());
  }

  /// As a member reads it: the daemons are not root's where there is a user for them.
  private static void write(Path file, byte[] key) throws IOException {
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
    Files.write(file, key);
    try {
      var group =
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName("haclient");
      Files.getFileAttributeView(file, PosixFileAttributeView.class).setGroup(group);
    } catch (UserPrincipalNotFoundException e) {
      return; // then they are root's
    }
  }

  /// Tells the fence device whom it can switch off.
  private static void hosts(Lab lab, String more) throws IOException {
    var names = String.join(" ", Run.names(lab.nodes())) + more;
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", "power", "-p", "pcmk_host_list", "-v", names);
  }

  /// Removes all that begin has configured.
  private static void end(Lab lab) throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    for (var xpath :
        List.of("//rsc_location[@id='far-distant']", "//primitive[@id='distant']")) {
      Lab.succeed(first, "cibadmin", "--delete-all", "--force", "--xpath", xpath);
    }
    lab.await(RESOURCE + " stopped", it -> it.activeOn(RESOURCE).isEmpty());
    Lab.succeed(first, "cibadmin", "--delete-all", "--force", "--xpath", "//primitive[@id='far']");
    lab.await(HOST + " no longer connected", it -> it.activeOn(HOST).isEmpty());
    Lab.succeed(
        first,
        "cibadmin",
        "--delete-all",
        "--force",
        "--xpath",
        "//rsc_location[starts-with(@id,'far-')]");
    Lab.succeed(first, "crm_node", "--force", "-R", HOST);
    hosts(lab, "");
    Lab.succeed(first, "crm_resource", "--cleanup");
  }

  private static void dies(Run run, LocalNode host) throws IOException {
    var processes = LabProcesses.freeze(host); // so that none starts another
    run.fault(() -> NodeScenarios.powerOff(run, host, processes));
    isFencedOnce(run);
  }

  private static void cutOff(Run run, LocalNode host) throws IOException {
    run.fault(() -> run.lab().hostCable(false));
    isFencedOnce(run);
    run.lab().hostCable(true);
  }

  private static void executorDies(Run run, LocalNode host) throws IOException {
    run.fault(() -> LabProcesses.only(host, "remoted").destroyForcibly());
    isFencedOnce(run);
  }

  /// The host is fenced, and what ran there runs elsewhere, or there again.
  private static void isFencedOnce(Run run) {
    run.await("host fenced", "the fencing of " + HOST, () -> timesFenced(run) == 1);
    run.await(
        "host recovery",
        RESOURCE + " started again",
        () -> {
          var last = lastDeed(run);
          return "started".equals(last) || "runs".equals(last);
        });
    LabFailure.unless(timesFenced(run) == 1, HOST + " was fenced more than once");
  }

  private static int timesFenced(Run run) {
    try {
      return run.lab().evidence().fenced(run.since()).getOrDefault(HOST, 0);
    } catch (IOException e) {
      return 0; // the next look tells
    }
  }

  private static String lastDeed(Run run) {
    try {
      var deeds =
          run.lab().evidence().deeds(run.since()).stream()
              .filter(it -> it.resource().equals(RESOURCE))
              .toList();
      return deeds.isEmpty() ? "" : deeds.getLast().deed();
    } catch (IOException e) {
      return "";
    }
  }

  /// The connection is made again by another member; the host and what runs there are left alone.
  private static void member(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var victim = lab.node(holder(lab));
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    var witness = run.others(victim).getFirst();
    run.await(
        "connected again",
        witness,
        HOST + " connected to another member",
        it ->
            it.online().contains(HOST)
                && !it.activeOn(HOST).isEmpty()
                && !it.activeOn(HOST).contains(victim.name())
                && it.activeOn(RESOURCE).equals(List.of(HOST)));
    isUntouched(run);
  }

  private static void moves(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var from = holder(lab);
    var to = lab.otherThan(from).name();
    run.fault(() -> move(lab, to));
    run.reached("moved");
    move(lab, from);
    run.reached("moved back");
    isUntouched(run);
  }

  private static void move(Lab lab, String to) throws IOException {
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", HOST, "--move", "-N", to, "-f");
    lab.await(HOST + " connected to " + to, it -> it.activeOn(HOST).equals(List.of(to)));
    Lab.succeed(first, "crm_resource", "-r", HOST, "--clear");
  }

  private static String holder(Lab lab) {
    return lab.await("a connection", it -> it.activeOn(HOST).size() == 1)
        .activeOn(HOST)
        .getFirst();
  }

  private static void isUntouched(Run run) throws IOException {
    var deeds =
        run.lab().evidence().deeds(run.since()).stream()
            .filter(it -> it.resource().equals(RESOURCE) && it.changes())
            .toList();
    LabFailure.unless(deeds.isEmpty(), RESOURCE + " was not left alone: " + deeds);
    LabFailure.unless(timesFenced(run) == 0, HOST + " was fenced");
  }
}
