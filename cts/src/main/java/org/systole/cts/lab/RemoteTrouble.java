package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// A remote host that runs, and that nobody can connect to any more: it has another key, or what is sent there never
/// arrives.
final class RemoteTrouble {
  private static final String HOST = FarHost.NAME;
  private static final int PORT = 3121;
  private static final int START_SECONDS = 10; // of a connection: no member tries longer
  private static final int OTHER_KEY = 1;

  /// Once as it is lost, once more when no member could connect.
  private static final int FENCED_AT_MOST = 2;

  private static final String SAME_KEY = "the same key";
  private static final String TAKES_OVER = "_migrate_from_0";
  private static final String IN_VAIN = "Cannot take over the connection";
  private static final long QUIET_MILLIS = 15_000;

  private RemoteTrouble() {}

  /// A key is replaced under way, on all ends: no connection minds, and the next one is made with it.
  static void keyReplaced(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var all = new ArrayList<>(lab.nodes());
    all.add(host);
    var old = LabProcesses.only(host, "remoted");
    run.fault(() -> FarHost.giveKey(lab, OTHER_KEY, all));
    old.destroyForcibly();
    run.await(
        "executor back",
        "the executor of " + HOST + " started again",
        () -> LabProcesses.isAnother(host, "remoted", old));
    run.await(
        "watched again",
        FarHost.RESOURCE + " watched again",
        () -> FarHost.deeds(run, "runs") >= 3);
    RemoteScenarios.isUntouched(run);
  }

  /// As where it was installed anew.
  static void otherKey(Run run, LocalNode host) throws IOException {
    otherKey(run, host, () -> FarHost.giveKey(run.lab(), host));
  }

  /// Pacemaker's own daemon goes on with a key that it has read for a minute, unless it is restarted.
  static void otherKeyOfStock(Run run, LocalNode host) throws IOException {
    otherKey(
        run,
        host,
        () -> {
          FarHost.giveKey(run.lab(), host);
          host.kill();
          host.start();
        });
  }

  private static void otherKey(Run run, LocalNode host, Lab.Action mend) throws IOException {
    FarHost.giveKey(run.lab(), OTHER_KEY, List.of(host));
    var processes = LabProcesses.freeze(host);
    isGivenUpAndMended(
        run,
        () -> NodeScenarios.powerOff(run, host, processes),
        List.of(SAME_KEY, "it may have no key, or another one"),
        mend);
  }

  static void dropped(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    isGivenUpAndMended(
        run,
        () -> lab.hostDrops(HOST, PORT, true),
        List.of("it did not answer in time"),
        () -> lab.hostDrops(HOST, PORT, false));
  }

