package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.systole.common.cib.CibOp;
import org.systole.common.wire.DecodedFrames;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.execd.RemotedDaemon;

/// A scenario's script: one step a line, `#` begins a comment. What happened is told step by step.
///
/// ```
/// power NODE|all on|off           cluster NODE start|stop      kill NODE DAEMON
/// pause NODE      resume NODE     partition A B | C D          cut FROM TO      heal
/// loss SHARE      delay DURATION  narrow NANOSECONDS-PER-BYTE  disk NODE slow DURATION|failing|well
/// agent NODE RESOURCE ACTION fails [STATUS]|hangs|takes DURATION|well
/// resource NODE RESOURCE stopped|started|promoted               (behind the cluster's back)
/// put SECTION XML                 delete XPATH                 standby NODE on|off
/// (the word dc stands for the present DC in every step)
/// run DURATION    settle [LIMIT]  show                         expect RESOURCE NODE...
/// at DURATION                     (runs until then, from the beginning)
/// hang NODE DAEMON DURATION       clock NODE DURATION          cluster NODE soon
/// come NODE DURATION              (its power is switched on then)
/// damage NODE                     (power fails, cib.xml is cut short, power comes again)
/// spoil NODE DAEMON FILE gone|empty|short|row|other      (of a node that is down)
/// edit NODE                       (somebody changes its cib.xml by hand, in a way that matters to nobody)
/// change NODE put SECTION XML     change NODE delete XPATH
/// cleanup NODE                    (of all resources, asked there)
/// cleanup NODE RESOURCE|all TARGET|all      (as crm_resource --refresh there, of a resource, on a node)
/// write NODE change-N             attribute NODE VALUE
/// forget NODE TARGET              (as crm_node --remove there)
/// fence NODE TARGET ACTION        confirm NODE TARGET          (as stonith_admin there)
/// volumes HOST ALL|LAST|NONE      (to which of its volumes it writes)
/// looks HOST wrong|right          switch HOST RIGHT|UNKNOWN|ON|OFF   (what its power switch says)
/// hostha NODE HOST hold|release|recover|fence|confirm|clear|check    (as crm_hostha there)
/// file NODE|all nodes N|lists NODE...|token MILLIS|links N|name NODE OTHER|broken|whole      (corosync.conf; see SimConfFile)
/// cut-link NODE NODE LINK         mend-link NODE NODE LINK     (one of several)
/// reload NODE                     (all nodes read it anew, as corosync-cfgtool -R there)
/// reset HOST [MEMBER]             (its connections to the members, or to one of them, are closed)
/// removing HOST                   (from now on it must not be fenced)
/// removed HOST                    (by now nothing of it is left)
/// nothing-planned                 (no plan has a monitor begun that runs already)
/// answers                         (from now on no operation may end by the DC's time alone)
/// roles                           (those of `# roles: SEED` are defined)
/// roles NODE NAME STEPS           (somebody asks for a change of the roles, in XML)
/// end                             (faults end; checks as at the end of a random life)
/// leave                           (all nodes are asked to stop, and must within a time)
/// ```
public final class SimScript {
  private static final String QUORUM = "# quorum: ";
  private static final Duration SETTLE = Duration.ofMinutes(5);

  private final SimCluster cluster;
  private final List<String> log = new ArrayList<>();
  private final SimPromises promises;
  private final SimChanges changes;
  private final SimRoleChanges roles;
  private final SimDeeds deeds;
  private final SimTelling telling = new SimTelling();
  private final List<String> untold = new ArrayList<>();
  private int told;

  public SimScript(SimCluster cluster) {
    var kept = new SimPromises(cluster);
    this(cluster, kept, new SimChanges(cluster, kept), new SimRoleChanges(cluster));
  }

  SimScript(
      SimCluster cluster, SimPromises promises, SimChanges changes, SimRoleChanges roles) {
    this.cluster = cluster;
    this.promises = promises;
    this.changes = changes;
    this.roles = roles;
    this.deeds = new SimDeeds(cluster, changes, roles);
  }

