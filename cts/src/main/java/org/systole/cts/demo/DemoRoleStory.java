package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.systole.cts.demo.DemoSteps.Failed;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// A story of roles: from a cluster without any to a gate that keeps resources off a node whose disk
/// is missing, and to resources that leave a node which loses its own. The disk is a file.
final class DemoRoleStory {
  private static final String STEP =
      """
      #!/bin/sh
      # The disk of this demonstration is a file.
      if [ ! -e "$SYSTOLE_ROOT/disk" ]; then
        echo "the disk is not there: no file $SYSTOLE_ROOT/disk" >&2
        exit 1
      fi
      """;

  private static final String ROLE =
      """
      {"roles": [{"id": "disk", "jig": "script", "check-interval": "2s",
                  "description": "The disk is there"}]}
      """;

  private static final String RULE =
      """
      <configuration><constraints>
        <rsc_location id="database-on-disk" rsc="database">
          <rule id="database-on-disk-rule" score="-INFINITY">
            <expression id="database-bad-disk" attribute="#role-disk" operation="eq" value="error"/>
          </rule>
        </rsc_location>
      </constraints></configuration>
      """;

  private final LocalCluster cluster;
  private final ClusterView view;
  private final PrintStream out;
  private final DemoSteps steps;

  DemoRoleStory(LocalCluster cluster, PrintStream out) {
    this.cluster = cluster;
    this.view = new ClusterView(cluster.nodes());
    this.out = out;
    this.steps = new DemoSteps(cluster, view, out);
  }

  /// @param toTheEnd whether the nodes are stopped at the end
  /// @return whether every step was seen to work
  boolean tell(boolean toTheEnd) throws IOException {
    return steps.tell(
        () -> {
          start();
          bind();
          gate();
          mend();
          lose();
          if (toTheEnd) {
            stop();
          }
        },
        "-1",
        "-r",
        "--include=roles");
  }

  private LocalNode admin() {
    return cluster.nodes().getFirst();
  }

  private static Path disk(LocalNode node) {
    return node.dir().resolve("disk");
  }

  private void start() throws IOException, Failed {
    steps.start(
        "three nodes started; node3 has no disk",
        () -> {
          for (var node : cluster.nodes()) {
            var step = node.dir().resolve("etc/pacemaker/roles/disk/check");
            Files.createDirectories(step.getParent());
            Files.writeString(step, STEP);
            Files.setPosixFilePermissions(step, PosixFilePermissions.fromString("rwxr-xr-x"));
            if (!node.name().equals("node3")) {
              Files.writeString(disk(node), "");
            }
            node.start();
          }
        },
        it -> it.dc() != null && it.online().size() == cluster.nodes().size());
  }

  private void bind() throws IOException, Failed {
    steps.step(
        "role disk defined: its steps are in /etc/pacemaker/roles/disk of each node",
        () -> {
          said("crm_role --define disk.json");
          DemoSteps.check(
              admin().runWithInput(ROLE, "crm_role", "--define", "-"), "define the role");
        },
        _ -> shows("crm_role --list", "node3 in system, alive"));
    steps.step(
        "bound and committed: active on node1 and node2, in error on node3",
        () -> run("crm_role --bind disk@node1 --bind disk@node2 --bind disk@node3 --commit"),
        it -> is(it, "node1", "active") && is(it, "node2", "active") && is(it, "node3", "error"));
    steps.step(
        "crm_role says why",
        () -> said("crm_role --waits"),
        _ -> shows("crm_role --waits", "disk@node3 is in error: the disk is not there"));
  }

  private void gate() throws IOException, Failed {
    steps.step(
        "the gate: nothing is placed on a node whose disk is not active",
        () -> {
          run("crm_attribute --name join-gate-roles --update disk");
          var text =
              DemoConfiguration.text("configuration.xml")
                  .replace("@DIRECTORY@", cluster.dir().toString());
          DemoSteps.check(admin().configure(text), "load the configuration");
        },
        it ->
            !it.isPending()
                && it.activeOn("database").size() == 1
                && it.activeOn("cache-clone").equals(List.of("node1", "node2")));
    steps.step(
        "node3 is a member and runs nothing; --explain says what is waited for",
        () -> said("crm_simulate -L --explain=database"),
        it ->
            it.online().contains("node3")
                && it.status().node("node3") != null
                && it.status().node("node3").running().isEmpty()
                && shows("crm_simulate -L --explain=database", "waits for role disk on node3 (error)"));
  }

  private void mend() throws IOException, Failed {
    steps.step(
        "node3 gets its disk: the next check finds it, and clones run there too",
        () -> {
          said("touch %s".formatted(disk(cluster.node("node3"))));
          Files.writeString(disk(cluster.node("node3")), "");
        },
        it ->
            is(it, "node3", "active")
                && it.activeOn("cache-clone").size() == cluster.nodes().size());
  }

  private void lose() throws IOException, Failed {
    DemoSteps.check(admin().configure(RULE), "add the rule");
    var before = view.now();
    if (before == null || before.activeOn("database").size() != 1) {
      throw new Failed("database does not run anywhere");
    }
    var node = cluster.node(before.activeOn("database").getFirst());
    steps.step(
        "%s loses its disk: the check finds it, and by its rule database leaves".formatted(node.name()),
        () -> {
          said("rm %s".formatted(disk(node)));
          Files.delete(disk(node));
        },
        it ->
            is(it, node.name(), "error")
                && !it.isPending()
                && it.activeOn("database").size() == 1
                && !it.activeOn("database").contains(node.name()));
    steps.step(
        "it has it again: no person is needed",
        () -> Files.writeString(disk(node), ""),
        it -> is(it, node.name(), "active"));
  }

  private void stop() throws IOException, Failed {
    var begin = System.nanoTime();
    var late = cluster.stop(DemoSteps.LIMIT);
    if (!late.isEmpty()) {
      throw new Failed("these nodes did not stop by themselves: " + late);
    }
    steps.report("all nodes stopped in good order", begin);
  }

  private static boolean is(ClusterView.Snapshot it, String node, String state) {
    var known = it.status().node(node);
    return known != null && state.equals(known.attributes().get("#role-disk"));
  }

  private boolean shows(String command, String text) {
    try {
      var words = List.of(command.split(" "));
      var outcome =
          admin().run(words.getFirst(), words.subList(1, words.size()).toArray(new String[0]));
      return outcome.output().contains(text);
    } catch (IOException e) {
      return false; // the next look tells
    }
  }

  private void run(String command) throws IOException, Failed {
    said(command);
    var words = List.of(command.split(" "));
    DemoSteps.check(
        admin().run(words.getFirst(), words.subList(1, words.size()).toArray(new String[0])),
        command);
  }

  private void said(String command) {
    out.println("          $ " + command);
  }
}