  /// Each member tries as long as it has time, and says why it came to nothing; what ran there runs elsewhere, nobody
  /// has it fenced again and again, and all goes on. Once the cause is mended, and the failures are cleaned up, it is
  /// connected.
  ///
  /// @param reasons one of which is said
  private static void isGivenUpAndMended(
      Run run, Lab.Action harm, List<String> reasons, Lab.Action mend)
      throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    var members = Run.names(lab.nodes());
    limitStart(first);
    run.fault(harm);
    run.await("host fenced", "the fencing of " + HOST, () -> RemoteScenarios.timesFenced(run) > 0);
    run.await(
        "elsewhere",
        first,
        FarHost.RESOURCE + " on a member",
        it -> members.containsAll(where(it)) && !where(it).isEmpty());
    run.await("given up", first, "all members said why", it -> said(it, reasons) == members.size());
    run.await(
        "at rest", first, "nothing under way", it -> !it.isPending() && it.activeOn(HOST).isEmpty());
    var mon = Lab.succeed(first, "crm_mon", "-1").output();
    LabFailure.unless(
        reasons.stream().anyMatch(mon::contains), "crm_mon does not say why: " + mon.strip());
    Lab.awaitProcess("time enough", run.fromNow(QUIET_MILLIS));
    var fenced = RemoteScenarios.timesFenced(run);
    LabFailure.unless(fenced <= FENCED_AT_MOST, "%s was fenced %d times".formatted(HOST, fenced));
    run.note("fenced %d times".formatted(fenced));
    mend.run();
    Lab.succeed(first, "crm_resource", "--cleanup", "-r", HOST);
    run.await(
        "mended",
        first,
        FarHost.RESOURCE + " on " + HOST,
        it -> where(it).equals(List.of(HOST)) && it.online().contains(HOST));
    var overlaps = lab.evidence().overlaps(List.of(FarHost.RESOURCE));
    LabFailure.unless(overlaps.isEmpty(), "active twice: " + overlaps);
    LabFailure.unless(
        RemoteScenarios.timesFenced(run) == fenced, HOST + " was fenced once it was well");
  }

  /// The member with the connection has another key than all others when the host comes back: it tries as long as it has
  /// time, which is longer than the host needs to be back, and says why that came to nothing; the next one connects.
  static void memberKey(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var holder = lab.node(RemoteScenarios.holder(lab));
    var witness = run.others(holder).getFirst();
    limitStart(witness); // else it tries as long as the lab waits for anything
    FarHost.giveKey(lab, OTHER_KEY, List.of(holder));
    var before = timesLogged(holder, SAME_KEY);
    var processes = LabProcesses.freeze(host);
    run.fault(() -> NodeScenarios.powerOff(run, host, processes));
    run.await("host fenced", "the fencing of " + HOST, () -> RemoteScenarios.timesFenced(run) > 0);
    run.await(
        "refused",
        holder.name() + " turned away by " + HOST,
        () -> timesLogged(holder, SAME_KEY) > before);
    run.await(
        "given up",
        witness,
        holder.name() + " said why",
        it -> said(it, List.of(SAME_KEY)) == 1);
    run.await(
        "taken over",
        witness,
        HOST + " connected to another member",
        it -> isConnectedElsewhere(it, holder) && where(it).equals(List.of(HOST)));
    var mon = Lab.succeed(witness, "crm_mon", "-1").output();
    LabFailure.unless(
        mon.contains("far start on %s could not be executed".formatted(holder.name()))
            && mon.contains(SAME_KEY),
        "crm_mon does not say what is wrong with %s: %s".formatted(holder.name(), mon.strip()));
    isWellAfter(run, "as the host is well");
    FarHost.giveKey(lab, host);
    Lab.succeed(witness, "crm_resource", "--cleanup", "-r", HOST);
    Lab.succeed(witness, "crm_resource", "-r", HOST, "--move", "-N", holder.name(), "-f");
    comesAbout(run, witness, holder);
    isWellAfter(run, "as all members had the same key");
  }

  /// The connection stays with a member that can, and that counts against the other one; neither the host nor what runs there
  /// is any the wiser. Once it can be reached, and the failure is cleaned up, the move comes about.
  static void movesInVain(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var holder = lab.node(RemoteScenarios.holder(lab));
    var to = lab.otherThan(holder.name());
    FarHost.mark(holder);
    lab.keepFrom(to, HOST);
    var before = timesLogged(to, IN_VAIN);
    run.fault(() -> Lab.succeed(holder, "crm_resource", "-r", HOST, "--move", "-N", to.name(), "-f"));
    run.await("tried", to.name() + " tried to connect", () -> timesLogged(to, IN_VAIN) > before);
    run.await(
        "kept",
        holder,
        HOST + " connected to a member that reaches it",
        it -> isConnectedElsewhere(it, to));
    RemoteScenarios.isUntouched(run);
    var mon = Lab.succeed(holder, "crm_mon", "-1f").output();
    LabFailure.unless(
        mon.contains(HOST + ": migration-threshold=") && mon.contains("fail-count=1000000"),
        "crm_mon does not say that it failed: " + mon.strip());
    lab.network().heal();
    Lab.succeed(holder, "crm_resource", "--cleanup", "-r", HOST);
    comesAbout(run, holder, to);
    RemoteScenarios.isUntouched(run);
    LabFailure.unless(FarHost.isMarked(holder), HOST + " has lost its attributes");
  }

  /// Its executor is killed, and does not say that it comes back, while another member tries to take the connection over.
  static void diesAsItMoves(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var holder = lab.node(RemoteScenarios.holder(lab));
    var to = lab.otherThan(holder.name());
    lab.keepFrom(to, HOST);
    var before = timesLogged(to, TAKES_OVER);
    Lab.succeed(holder, "crm_resource", "-r", HOST, "--move", "-N", to.name(), "-f");
    run.await("asked", to.name() + " asked to connect", () -> timesLogged(to, TAKES_OVER) > before);
    run.fault(() -> LabProcesses.executor(host).destroyForcibly());
    RemoteScenarios.isFencedOnce(run);
    lab.network().heal();
    Lab.succeed(holder, "crm_resource", "-r", HOST, "--clear");
    Lab.succeed(holder, "crm_resource", "--cleanup", "-r", HOST);
    isWellAfter(run, "as its executor was killed while its connection moved");
  }

  private static boolean isConnectedElsewhere(Snapshot seen, LocalNode than) {
    var members = seen.activeOn(HOST);
    return seen.online().contains(HOST) && members.size() == 1 && !members.contains(than.name()) && !seen.isPending();
  }

  /// Waits for a move that was asked for.
  private static void comesAbout(Run run, LocalNode by, LocalNode to) throws IOException {
    run.await(
        "mended",
        by,
        HOST + " connected to " + to.name(),
        it -> it.activeOn(HOST).equals(List.of(to.name())) && !it.isPending());
    Lab.succeed(by, "crm_resource", "-r", HOST, "--clear");
  }

  private static void isWellAfter(Run run, String why) throws IOException {
    var overlaps = run.lab().evidence().overlaps(List.of(FarHost.RESOURCE));
    LabFailure.unless(overlaps.isEmpty(), "active twice: " + overlaps);
    var fenced = RemoteScenarios.timesFenced(run);
    LabFailure.unless(fenced == 1, "%s was fenced %d times, %s".formatted(HOST, fenced, why));
  }

  private static long timesLogged(LocalNode node, String text) {
    try {
      return LabLogs.lines(node.layout().log().resolve("pacemaker.log")).stream()
          .filter(it -> it.contains(HOST) && it.contains(text))
          .count();
    } catch (IOException e) {
      return 0; // the next look tells
    }
  }

  private static List<String> where(Snapshot seen) {
    return seen.activeOn(FarHost.RESOURCE);
  }

  private static void limitStart(LocalNode by) throws IOException {
    Lab.succeed(
        by,
        "cibadmin",
        "--modify",
        "-X",
        "<op id=\"far-start\" timeout=\"%ds\"/>".formatted(START_SECONDS));
  }

  /// So many members could not connect, for one of these reasons.
  private static int said(Snapshot seen, List<String> reasons) {
    var status = seen.cib().path("status");
    if (status == null) {
      return 0;
    }
    return (int)
        status.children("node_state").stream()
            .filter(
                state ->
                    state.find(
                            it ->
                                (HOST + "_last_failure_0").equals(it.id())
                                    && "start".equals(it.get("operation"))
                                    && reasons.stream().anyMatch(it.get("exit-reason", "")::contains))
                        != null)
            .count();
  }
}