  /// The cluster a script asks for in its first comments: `# nodes: N`, `# seed: N`,
  /// `# quorum: OPTION VALUE` (a line for each), `# listed: N` (of the nodes, in every file), `# fencing: no`,
  /// `# hosts: NAME...` (no members), `# guests: NAME=RESOURCE...` (inside what that resource runs),
  /// `# returns: SECONDS` (in which executors of no members say that they are started again),
  /// `# watchdogs: beside|alone|disks`, `# roles: SEED` (as in the life of that seed). Three nodes and the seed 1 unless it says otherwise.
  public static SimCluster cluster(List<String> script) {
    var cluster =
        RealDaemons.cluster(
            Long.parseLong(asked(script, "seed", "1")),
            Integer.parseInt(asked(script, "nodes", "3")));
    if (script.stream().anyMatch(it -> it.startsWith("narrow "))) {
      DecodedFrames.remember(true); // what stands in for a message has next to no bytes
    }
    for (var line : script) {
      if (line.startsWith(QUORUM)) {
        var option = line.substring(QUORUM.length()).strip().split(" ");
        cluster.quorumOption(option[0], option[1]);
      }
    }
    var listed = asked(script, "listed", "");
    if (!listed.isEmpty()) {
      cluster.nodes().forEach(it -> it.listNodes(Integer.parseInt(listed)));
    }
    for (var host : asked(script, "hosts", "").split(" ")) {
      if (!host.isEmpty()) {
        cluster.addHost(host);
      }
    }
    var guests = asked(script, "guests", "");
    SimInside.add(cluster, guests.isEmpty() ? List.of() : List.of(guests.split(" ")));
    SimGuards.named(asked(script, "watchdogs", "none")).into(cluster);
    var returns = asked(script, "returns", "");
    if (!returns.isEmpty()) {
      cluster.variable(RemotedDaemon.RETURNS, returns);
    }
    var roles = asked(script, "roles", "");
    if (!roles.isEmpty()) {
      cluster.checks().roles().plan(SimRolePlan.forced(Long.parseLong(roles)));
    }
    if (asked(script, "fencing", "yes").equals("no")) {
      cluster.checks().withoutFencing();
    }
    return cluster;
  }

  private static String asked(List<String> script, String what, String otherwise) {
    var prefix = "# " + what + ": ";
    return script.stream()
        .filter(it -> it.startsWith(prefix))
        .findFirst()
        .map(it -> it.substring(prefix.length()).strip())
        .orElse(otherwise);
  }

  /// Carries out a step of a story that is told again, if it can be done in what has become of it.
  void again(String line) {
    var words = List.of(line.split("\\s+"));
    if (words.getFirst().equals("kill")) {
      cluster.node(words.get(1)).kill(words.get(2));
    } else {
      step(words, line);
    }
  }

  /// Carries out every line; returns what happened.
  ///
  /// @throws IllegalArgumentException if a line cannot be understood
  public List<String> run(List<String> lines) {
    for (var line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      log.add("> " + line.strip());
      var meant = withDc(line.strip());
      step(List.of(meant.split("\\s+")), meant);
      tell();
    }
    tell();
    cluster.failures().forEach(it -> log.add("FAILURE " + it.lines().findFirst().orElse("")));
    return List.copyOf(log);
  }

  /// The word `dc` stands for the node that is DC now.
  private String withDc(String line) {
    var dcs = cluster.dcs();
    return dcs.isEmpty() || line.contains("<") ? line : line.replaceAll("\\bdc\\b", dcs.getFirst());
  }

  /// Tells what changed since, in an order that does not hang on milliseconds. Of a change of the
  /// configuration only the answer is told at once: what follows from it has just begun.
  private void tell() {
    var changes = cluster.trace().changes();
    var all = new ArrayList<>(untold);
    all.addAll(changes.subList(told, changes.size()));
    told = changes.size();
    untold.clear();
    if (all.stream().anyMatch(SimTelling::isAnswer)) {
      all.stream().filter(SimTelling::isAnswer).forEach(it -> log.add("  " + it));
      all.stream().filter(it -> !SimTelling.isAnswer(it)).forEach(untold::add);
      return;
    }
    cluster.nodes().stream()
        .map(SimNode::cib)
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(telling::groupsOf);
    telling.inOrder(all).forEach(it -> log.add("  " + it));
  }

  private void step(List<String> words, String line) {
    var rest = words.subList(1, words.size());
    switch (words.getFirst()) {
      case "power" -> power(rest);
      case "cluster" -> service(rest);
      case "kill" -> require(cluster.node(rest.get(0)).kill(rest.get(1)), line);
      case "pause" -> cluster.node(rest.get(0)).pause();
      case "resume" -> cluster.node(rest.get(0)).resume();
      case "partition" -> partition(line.substring("partition".length()));
      case "cut" -> cluster.cut(rest.get(0), rest.get(1));
      case "heal" -> cluster.heal();
      case "reset" -> {
        if (rest.size() > 1) {
          cluster.streams().reset(cluster.node(rest.get(0)), cluster.node(rest.get(1)));
        } else {
          cluster.node(rest.get(0)).resetConnections();
        }
      }
      case "loss" -> cluster.loss(Double.parseDouble(rest.get(0)));
      case "delay" -> cluster.delay(Duration.parse(rest.get(0)));
      case "narrow" -> cluster.network().narrow(Long.parseLong(rest.get(0)));
      case "disk" -> disk(rest);
      case "agent" -> agent(rest);
      case "resource" -> cluster.node(rest.get(0)).force(rest.get(1), rest.get(2));
      case "put" -> put(rest.get(0), xml(line));
      case "delete" -> change(CibOp.deleteXPath(line.substring("delete".length()).strip()));
      case "standby" -> change(standby(rest.get(0), rest.get(1)));
      case "run" -> cluster.run(Duration.parse(rest.get(0)));
      case "settle" -> settle(rest.isEmpty() ? SETTLE : Duration.parse(rest.get(0)));
      case "show" -> show();
      case "nothing-planned" -> SimPlannedAgain.checkAll(cluster);
      case "expect" -> expect(rest.get(0), rest.subList(1, rest.size()));
      case "at" -> cluster.run(Duration.parse(rest.get(0)).minus(cluster.now()));
      case "file" -> SimConfFile.change(cluster, named(rest.get(0)), rest.subList(1, rest.size()));
      case "reload" -> SimConfFile.reload(cluster, cluster.node(rest.get(0)));
      case "roles" -> roles(words, line);
      case "end" -> SimRun.end(cluster, promises, changes, roles);
      case "leave" -> SimRun.leave(cluster);
      case SimChecks.ANSWERS -> cluster.checks().everyOneAnswers();
      default -> {
        if (!deeds.step(words, line)) {
          throw new IllegalArgumentException("unknown step: " + line);
        }
      }
    }
  }

