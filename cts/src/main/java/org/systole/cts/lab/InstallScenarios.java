package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// From three machines with nothing but Debian to the first resource, by the commands that stand in
/// `docs/getting-started.md`.
final class InstallScenarios {
  /// What their names begin with.
  static final String SCENARIOS = "install-";

  /// The sections that the scenarios follow, all together.
  static final Set<String> FOLLOWED =
      Set.of(
          "1. On every machine: what Systole needs",
          "2. Install",
          "By pcs or crmsh",
          "3. Name the nodes: corosync.conf",
          "4. The key",
          "5. Start",
          "6. Fencing first",
          "7. The first resource");

  private static final String INSTALLED = "installed";
  private static final String ANSWERS = "first resource";
  private static final double LIMIT_SECONDS = 300; // what the page may cost somebody
  private static final String PASSWORD = "a lab's secret\n";
  private static final String AGENTS = "1. On every machine: what Systole needs";
  private static final String INSTALL = "2. Install";
  private static final String TOOLS = "By pcs or crmsh";
  private static final String NODES = "3. Name the nodes: corosync.conf";
  private static final String KEY = "4. The key";
  private static final String START = "5. Start";
  private static final String FENCING = "6. Fencing first";
  private static final String RESOURCE = "7. The first resource";
  private static final String FIRST = Machines.NAMES.getFirst();
  private static final List<String> OTHERS = Machines.NAMES.subList(1, Machines.NAMES.size());
  private static final String FENCED = Machines.NAMES.getLast();

  private final Guide guide;
  private final Machines machines;
  private final Consumer<String> reached;

  /// @param reached is told how far it has come
  InstallScenarios(Guide guide, Machines machines, Consumer<String> reached) {
    this.guide = guide;
    this.machines = machines;
    this.reached = reached;
  }

  static List<Scenario> all() {
    return List.of(
        scenario("pcs", "by pcs", InstallScenarios::byPcs),
        scenario("hand", "by hand", InstallScenarios::byHand),
        scenario("crmsh", "by crmsh", InstallScenarios::byCrmsh));
  }

  private static Scenario scenario(String name, String how, Way way) {
    return new Scenario(
        SCENARIOS + name,
        "from Debian and our packages to the first resource, " + how,
        Shape.NONE,
        true,
        run -> {
          try (var machines = LabMachines.make(run.lab())) {
            run.fault(
                () -> way.follow(new InstallScenarios(machines.page(), machines, run::reached)));
            var took = run.between(INSTALLED, ANSWERS);
            LabFailure.unless(
                took < LIMIT_SECONDS,
                "the commands from the installation on took %.0f s".formatted(took));
            run.note("of that commands after the installation %.1f s".formatted(took));
          }
        });
  }

  /// One of the page's ways.
  interface Way {
    void follow(InstallScenarios follower) throws IOException;
  }

  void byPcs() throws IOException {
    install();
    each(guide.take(TOOLS, "apt-get install pcs"), "");
    reached.accept(INSTALLED);
    each(guide.take(TOOLS, "passwd hacluster"), PASSWORD + PASSWORD);
    on(FIRST, guide.take(TOOLS, "pcs host auth"), PASSWORD);
    on(FIRST, guide.take(TOOLS, "pcs cluster setup"), "");
    passwordOfTheBoards();
    on(FIRST, guide.take(TOOLS, "pcs stonith create"), "");
    fenced(guide.take(TOOLS, "pcs stonith fence"));
    on(FIRST, guide.take(TOOLS, "pcs resource create"), "");
    ends(guide.take(TOOLS, "pcs status"));
  }

  void byCrmsh() throws IOException {
    install();
    var oldest = DebianRoot.isOldest();
    ofRelease(oldest, guide.take(TOOLS, "apt-get install crmsh csync2"));
    ofRelease(!oldest, guide.take(TOOLS, "apt-get install crmsh cpio"));
    reached.accept(INSTALLED);
    for (var begins :
        List.of(
            "mkdir -p",
            "ln -s ../csync2.cfg",
            "ln -s ../csync2.key",
            "printf '#!/bin/sh\\nexec",
            "chmod 755 /usr/local/bin/scp",
            "crm cluster init -y -i")) {
      ofRelease(oldest, guide.take(TOOLS, begins));
    }
    for (var begins :
        List.of("ln -sf bash", "printf '#!/bin/sh\\ncase", "chmod 755 /usr/local/bin/dpkg-query", "crm cluster init -y -x")) {
      ofRelease(!oldest, guide.take(TOOLS, begins));
    }
    for (var begins : List.of("sed -i '1i", "sed -i 's", "corosync-cfgtool -R")) {
      var command = guide.take(TOOLS, begins);
      if (oldest) {
        on(FIRST, command, "");
      }
    }
    each(guide.take(TOOLS, "crm cluster join"), "");
    passwordOfTheBoards();
    on(FIRST, guide.take(TOOLS, "crm configure primitive ipmi-alpha"), "");
    on(FIRST, guide.take(TOOLS, "crm configure property"), "");
    on(FIRST, guide.take(TOOLS, "crm configure primitive address"), "");
    ends(guide.take(TOOLS, "crm status"));
  }

