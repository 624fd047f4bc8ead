package org.systole.cts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// House rules no off-the-shelf linter knows. Each says what to do instead.
final class TidyTest {
  private record Ban(Pattern pattern, List<String> allowedIn, String instead) {}

  /// Where the real world and the commands are: they may look at clocks and start threads.
  private static final List<String> OUTSIDE =
      List.of(
          "/org/systole/common/real/",
          "/common/wire/BlockingClient.java",
          "/cibd/client/FileCib.java",
          "/cts/sim/SimMain.java",
          "/cts/sim/SimSeeds.java", // seeds side by side, each with a loop of its own
          "/org/systole/pacemakerd/jgroups/", // the transport: threads and sockets are JGroups' way
          "/org/systole/cts/bench/",
          "/org/systole/cts/demo/",
          "/org/systole/cts/local/",
          "/org/systole/cts/lab/",
          "/org/systole/tools/");

  private static final List<Ban> BANS =
      List.of(
          ban("System\\.(nanoTime|currentTimeMillis)\\(", OUTSIDE, "ask the World for the time"),
          ban("Instant\\.now\\(", OUTSIDE, "ask the World for the time"),
          ban("Thread\\.sleep\\(", OUTSIDE, "World.after"),
          ban(
              "new Thread\\(|Thread\\.of|Executors\\.|parallelStream",
              OUTSIDE,
              "one loop, no threads"),
          ban(
              "new Random\\(|Math\\.random\\(|ThreadLocalRandom|UUID\\.randomUUID",
              OUTSIDE,
              "World.random"),
          ban("System\\.exit\\(|\\.halt\\(", OUTSIDE, "World.exit, or return an exit status"),
          ban("new ProcessBuilder|Runtime\\.getRuntime\\(\\)\\.exec", OUTSIDE, "World.processes"),
          ban("\\bFIXME\\b", List.of(), "fix it, or open an issue and name it in a TODO"));

  private static Ban ban(String pattern, List<String> allowedIn, String instead) {
    return new Ban(Pattern.compile(pattern), allowedIn, instead);
  }

  /// What the packages under each root may use of the others, beside themselves and common.
  /// `X.client` means only that package. The scheduler's library has a root of its own beside its
  /// daemon's.
  private static final Map<String, Set<String>> MAY_USE =
      Map.of(
          "common", Set.of(),
          "cibd", Set.of(),
          "scheduler", Set.of(),
          "schedulerd", Set.of("scheduler"),
          "fenced", Set.of("cibd.client", "scheduler"),
          "execd", Set.of("fenced.client"),
          "attrd", Set.of("cibd.client"),
          "controld",
              Set.of(
                  "cibd.client",
                  "fenced.client",
                  "schedulerd.client",
                  "scheduler.graph",
                  "execd.client",
                  "attrd.client"),
          "pacemakerd", // it asks each daemon whether it lives
              Set.of(
                  "cibd.client",
                  "fenced.client",
                  "schedulerd.client",
                  "execd.client",
                  "attrd.client",
                  "controld.client"));

  private static final Pattern USE = Pattern.compile("\\borg\\.systole\\.([a-z]+)(\\.[a-z]+)?");