  /// The word alone: they are defined. With more words it is a deed.
  private void roles(List<String> words, String line) {
    if (words.size() == 1) {
      roles.begin();
    } else if (!deeds.step(words, line)) {
      throw new IllegalArgumentException("unknown step: " + line);
    }
  }

  private static void require(boolean done, String line) {
    if (!done) {
      throw new IllegalArgumentException("cannot be done now: " + line);
    }
  }

  private List<SimNode> named(String name) {
    return name.equals("all") ? cluster.nodes() : List.of(cluster.node(name));
  }

  private void power(List<String> words) {
    var on = words.get(1).equals("on");
    for (var node : cluster.machines()) {
      if (words.get(0).equals("all") || node.name().equals(words.get(0))) {
        if (on) {
          node.powerOn();
        } else if (!node.isGuest() || !words.get(0).equals("all")) {
          node.powerOff();
        }
      }
    }
  }

  private void service(List<String> words) {
    var node = cluster.node(words.get(0));
    switch (words.get(1)) {
      case "start" -> node.startCluster();
      case "soon" -> node.startClusterSoon();
      case "stop" -> node.shutdown();
      default -> throw new IllegalArgumentException("not for cluster software: " + words.get(1));
    }
  }

  private void partition(String text) {
    cluster.partition(
        Arrays.stream(text.split("\\|")).map(it -> List.of(it.strip().split("\\s+"))).toList());
  }

  private void disk(List<String> words) {
    var node = cluster.node(words.get(0));
    switch (words.get(1)) {
      case "slow" -> node.slowDisk(Duration.parse(words.get(2)));
      case "failing" -> node.failDisk(true);
      case "well" -> {
        node.failDisk(false);
        node.slowDisk(Duration.ZERO);
      }
      default -> throw new IllegalArgumentException("a disk cannot be " + words.get(1));
    }
  }

  private void agent(List<String> words) {
    for (var node : cluster.machines()) {
      if (words.get(0).equals("all") || node.name().equals(words.get(0))) {
        node.agentFault(words.get(1), words.get(2), words.subList(3, words.size()));
      }
    }
  }

  private static Element xml(String line) {
    try {
      return XmlReader.parse(line.substring(line.indexOf('<')));
    } catch (XmlException e) {
      throw new IllegalArgumentException("not XML: " + line + ": " + e.getMessage(), e);
    }
  }

  private CibOp standby(String name, String value) {
    return SimChanges.nodeAttribute(cluster.node(name), "standby", value);
  }

  private void put(String section, Element what) {
    if (section.equals("resources") && what.is("primitive")) {
      cluster.checks().exclusiveToo(what.get("id", ""));
    }
    change(CibOp.put(section, what));
  }

  /// Changes the CIB from the first node that is there.
  private void change(CibOp operation) {
    for (var node : cluster.nodes()) {
      if (node.isPowered() && !node.isPaused() && node.cib() != null) {
        cluster.update(
            node.name(),
            List.of(operation),
            answer -> {
              var text = answer == null ? "no answer" : answer.rc().text() + " " + answer.why();
              cluster.change("cib change: " + text.strip());
            });
        cluster.run(Duration.ofMillis(100));
        return;
      }
    }
    throw new IllegalArgumentException("no node has a CIB to be changed");
  }

  private void settle(Duration limit) {
    if (!cluster.settle(limit)) {
      log.add("  NOT SETTLED after " + limit + ": " + cluster.unsettled());
    }
    tell();
  }

  private void show() {
    for (var node : cluster.machines()) {
      var state = !node.isPowered() ? "off" : node.isDc() ? "DC" : node.isRunning() ? "up" : "idle";
      log.add("  %s (%s): %s".formatted(node.name(), state, node.activeResources()));
    }
  }

  private void expect(String resource, List<String> nodes) {
    var found = cluster.resourceOn(resource);
    if (!found.equals(nodes)) {
      cluster.fail(SimCheck.MISPLACED, resource + " is on " + found + ", expected " + nodes);
    }
  }
}