  /// What the page has one do on one release of Debian alone.
  private void ofRelease(boolean is, Guide.Command command) throws IOException {
    if (is) {
      each(command, "");
    }
  }

  void byHand() throws IOException {
    install();
    reached.accept(INSTALLED);
    var configuration = guide.take(NODES, "totem {").text() + "\n";
    for (var machine : Machines.NAMES) {
      machines.write(machine, "/etc/corosync/corosync.conf", configuration);
    }
    on(FIRST, guide.take(KEY, "dd "), "");
    on(FIRST, guide.take(KEY, "chmod "), "");
    on(FIRST, guide.take(KEY, "scp "), "");
    each(guide.take(START, "systemctl enable"), "");
    var status = guide.take(START, "crm_mon -1");
    allOnline(status);
    passwordOfTheBoards();
    on(FIRST, guide.take(FENCING, "cibadmin --create").also(OTHERS), "");
    fenced(guide.take(FENCING, "stonith_admin --reboot"));
    on(FIRST, guide.take(RESOURCE, "cibadmin --create"), "");
    on(FIRST, guide.take(RESOURCE, "crm_mon -1"), "");
    machines.await(
        "the address is located",
        () ->
            machines
                .run(FIRST, guide.take(RESOURCE, "crm_resource --locate").text(), "")
                .output()
                .contains("is running on: "));
    ends(status);
  }

  /// What the page has one install before. It is done once for all machines, on what they are
  /// copies of, as with machines made from an image.
  static Guide.Command onEveryMachine(Guide guide) {
    return guide.take(AGENTS, "apt-get install");
  }

  private void install() throws IOException {
    done("the desk", guide.take(INSTALL, "./systole deb").text(), machines.desk("ls packages/systole_*.deb"));
    for (var copy : guide.take(INSTALL, "scp packages/").forEach()) {
      done("the desk", copy, machines.desk(copy));
    }
    onEveryMachine(guide);
    var packages = guide.take(INSTALL, "apt-get install");
    AllAtOnce.to(
        Machines.NAMES, machine -> machine, machine -> on(machine, packages, ""));
  }

  private void passwordOfTheBoards() throws IOException {
    each(guide.take(FENCING, "install -m 700"), "");
    each(guide.take(FENCING, "printf "), "");
  }

  private void fenced(Guide.Command command) throws IOException {
    var before = machines.starts(FENCED);
    on(FIRST, command, "");
    LabFailure.unless(
        machines.starts(FENCED) == before + 1,
        "%s was started %d times, not once more than %d"
            .formatted(FENCED, machines.starts(FENCED), before));
  }

  private void allOnline(Guide.Command status) throws IOException {
    machines.await(
        "all are online",
        () ->
            machines
                .run(FIRST, status.text(), "")
                .output()
                .contains("Online: [ " + String.join(" ", Machines.NAMES) + " ]"));
  }

  /// The address answers, everyone is there, and nothing has failed on the way.
  private void ends(Guide.Command status) throws IOException {
    machines.await("the address answers", () -> machines.answers(Machines.SERVICE));
    reached.accept(ANSWERS);
    allOnline(status);
    var seen = machines.run(FIRST, status.text(), "").output();
    LabFailure.unless(!seen.contains("Failed"), "something has failed: " + seen);
  }

  private void each(Guide.Command command, String answers) throws IOException {
    LabFailure.unless(!command.where().isEmpty(), "the page does not say where: " + command.text());
    for (var machine : command.where()) {
      on(machine, command, answers);
    }
  }

  private void on(String machine, Guide.Command command, String answers) throws IOException {
    for (var text : command.forEach()) {
      done(machine, text, machines.run(machine, text, answers));
    }
  }

  private static void done(String where, String command, Machines.Outcome outcome) {
    LabFailure.unless(
        outcome.status() == 0,
        "%s: %s: status %d: %s"
            .formatted(where, command, outcome.status(), outcome.output().strip()));
  }
}