  @Test
  void sourcesKeepTheHouseRules() throws IOException {
    var found = new ArrayList<String>();
    for (var file : sources()) {
      var lines = Files.readAllLines(file);
      for (var at = 0; at < lines.size(); at++) {
        for (var ban : BANS) {
          var path = file.toString();
          if (ban.allowedIn().stream().noneMatch(path::contains)
              && ban.pattern().matcher(withoutComment(lines.get(at))).find()) {
            found.add("%s:%d: %s".formatted(path, at + 1, ban.instead()));
          }
        }
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void modulesUseOnlyWhatOthersOffer() throws IOException {
    var found = new ArrayList<String>();
    for (var file : sources()) {
      var root = root(file);
      var allowed = MAY_USE.get(root);
      if (allowed == null) {
        continue; // tools and cts put everything together
      }
      for (var line : Files.readAllLines(file)) {
        var use = USE.matcher(withoutComment(line));
        while (use.find()) {
          var other = use.group(1);
          var part = use.group(2) == null ? other : other + use.group(2);
          var ok =
              other.equals(root)
                  || other.equals("common")
                  || allowed.contains(other)
                  || allowed.contains(part);
          if (!ok) {
            found.add(file + ": " + root + " may not use " + part);
          }
        }
      }
    }
    assertEquals("", String.join("\n", found));
  }

  /// The daemons whose inside is their own: of these, other modules use the way in (`XDaemon`) and
  /// the package `client`. Inside its module a daemon may have any packages.
  private static final Pattern INSIDE =
      Pattern.compile(
          "\\borg\\.systole\\.(cibd|fenced|execd|attrd|controld|pacemakerd|schedulerd)\\b(?:\\.(\\w+))?");

  private static final Pattern OFFERED = Pattern.compile("client|[A-Z]\\w*Daemon");

  @Test
  void otherModulesUseOnlyDaemonsAndTheirClients() throws IOException {
    var found = new ArrayList<String>();
    for (var file : sources()) {
      var module = project().relativize(file).getName(0).toString();
      for (var line : Files.readAllLines(file)) {
        reachesInside(module, line).ifPresent(it -> found.add(file + ": " + it));
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void aModuleThatReachesInsideADaemonIsFound() {
    assertTrue(reachesInside("tools", "import org.systole.controld.Governor;").isPresent());
    assertTrue(reachesInside("cts", "import org.systole.controld.fsm.Table;").isPresent());
    assertTrue(reachesInside("fenced", "var x = org.systole.cibd.Primary.of();").isPresent());
    assertTrue(reachesInside("tools", "package org.systole.attrd;").isPresent());
    assertTrue(reachesInside("tools", "import org.systole.cibd.*;").isPresent());

    assertTrue(reachesInside("tools", "import org.systole.controld.ControllerDaemon;").isEmpty());
    assertTrue(reachesInside("cts", "import org.systole.cibd.client.CibMessage;").isEmpty());
    assertTrue(reachesInside("controld", "import org.systole.controld.fsm.Table;").isEmpty());
    assertTrue(reachesInside("cts", "import org.systole.scheduler.model.Node;").isEmpty());
    assertTrue(reachesInside("tools", "import org.systole.schedulerd.SavedInputs;").isPresent());
  }

  /// What the line of the module uses of another daemon's inside, if it does.
  private static Optional<String> reachesInside(String module, String line) {
    var uses = INSIDE.matcher(withoutComment(line)).results();
    return uses.filter(it -> !it.group(1).equals(module))
        .filter(it -> it.group(2) == null || !OFFERED.matcher(it.group(2)).matches())
        .map(it -> module + " reaches inside " + it.group(1) + ": use its client package")
        .findFirst();
  }

  /// The package below `org.systole` a source is in.
  private static String root(Path file) {
    for (var at = 0; at < file.getNameCount() - 2; at++) {
      if (file.getName(at).toString().equals("systole")
          && file.getName(at - 1).toString().equals("org")) {
        return file.getName(at + 1).toString();
      }
    }
    throw new AssertionError(file + " is in no package of the project");
  }

  private static String withoutComment(String line) {
    var at = line.indexOf("//");
    return at < 0 ? line : line.substring(0, at);
  }

  private static Path project() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.exists(at.resolve("schedulerd/pom.xml"))) {
      at = at.getParent();
    }
    if (at == null) {
      throw new IllegalStateException("not inside the project");
    }
    return at;
  }

  private static List<Path> sources() throws IOException {
    var found = new ArrayList<Path>();
    try (var modules = Files.list(project())) {
      for (var module : modules.sorted().toList()) {
        var root = module.resolve("src/main/java");
        if (Files.isDirectory(root)) {
          try (var files = Files.walk(root)) {
            files.filter(it -> it.toString().endsWith(".java")).sorted().forEach(found::add);
          }
        }
      }
    }
    return found;
  }
}
