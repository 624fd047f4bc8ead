package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// A host that is no member: the cluster connects to it, and runs a resource there.
final class RemoteScenarios {
  static final String HOST = FarHost.NAME;
  private static final String RESOURCE = FarHost.RESOURCE;

  /// As much as a machine with much else to do needs.
  private static final int RETURNS_SECONDS = 40;

  private RemoteScenarios() {}

  /// What happens to the cluster while the resource runs on the host.
  interface Fault {
    void tell(Run run, LocalNode host) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of("remote-host-dies", "a remote host loses its power", RemoteScenarios::dies),
        of("remote-host-cut-off", "its cable is cut", RemoteScenarios::cutOff),
        of("remote-executor-dies", "its executor is killed", RemoteScenarios::executorDies),
        Scenario.of(
            "remote-executor-returns",
            "its executor is killed and started again",
            run ->
                story(
                    run,
                    host -> host.prepareSupervisedRemote(RETURNS_SECONDS),
                    RemoteScenarios::executorReturns)),
        of("remote-member-dies", "the member with its connection dies", RemoteScenarios::member),
        of("remote-stops", "its executor is asked to end, and started again", RemoteScenarios::stops),
        Scenario.of(
            "remote-key-replaced",
            "everybody has another key, and its executor is killed and started again",
            run ->
                story(
                    run,
                    host -> host.prepareSupervisedRemote(RETURNS_SECONDS),
                    RemoteTrouble::keyReplaced)),
        of("remote-other-key", "its key becomes another than the members'", RemoteTrouble::otherKey),
        of(
            "remote-member-key",
            "the key of the member with its connection becomes another than all others'",
            RemoteTrouble::memberKey),
        of("remote-dropped", "its firewall drops what comes from the members", RemoteTrouble::dropped),
        of(
            "remote-removed",
            "it is stopped, and taken out of the cluster in one change",
            RemoteRemoval::atOnce),
        of(
            "remote-removed-in-steps",
            "it is stopped, and taken out of the cluster in two changes",
            RemoteRemoval::inSteps),
        of(
            "remote-removed-running",
            "it is taken out of the cluster while it runs",
            RemoteRemoval::running),
        of("remote-moves", "its connection is moved, and moved back", RemoteScenarios::moves),
        of(
            "remote-moves-in-vain",
            "its connection is moved to a member that cannot reach it",
            RemoteTrouble::movesInVain),
        of(
            "remote-dies-as-it-moves",
            "its executor is killed while another member tries to take its connection over",
            RemoteTrouble::diesAsItMoves),
        of("remote-secrets", "a parameter of what runs there is a secret", RemoteSecrets::tell),
        of(
            "remote-commands",
            "commands are run on it",
            (run, host) -> RemoteCommandScenarios.all(run, host::run)));
  }

  /// With Pacemaker's own executor on the host.
  static List<Scenario> ofStock() {
    return List.of(
        stock(
            "commands",
            "Pacemaker's own commands are run on it",
            (run, host) ->
                RemoteCommandScenarios.all(
                    run, (command, arguments) -> LabStockHost.run(host, command, arguments))),
        stock("moves", "its connection is moved, and moved back", RemoteScenarios::moves),
        stock(
            "moves-in-vain",
            "its connection is moved to a member that cannot reach it",
            RemoteTrouble::movesInVain),
        stock(
            "dies-as-it-moves",
            "it is killed while another member tries to take its connection over",
            RemoteTrouble::diesAsItMoves),
        stock(
            "other-key",
            "its key becomes another than the members'",
            RemoteTrouble::otherKeyOfStock),
        stock("dies", "it loses its power", RemoteScenarios::dies));
  }

  private static Scenario of(String name, String about, Fault fault) {
    return Scenario.of(name, about, run -> story(run, LocalNode::prepareRemote, fault));
  }

  private static Scenario stock(String name, String about, Fault fault) {
    return Scenario.of(
        LabStockHost.SCENARIOS + name,
        "the host runs Pacemaker's own executor: " + about,
        run -> story(run, LabStockHost::prepare, fault));
  }

  /// Makes a host ready to be started.
  private interface Preparation {
    void of(LocalNode host) throws IOException;
  }

  private static void story(Run run, Preparation preparation, Fault fault) throws IOException {
    var lab = run.lab();
    var host = lab.addHost(HOST);
    try {
      preparation.of(host);
      begin(lab, host);
      fault.tell(run, host);
      lab.await(RESOURCE + " on " + HOST, it -> it.activeOn(RESOURCE).equals(List.of(HOST)));
      end(lab);
    } finally {
      host.kill();
      lab.evidence().dead(HOST);
      lab.removeHost(HOST);
    }
  }

  private static void begin(Lab lab, LocalNode host) throws IOException {
    FarHost.giveKey(lab, host);
    host.start();
    hosts(lab, " " + HOST);
    FarHost.configure(lab, host, "remote.xml");
  }

  /// Tells the fence device whom it can switch off.
  private static void hosts(Lab lab, String more) throws IOException {
    var names = String.join(" ", Run.names(lab.nodes())) + more;
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", "power", "-p", "pcmk_host_list", "-v", names);
  }

  /// Removes all that begin has configured.
  private static void end(Lab lab) throws IOException {
    FarHost.remove(lab, HOST);
    hosts(lab, "");
    Lab.succeed(lab.nodes().getFirst(), "crm_resource", "--cleanup");
  }

  private static void dies(Run run, LocalNode host) throws IOException {
    var processes = LabProcesses.freeze(host); // so that none starts another
    run.fault(() -> NodeScenarios.powerOff(run, host, processes));
    isFencedOnce(run);
  }

  private static void cutOff(Run run, LocalNode host) throws IOException {
    run.fault(() -> run.lab().hostCable(HOST, false));
    isFenced(run);
    run.lab().hostCable(HOST, true); // its resource runs nowhere else
    isRecovered(run);
  }

  private static void executorDies(Run run, LocalNode host) throws IOException {
    run.fault(() -> LabProcesses.only(host, "remoted").destroyForcibly());
    isFencedOnce(run);
  }

  /// The host and what runs there are left alone, and that is watched again.
  private static void executorReturns(Run run, LocalNode host) throws IOException {
    var old = LabProcesses.only(host, "remoted");
    var witness = run.lab().nodes().getFirst();
    FarHost.mark(witness);
    run.fault(old::destroyForcibly);
    run.await(
        "executor back",
        "the executor of " + HOST + " started again",
        () -> LabProcesses.isAnother(host, "remoted", old));
    run.await(
        "watched again", RESOURCE + " watched again", () -> FarHost.deeds(run, "runs") >= 3);
    isUntouched(run);
    LabFailure.unless(!FarHost.isMarked(witness), HOST + " has attributes of the executor before");
    FarHost.end(host);
    run.await(
        "failure noticed",
        RESOURCE + " started again after it had ended",
        () -> FarHost.deeds(run, "started") == 1);
    LabFailure.unless(timesFenced(run) == 0, HOST + " was fenced");
  }

  /// The host is fenced, and what ran there runs there again.
  static void isFencedOnce(Run run) {
    isFenced(run);
    isRecovered(run);
  }

  private static void isFenced(Run run) {
    run.await("host fenced", "the fencing of " + HOST, () -> timesFenced(run) == 1);
  }

  private static void isRecovered(Run run) {
    run.await(
        "host recovery",
        RESOURCE + " started again",
        () -> FarHost.deeds(run, "started") > 0);
    LabFailure.unless(timesFenced(run) == 1, HOST + " was fenced more than once");
  }

  static int timesFenced(Run run) {
    try {
      return run.lab().evidence().fenced(run.since()).getOrDefault(HOST, 0);
    } catch (IOException e) {
      return 0; // the next look tells
    }
  }

  /// The connection is made again by another member; the host and what runs there are left alone.
  private static void member(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var victim = lab.node(holder(lab));
    run.mustFence(victim);
    FarHost.mark(run.others(victim).getFirst());
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
    LabFailure.unless(FarHost.isMarked(witness), HOST + " has lost its attributes");
  }

  /// What runs there is moved first, and comes back.
  private static void stops(Run run, LocalNode host) throws IOException {
    var executor = LabProcesses.only(host, "remoted");
    run.fault(executor::destroy);
    run.await("executor ended", "the end of the executor of " + HOST, () -> !executor.isAlive());
    LabFailure.unless(
        FarHost.deeds(run, "stopped") == 1, RESOURCE + " was not stopped before the executor ended");
    run.await(
        "moved", RESOURCE + " started elsewhere", () -> FarHost.deeds(run, "started") >= 1);
    host.start();
    // else it is connected with the next plan, which may be in a quarter of an hour
    Lab.succeed(run.lab().nodes().getFirst(), "crm_resource", "--refresh", "-r", HOST);
    run.await(
        "back", RESOURCE + " started on " + HOST, () -> FarHost.deeds(run, "started") >= 2);
    var overlaps = run.lab().evidence().overlaps(List.of(RESOURCE));
    LabFailure.unless(overlaps.isEmpty(), "active twice: " + overlaps);
    LabFailure.unless(timesFenced(run) == 0, HOST + " was fenced");
  }

  private static void moves(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var from = holder(lab);
    var to = lab.otherThan(from).name();
    FarHost.mark(lab.nodes().getFirst());
    run.fault(() -> move(lab, to));
    run.reached("moved");
    move(lab, from);
    run.reached("moved back");
    isUntouched(run);
    LabFailure.unless(FarHost.isMarked(lab.nodes().getFirst()), HOST + " has lost its attributes");
  }

  private static void move(Lab lab, String to) throws IOException {
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", HOST, "--move", "-N", to, "-f");
    lab.await(HOST + " connected to " + to, it -> it.activeOn(HOST).equals(List.of(to)));
    Lab.succeed(first, "crm_resource", "-r", HOST, "--clear");
  }

  static String holder(Lab lab) {
    return lab.await("a connection", it -> it.activeOn(HOST).size() == 1)
        .activeOn(HOST)
        .getFirst();
  }

  static void isUntouched(Run run) throws IOException {
    var deeds =
        run.lab().evidence().deeds(run.since()).stream()
            .filter(it -> it.resource().equals(RESOURCE) && it.changes())
            .toList();
    LabFailure.unless(deeds.isEmpty(), RESOURCE + " was not left alone: " + deeds);
    LabFailure.unless(timesFenced(run) == 0, HOST + " was fenced");
  }
}
