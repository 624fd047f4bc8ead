package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// Three machines with systemd, Debian and nothing else, in namespaces on this machine, each with a
/// management board. The script `rack` keeps them; what it has made ends with it.
final class LabMachines implements Machines, AutoCloseable {
  private static final Duration COMMAND = Duration.ofMinutes(5);
  private static final Duration BUILD = Duration.ofMinutes(20);
  private static final String DESK = "desk";
  private static final String PACKAGE = "systole_*.deb";

  private final Lab lab;
  private final Path directory;
  private final Guide page;
  private final Map<String, String> environment = new TreeMap<>();
  private final Process rack;
  private final String first;

  private LabMachines(Lab lab, Guide page, Path packages, Path root) throws IOException {
    this.lab = lab;
    this.directory = lab.dir().resolve("rack");
    this.page = page;
    var script = directory.resolve("rack");
    Files.createDirectories(directory);
    LabHome.install("rack", script);
    cable();
    environment.put("RACK", directory.toString());
    environment.put("RACK_ROOT", root.toString());
    environment.put("RACK_PACKAGES", packages.toString());
    environment.put("RACK_SWITCH", lab.network().bridge());
    var builder =
        new ProcessBuilder(
                "unshare", "-m", "-p", "-f", "--kill-child", "--propagation", "private",
                "bash", script.toString(), "serve")
            .redirectError(directory.resolve("rack.log").toFile());
    builder.environment().putAll(environment);
    this.rack = builder.start();
    var said = rack.inputReader().readLine();
    LabFailure.unless(
        "ready".equals(said),
        "no machine can be made here: " + Files.readString(directory.resolve("rack.log")).strip());
    this.first =
        Long.toString(rack.children().findFirst().orElseThrow(() -> new LabFailure("no rack")).pid());
  }

