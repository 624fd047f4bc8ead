package org.systole.cts.lab;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;
import org.systole.cts.replay.Comparison;
import org.systole.cts.replay.CorpusCase;
import org.systole.cts.replay.ExpectedActions;
import org.systole.cts.replay.LiveAction;
import org.systole.cts.replay.LiveConfiguration;
import org.systole.cts.replay.Part;

/// Plays a case of the scheduler's corpus with real nodes and real hosts: its configuration with the lab's
/// agents, everything where the case has it at its begin; then what happens in the case; and what ran has
/// to be what the case's graph expects.
final class Replay {
  /// What happens when everything is in its place.
  interface Event {
    void happen(Replay replay) throws IOException;
  }

  /// Below this no member holds back what it could do.
  private static final double QUIET = 1;

  /// How often members look at their load, and at what is to be done about it.
  private static final Duration LOOK_AT_LOAD = Duration.ofSeconds(31);

  private final Run run;
  private final Lab lab;
  private final CorpusCase played;
  private final Part part;
  private final ReplayStage stage;
  private final LiveConfiguration configuration;
  private final SortedMap<String, LocalNode> hosts = new TreeMap<>();
  private final Element before;

  private Replay(Run run, CorpusCase played, Part part) {
    this.run = run;
    this.lab = run.lab();
    this.played = played;
    this.part = part;
    this.stage = new ReplayStage(lab);
    this.configuration = new LiveConfiguration(played, part, stage);
    this.before = configurationOf(lab.now());
  }

  static void play(Run run, String name, Part part, Event event) throws IOException {
    var replay = new Replay(run, CorpusCase.read(name, Instant.now()), part);
    try {
      replay.begin();
      event.happen(replay);
      replay.check();
      replay.end();
    } finally {
      run.lab().network().heal();
      replay.removeHosts();
    }
  }

  Run run() {
    return run;
  }

  LocalNode host(String name) {
    return Objects.requireNonNull(hosts.get(name), name);
  }

  private static Element configurationOf(Snapshot seen) {
    return Objects.requireNonNull(seen.cib().first("configuration"), "no configuration");
  }

  /// Hosts run, and everything is in its place and held there.
  private void begin() throws IOException {
    for (var name : part.hosts()) {
      var isMachine = resource(it -> name.equals(ReplayStage.meta(it, "remote-node"))) != null;
      if (isMachine || resource(it -> name.equals(it.id())) != null) {
        var host = lab.addHost(name);
        hosts.put(name, host);
        stage.add(host);
        host.prepareRemote();
      }
    }
    FarHost.giveKey(lab, hosts.values().toArray(LocalNode[]::new));
    for (var host : hosts.values()) {
      if (resource(it -> host.name().equals(it.id())) != null) {
        host.start();
      }
    }
    if (played.cib().find(it -> it.is("bundle") && !part.isLeftOut(it.get("id", ""))) != null) {
      LabContainers.prepare(lab, lab.nodes());
      LabContainers.prepare(lab, hosts.values());
    }
    replace(configuration.held(configurationOf(lab.now())));
    var begun = System.nanoTime();
    settle("everything in the place that it has in the case");
    if (ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage() > QUIET) {
      Lab.awaitProcess(
          "members that have noticed that they may do as much as they can",
          () -> System.nanoTime() - begun > LOOK_AT_LOAD.toNanos());
    }
  }

  private @Nullable Element resource(Predicate<Element> wanted) {
    return Objects.requireNonNull(played.cib().path("configuration", "resources"))
        .find(it -> it.is("primitive") && wanted.test(it));
  }

  /// Gives the cluster the case's own configuration, as what happens.
  void release() throws IOException {
    run.fault(this::loadCase);
  }

  /// Gives the cluster the case's own configuration before anything happens: with that, too, everything
  /// has to be where the case has it.
  void free() throws IOException {
    loadCase();
    settle("everything in its place with nothing that holds it there");
  }

  private void loadCase() throws IOException {
    replace(configuration.of(configurationOf(lab.now())));
  }

  private void replace(Element wanted) throws IOException {
    var outcome =
        lab.nodes()
            .getFirst()
            .runWithInput(
                XmlWriter.pretty(wanted),
                "cibadmin",
                "--replace",
                "-o",
                "configuration",
                "--xml-pipe");
    LabFailure.unless(outcome.ok(), "cibadmin: " + outcome.output().strip());
  }

