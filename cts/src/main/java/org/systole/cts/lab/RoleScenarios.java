package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// Roles on real nodes: those that are shipped, with real mounts and clocks, and roles of the test
/// jig while nodes die.
final class RoleScenarios {
  /// Those in which a disk is mounted.
  static final Set<String> NEED_A_DISK = Set.of("roles-bring-up", "roles-unmounted");

  private static final String SHIPPED = "agents,boots,clock,fencing,network,storage";
  private static final Path CHRONYD = Path.of("/usr/sbin/chronyd");
  private static final Path ANSIBLE = Path.of("/usr/bin/ansible-playbook");

  private static final String SITE =
      """
      <role-package id="lab">
        <role id="site" jig="ansible">
          <requires role="storage"/>
          <data>{"site":{"greeting":"hello"}}</data>
        </role>
      </role-package>
      """;

  private static final String PLAYBOOK =
      """
      - hosts: localhost
        gather_facts: false
        tasks:
          - name: write what the role says to the storage
            ansible.builtin.copy: {content: "{{ systole.site.greeting }}", dest: %s/greeting, mode: "0644"}
          - name: tell it
            ansible.builtin.set_fact: {written: "{{ systole.site.greeting }} there"}
      """;

  private static final String RULE =
      """
      <configuration><constraints>
        <rsc_location id="first-on-storage" rsc="first">
          <rule id="first-on-storage-rule" score="-INFINITY" boolean-op="or">
            <expression id="first-no-storage" attribute="#role-storage" operation="not_defined"/>
            <expression id="first-bad-storage" attribute="#role-storage" operation="ne" value="active"/>
          </rule>
        </rsc_location>
      </constraints></configuration>
      """;