  /// Why there can be none here, empty if there can.
  static String obstacle() {
    for (var it : List.of("unshare", "nsenter", "flock", "dpkg-deb")) {
      if (!Files.isExecutable(Path.of("/usr/bin", it))) {
        return it + " is not on this machine";
      }
    }
    try {
      var tried =
          LabCommands.run(
              List.of("unshare", "-m", "--propagation", "private", "sh", "-c",
                  "mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/v /mnt/g"
                      + " && mount -t overlay overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w /mnt/v"
                      + " && mount -t cgroup2 cgroup2 /mnt/g && mkdir /mnt/g/systole-try && rmdir /mnt/g/systole-try"),
              "",
              COMMAND);
      return tried.status() == 0
          ? DebianRoot.obstacle()
          : "no overlay or no control groups: " + tried.output().strip();
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /// Machines that are up, with the packages on the desk.
  static LabMachines make(Lab lab) throws IOException {
    var page = Guide.read(lab.distribution().resolve("share/doc/systole/docs/getting-started.md"));
    var packages = packages(lab.distribution());
    var root =
        DebianRoot.make(
            lab.dir(), packages, InstallScenarios.onEveryMachine(page).text(), page.installed());
    var made = new LabMachines(lab, page, packages, root);
    try {
      made.start();
      return made;
    } catch (IOException | RuntimeException | AssertionError e) {
      made.close();
      throw e;
    }
  }

  /// What `./systole deb` makes of the distribution, little compressed; `SYSTOLE_PACKAGES` names a
  /// directory with others.
  private static Path packages(Path distribution) throws IOException {
    var named = System.getenv("SYSTOLE_PACKAGES");
    if (named != null) {
      return Path.of(named).toAbsolutePath();
    }
    var target = distribution.resolveSibling("lab-packages");
    var built = Files.getLastModifiedTime(distribution.resolve("lib/built"));
    for (var it : found(target)) {
      if (Files.getLastModifiedTime(it).compareTo(built) > 0) {
        return target;
      }
    }
    LabHome.remove(target);
    var builder = distribution.resolve("../../src/main/deb/build").normalize();
    var outcome =
        LabCommands.run(
            List.of("env", "SYSTOLE_DEB_FAST=yes", builder.toString(), distribution.toString(), target.toString()),
            "",
            BUILD);
    LabFailure.unless(
        outcome.status() == 0 && !found(target).isEmpty(),
        "there are no packages: " + LabCommands.end(outcome.output()));
    return target;
  }

  private static List<Path> found(Path target) throws IOException {
    if (!Files.isDirectory(target)) {
      return List.of();
    }
    var all = new ArrayList<Path>();
    try (var entries = Files.newDirectoryStream(target, PACKAGE)) {
      entries.forEach(all::add);
    }
    return all;
  }

  /// Before there is a rack, which does not see namespaces that come later.
  private void cable() throws IOException {
    lab.network().addBridgeAddress("192.0.2.1/24");
    for (var machine : NAMES) {
      var id = NAMES.indexOf(machine) + 1;
      lab.network().add(id);
      lab.network().addBridgeAddress(Machines.board(machine) + "/32");
      var its = Files.createDirectories(directory.resolve(machine));
      Files.writeString(its.resolve("net"), lab.network().namespace(id) + "\n");
      Files.writeString(its.resolve("address"), Machines.address(machine) + "\n");
    }
  }

  private void start() throws IOException {
    good(rack(COMMAND, "", DESK, "apt-get install openipmi"));
    for (var machine : NAMES) {
      good(rack(COMMAND, "", "on", machine));
      good(rack(COMMAND, "", "board", machine, Machines.board(machine)));
    }
    for (var machine : NAMES) {
      await(machine + " is up", () -> isUp(machine));
    }
  }

  private boolean isUp(String machine) throws IOException {
    var looks = "systemctl is-active --quiet multi-user.target ssh";
    return rack(COMMAND, "", "run", machine, looks).status() == 0;
  }

  private static void good(Outcome outcome) {
    LabFailure.unless(outcome.status() == 0, "the rack: " + LabCommands.end(outcome.output()));
  }

  /// Runs the script where the machines are.
  private Outcome rack(Duration limit, String input, String... words) throws IOException {
    var line = new ArrayList<>(List.of("nsenter", "-t", first, "-m", "-p", "env"));
    environment.forEach((name, value) -> line.add(name + "=" + value));
    line.addAll(List.of("bash", directory.resolve("rack").toString()));
    line.addAll(List.of(words));
    return LabCommands.run(line, input, limit);
  }

  /// The page that is followed.
  Guide page() {
    return page;
  }

  @Override
  public Outcome run(String machine, String command, String answers) throws IOException {
    return told(machine, command, () -> rack(COMMAND, answers, "run", machine, command));
  }

  @Override
  public Outcome desk(String command) throws IOException {
    return told("the desk", command, () -> rack(COMMAND, "", DESK, command));
  }

  private interface Command {
    Outcome run() throws IOException;
  }

  /// All that is done is written down, with its time.
  private Outcome told(String where, String text, Command command) throws IOException {
    var begin = System.nanoTime();
    var outcome = command.run();
    var line =
        String.format(
            Locale.ROOT,
            "%s: %s%n%s%n= %d, %.1f s%n%n",
            where,
            text,
            outcome.output().strip(),
            outcome.status(),
            (System.nanoTime() - begin) / 1e9);
    Files.writeString(
        lab.dir().resolve("commands.log"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    return outcome;
  }

  @Override
  public void write(String machine, String file, String text) throws IOException {
    good(rack(COMMAND, text, "run", machine, "cat >" + file));
  }

  @Override
  public boolean answers(String address) throws IOException {
    return rack(COMMAND, "", DESK, "ping -c 1 -W 1 " + address).status() == 0;
  }

  /// Its board writes down what it is told.
  @Override
  public int starts(String machine) throws IOException {
    var buttons = directory.resolve(machine).resolve("buttons");
    if (!Files.exists(buttons)) {
      return 1;
    }
    var pressed = Files.readAllLines(buttons, StandardCharsets.UTF_8);
    return 1
        + (int)
            pressed.stream()
                .filter(it -> it.contains(" set power 1") || it.contains(" set reset 1"))
                .count();
  }

  @Override
  public void await(String what, Look wanted) throws IOException {
    var wrong = new ArrayList<IOException>();
    Lab.awaitProcess(
        what,
        () -> {
          try {
            return wanted.now();
          } catch (IOException e) {
            wrong.add(e);
            return true;
          }
        });
    if (!wrong.isEmpty()) {
      throw wrong.getFirst();
    }
  }

  /// Keeps the machines' logs, for they go with the machines; the lab removes them after a good run.
  @Override
  public void close() throws IOException {
    try {
      for (var machine : NAMES) {
        var its = Files.createDirectories(directory.resolve(machine));
        var logs = rack(COMMAND, "", "run", machine, "cat /var/log/pacemaker/pacemaker.log; journalctl -b --no-pager");
        Files.writeString(its.resolve("log"), logs.output());
      }
    } finally {
      rack.getOutputStream().close(); // it ends with its input
      try {
        if (!rack.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS)) {
          rack.destroyForcibly();
        }
      } catch (InterruptedException e) {
        rack.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