  /// Until nothing is left to do and everything is in its place.
  private void settle(String what) {
    var why = new String[] {""};
    try {
      lab.await(
          what,
          it -> {
            why[0] = misplaced(it);
            return why[0].isEmpty();
          });
    } catch (LabFailure e) {
      throw new LabFailure(e.getMessage() + "; at last: " + why[0]);
    }
  }

  private String misplaced(Snapshot seen) {
    for (var place : played.places().entrySet()) {
      var id = place.getKey();
      if (part.isLeftOut(id) || resource(it -> id.equals(it.id())) == null) {
        continue; // nobody's, or of several places
      }
      var wanted = part.places(id, place.getValue());
      if (!seen.activeOn(id).equals(wanted)) {
        return "%s is active on %s, not %s".formatted(id, seen.activeOn(id), wanted);
      }
    }
    return seen.isPending() ? "something is under way" : Inspection.plan(seen, false);
  }

  /// Waits for what the case expects.
  ///
  /// @param but pattern of actions that are not waited for
  void await(String time, String but) {
    var expected = ExpectedActions.of(played.graph(), part);
    try {
      run.await(
          time,
          "all that the case expects",
          () -> compare(expected).missing().stream().allMatch(it -> it.matches(but)));
    } catch (LabFailure _) {
      // what is missing is told with the rest
    }
  }

  /// Waits until this has been tried, and has failed.
  void awaitFailure(String action) {
    run.await(
        "failed",
        "a failure of " + action,
        () ->
            live().stream()
                .anyMatch(it -> it.action().equals(action) && !it.failure().isEmpty()));
  }

  void awaitBegin(String action) {
    run.await(
        "noticed",
        "the begin of " + action,
        () -> live().stream().anyMatch(it -> it.action().equals(action)));
  }

  private List<LiveAction> live() {
    try {
      return LiveActions.since(
          lab.nodes(), lab.evidence(), run.since(), stage.witnessed());
    } catch (IOException e) {
      throw new LabFailure("what ran cannot be read: " + e.getMessage());
    }
  }

  /// Waits for all that the case expects, and compares.
  private void check() throws IOException {
    await("as expected", "");
    var expected = ExpectedActions.of(played.graph(), part);
    var complaints = compare(expected).complaints();
    if (!complaints.isEmpty()) {
      throw new LabFailure(
          "case %s: %s%nwhat ran:%n%s"
              .formatted(
                  played.name(),
                  String.join("; ", complaints),
                  LiveActions.tell(live(), run.since())));
    }
    run.note("%d actions".formatted(expected.actions().size()));
  }

  private Comparison compare(ExpectedActions expected) {
    return new Comparison(expected, part, live());
  }

  /// Stops everything, and gives the cluster back what it had.
  private void end() throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    var now = configurationOf(lab.now());
    var stopped = new ArrayList<Element>();
    for (var section : now.children()) {
      stopped.add(section.is("resources") ? section.withChildren(stopped(section)) : section);
    }
    replace(now.withChildren(stopped));
    lab.await("everything stopped", it -> isStopped(it) && !it.isPending());
    replace(before);
    lab.await(
        "nothing of the case left",
        it -> played.places().keySet().stream().allMatch(id -> it.activeOn(id).isEmpty()));
    for (var name : part.hosts()) { // whose connections nobody may know of any more
      Lab.succeed(first, "crm_node", "--force", "-R", name);
    }
    Lab.succeed(first, "crm_resource", "--cleanup");
  }

  private static List<Element> stopped(Element resources) {
    return resources.children().stream()
        .map(
            it -> {
              var id = "replay-end-" + it.id();
              var pair =
                  Element.of("nvpair", "id", id + "-1", "name", "target-role", "value", "Stopped");
              var kept = new ArrayList<Element>();
              it.children().stream()
                  .map(
                      child ->
                          child.withChildren(
                              child.children().stream()
                                  .filter(each -> !"target-role".equals(each.get("name")))
                                  .toList()))
                  .forEach(kept::add);
              kept.addFirst(Element.of("meta_attributes", "id", id).plus(pair));
              return "stonith".equals(it.get("class")) ? it : it.withChildren(kept);
            })
        .toList();
  }

  private boolean isStopped(Snapshot seen) {
    return played.places().keySet().stream()
        .filter(it -> !isDevice(it))
        .allMatch(it -> seen.activeOn(it).isEmpty());
  }

  private boolean isDevice(String id) {
    return resource(it -> id.equals(it.id()) && "stonith".equals(it.get("class"))) != null;
  }

  private void removeHosts() throws IOException {
    for (var host : hosts.values()) {
      host.kill();
      lab.evidence().dead(host.name());
      lab.removeHost(host.name());
    }
  }
}