  private RoleScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario(
            "roles-bring-up",
            "new nodes go through the shipped roles, with a gate, before the first resource runs",
            Shape.FOUR,
            true,
            RoleScenarios::bringUp),
        atWork("roles-mended", "a role's step is broken, mended and retried", RoleScenarios::mended),
        atWork(
            "roles-unmounted",
            "a node's storage is unmounted: its role is in error, a resource leaves by its rule",
            RoleScenarios::unmounted),
        atWork(
            "roles-dc-dies",
            "the DC loses its power while a role that runs once is under way elsewhere",
            RoleScenarios::dcDies),
        atWork(
            "roles-node-dies",
            "a node loses its power while a role that runs once is under way there",
            RoleScenarios::nodeDies));
  }

  private static Scenario atWork(String name, String about, Scenario.Story story) {
    return new Scenario(name, about, Shape.FOUR, false, story);
  }

  private static LocalNode admin(Run run) {
    return run.lab().nodes().getFirst();
  }

  private static String state(Snapshot seen, LocalNode node, String role) {
    var known = seen.status().node(node.name());
    return known == null ? "" : known.attributes().getOrDefault("#role-" + role, "");
  }

  private static void awaitState(
      Run run, String time, List<LocalNode> nodes, String role, String state) {
    run.await(
        time,
        admin(run),
        "role %s %s on %s".formatted(role, state, Run.names(nodes)),
        it -> nodes.stream().allMatch(node -> state(it, node, role).equals(state)));
  }

  /// What the site lays over the shipped roles: a disk is mounted in each node's own name space, and
  /// looked at every two seconds.
  private static void settle(Run run, LabDisk disk) throws IOException {
    var site = admin(run).dir().resolve("etc/pacemaker/roles/systole.xml");
    Files.createDirectories(site.getParent());
    Files.writeString(
        site,
        """
        <role-package id="systole">
          <role id="clock"><data>{"clock":{"by":"chrony","wait":60}}</data></role>
          <role id="storage" check-interval="2s"><data>{"storage":{"mounts":[
            {"dir":"%s","device":"%s","type":"ext4","mount":true}]}}</data></role>
        </role-package>
        """
            .formatted(disk.place(), disk.device()));
  }

  private static void bringUp(Run run) throws IOException {
    var lab = run.lab();
    try (var clocks = new Clocks(lab);
        var disk = new LabDisk(lab)) {
      run.fault(
          () -> {
            for (var node : lab.nodes()) {
              node.start();
            }
          });
      run.await("online", admin(run), "all online", it -> Health.isComplete(lab, it));
      settle(run, disk);
      Lab.succeed(admin(run), "crm_role", "--shipped=" + shipped(), "--gate=on", "--force");
      Health.configure(lab);
      run.await(
          "first",
          "a resource runs",
          () -> Health.runsOnOneOf(lab, "first", Run.names(lab.nodes())));
      for (var role : shipped().split(",")) {
        awaitState(run, "fit", lab.nodes(), role, "active");
      }
      run.awaitRecovery(lab.nodes());
      Health.await(lab);
      playSite(run, disk.place());
      var inventory = Lab.succeed(admin(run), "crm_role", "--inventory").output();
      LabFailure.unless(inventory.contains("ocf:lab"), "the inventory lacks agents: " + inventory);
      var once = clocks.areThere() ? "" : ", no chronyd here";
      run.note("gate: " + shipped() + once);
      end(run, "");
      unmount(lab, disk);
    }
  }

  private static void unmount(Lab lab, LabDisk disk) throws IOException {
    for (var each : lab.nodes()) {
      inside(each, "umount", disk.place().toString());
    }
  }

  /// A role of the jig `ansible` on each node, on the storage that another role has mounted.
  private static void playSite(Run run, Path storage) throws IOException {
    if (!Files.isExecutable(ANSIBLE)) {
      run.note("no ansible-playbook here");
      return;
    }
    var lab = run.lab();
    var on = admin(run);
    for (var node : lab.nodes()) {
      var playbook = node.dir().resolve("etc/pacemaker/roles/site/playbook.yml");
      Files.createDirectories(playbook.getParent());
      Files.writeString(playbook, PLAYBOOK.formatted(storage));
    }
    var file = lab.dir().resolve("site.xml");
    Files.writeString(file, SITE);
    var request = new ArrayList<>(List.of("--define=" + file));
    lab.nodes().forEach(it -> request.add("--bind=site@" + it.name()));
    request.add("--commit");
    Lab.succeed(on, "crm_role", request.toArray(String[]::new));
    awaitState(run, "played", lab.nodes(), "site", "active");
    for (var node : lab.nodes()) {
      var data = data(on, "site@" + node.name());
      LabFailure.unless(data.contains("\"written\":\"hello there\""), "its wall is " + data);
      inside(node, "grep", "-q", "hello", storage.resolve("greeting").toString());
    }
    var away = new ArrayList<String>();
    lab.nodes().forEach(it -> away.add("--unbind=site@" + it.name()));
    away.addAll(List.of("--commit", "--remove-role=site"));
    Lab.succeed(on, "crm_role", away.toArray(String[]::new));
  }

  private static String shipped() {
    return Files.isExecutable(CHRONYD) ? SHIPPED : SHIPPED.replace("clock,", "");
  }

  private static void mended(Run run) throws IOException {
    var lab = run.lab();
    var node = lab.otherThan(run.dc());
    var step = node.dir().resolve("etc/pacemaker/roles/broken/10-step");
    Files.createDirectories(step.getParent());
    write(step, "echo the licence is missing >&2; exit 3");
    run.fault(
        () -> {
          Lab.expect(0, admin(run), "crm_role", "--define", roleFile(run, "broken", "script", "{}"));
          Lab.succeed(admin(run), "crm_role", "--bind", "broken@" + node.name(), "--commit");
        });
    awaitState(run, "error", List.of(node), "broken", "error");
    var why = Lab.succeed(admin(run), "crm_role", "--waits").output();
    LabFailure.unless(why.contains("the licence is missing"), "crm_role says only: " + why);
    write(step, "echo '{\"broken\":{\"mended\":true}}'");
    Lab.succeed(admin(run), "crm_role", "--retry", "broken@" + node.name());
    awaitState(run, "mended", List.of(node), "broken", "active");
    var data = Lab.succeed(admin(run), "crm_role", "--data", "broken@" + node.name()).output();
    LabFailure.unless(data.contains("\"mended\":true"), "its wall is " + data);
    run.nothingHappened();
    end(run, "broken@" + node.name());
  }

  private static void unmounted(Run run) throws IOException {
    try (var disk = new LabDisk(run.lab())) {
      unmounted(run, disk);
    }
  }

  private static void unmounted(Run run, LabDisk disk) throws IOException {
    var lab = run.lab();
    settle(run, disk);
    Lab.succeed(admin(run), "crm_role", "--shipped=storage");
    awaitState(run, "mounted", lab.nodes(), "storage", "active");
    var loaded = admin(run).configure(RULE);
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output());
    var node = lab.node(lab.await("first runs", it -> it.activeOn("first").size() == 1).activeOn("first").getFirst());
    run.fault(() -> inside(node, "umount", disk.place().toString()));
    awaitState(run, "detection", List.of(node), "storage", "error");
    run.await(
        "recovery",
        "first elsewhere",
        () -> Health.runsOnOneOf(lab, "first", Run.names(run.others(node))));
    var why = Lab.succeed(admin(run), "crm_role", "--waits").output();
    LabFailure.unless(why.contains("its check failed: " + disk.place() + " is not mounted"), why);
    Lab.succeed(admin(run), "crm_role", "--retry", "storage@" + node.name());
    awaitState(run, "mended", List.of(node), "storage", "active");
    Lab.succeed(admin(run), "cibadmin", "-D", "--xpath", "//rsc_location[@id='first-on-storage']");
    end(run, "");
    unmount(lab, disk);
  }

  private static void dcDies(Run run) throws IOException {
    var lab = run.lab();
    var dc = run.victim(true);
    var node = lab.otherThan(dc.name());
    var other = run.others(dc).getFirst();
    var role = role(run, "dc");
    var begun = slow(run, node, role, 20);
    run.mustFence(dc);
    run.fault(dc::kill);
    run.awaitRecovery(run.others(dc));
    run.await(
        "done", other, "the role is done", it -> state(it, node, role).equals("active"));
    once(other, role + "@" + node.name(), begun);
    dc.start();
    Health.await(lab);
    end(run, role + "@" + node.name());
  }

  private static void nodeDies(Run run) throws IOException {
    var lab = run.lab();
    var node = run.victim(false);
    var other = run.others(node).getFirst();
    var role = role(run, "node");
    var begun = slow(run, node, role, 60);
    run.mustFence(node);
    run.fault(node::kill);
    run.awaitRecovery(run.others(node));
    run.await("asked", "a question for a person", () -> waits(other, "It may run only once"));
    node.start();
    Health.await(lab);
    LabFailure.unless(waits(other, "It may run only once"), "the question is gone");
    once(other, role + "@" + node.name(), begun);
    Lab.succeed(other, "crm_role", "--accept", role + "@" + node.name());
    run.await(
        "accepted", other, "accepted", it -> state(it, node, role).equals("active"));
    end(run, role + "@" + node.name());
  }

  /// What runs once on a node does not run there again, whoever defines a role of that name anew: each
  /// round has one of its own.
  private static String role(Run run, String whose) {
    return "slow-%s-%d".formatted(whose, run.number());
  }

  /// A destructive role that is under way on a node.
  ///
  /// @return what its data say of it, with the number of its run
  private static String slow(Run run, LocalNode node, String role, int seconds)
      throws IOException {
    var admin = admin(run);
    Lab.succeed(
        admin,
        "crm_role",
        "--define",
        roleFile(run, role, "test", "{\"test\":{\"seconds\":%d}}".formatted(seconds)));
    Lab.succeed(admin, "crm_role", "--bind", role + "@" + node.name(), "--commit");
    awaitState(run, "begun", List.of(node), role, "transition");
    return data(admin, role + "@" + node.name());
  }

  private static String data(LocalNode on, String noderole) throws IOException {
    return Lab.succeed(on, "crm_role", "--data", noderole).output();
  }

  private static boolean waits(LocalNode on, String text) {
    try {
      return on.run("crm_role", "--waits").output().contains(text);
    } catch (IOException _) {
      return false; // the next look tells
    }
  }

  /// A run has a number of its own, so the same number is the same run.
  private static void once(LocalNode on, String noderole, String begun) throws IOException {
    var now = data(on, noderole);
    LabFailure.unless(begun.equals(now), "what runs once has run again: " + begun + now);
  }

  private static String roleFile(Run run, String id, String jig, String data) throws IOException {
    var file = run.lab().dir().resolve(id + ".xml");
    var flags = jig.equals("test") ? " destructive=\"true\"" : "";
    Files.writeString(
        file,
        "<role-package id=\"lab\"><role id=\"%s\" jig=\"%s\"%s><data>%s</data></role></role-package>"
            .formatted(id, jig, flags, data));
    return file.toString();
  }

  private static void write(Path step, String text) throws IOException {
    Files.writeString(step, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(step, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// Runs a program where the node's agents run: in its executor's name space of mounts.
  private static void inside(LocalNode node, String... command) throws IOException {
    var pid = Long.toString(LabProcesses.only(node, "execd").pid());
    var line = new ArrayList<>(List.of("nsenter", "-m", "-t", pid));
    line.addAll(List.of(command));
    Clocks.run(line);
  }

  /// Takes all roles away again.
  ///
  /// @param noderole one that is bound; empty for none but those shipped
  private static void end(Run run, String noderole) throws IOException {
    var on = run.lab().nodes().getFirst();
    if (noderole.isEmpty()) {
      Lab.succeed(on, "crm_role", "--shipped=off", "--gate=off");
    } else {
      var role = noderole.substring(0, noderole.indexOf('@'));
      Lab.succeed(on, "crm_role", "--unbind", noderole, "--commit", "--remove-role", role);
    }
    run.lab()
        .await(
            "no roles",
            it ->
                it.status().nodes().stream()
                    .allMatch(
                        node ->
                            new TreeMap<>(node.attributes())
                                .tailMap("#role-").keySet().stream()
                                    .noneMatch(name -> name.startsWith("#role-"))));
  }

  /// A chronyd in each node's network, which takes its own clock for the right one and changes
  /// nothing.
  private static final class Clocks implements AutoCloseable {
    private final List<Path> pids = new ArrayList<>();

    Clocks(Lab lab) throws IOException {
      if (!Files.isExecutable(CHRONYD)) {
        return;
      }
      for (var node : lab.nodes()) {
        var pid = node.dir().resolve("chronyd.pid");
        var configuration = node.dir().resolve("chrony.conf");
        Files.createDirectories(configuration.getParent());
        Files.writeString(
            configuration,
            """
            local stratum 8
            port 0
            cmdport 323
            bindcmdaddress 127.0.0.1
            bindcmdaddress %s
            pidfile %s
            """
                .formatted(node.dir().resolve("chronyd.sock"), pid));
        var line = new ArrayList<>(node.prefix());
        line.addAll(List.of(CHRONYD.toString(), "-x", "-u", "root", "-f", configuration.toString()));
        run(line);
        pids.add(pid);
      }
    }

    boolean areThere() {
      return !pids.isEmpty();
    }

    static void run(List<String> line) throws IOException {
      var process =
          new ProcessBuilder(line)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        LabFailure.unless(process.waitFor() == 0, String.join(" ", line) + " failed");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    @Override
    public void close() throws IOException {
      for (var pid : pids) {
        if (Files.exists(pid)) {
          ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
              .ifPresent(ProcessHandle::destroy);
        }
      }
    }
  }
}
