package org.systole.cts.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// House rules no off-the-shelf linter knows, over all sources. Each complaint says what to do
/// instead. What breaks a rule today is named in `exceptions.txt`; the list only gets shorter.
/// [TidyRulesTest] shows that each rule fires.
final class TidyTest {
  @Test
  void theSourcesKeepTheHouseRules() throws IOException {
    var sources = Project.sources();
    var problems = new ArrayList<Problem>();
    problems.addAll(Bans.check(sources));
    problems.addAll(Lengths.check(sources));
    problems.addAll(PackageCircles.check(sources));
    problems.addAll(Worlds.check(sources));
    problems.addAll(Vocabulary.check(sources));
    problems.addAll(TypedNames.check(sources));
    problems.addAll(XPathTexts.check(sources));
    problems.addAll(arrows(sources));
    problems.addAll(services());
    assertEquals("", String.join("\n", Exceptions.ofToday().judge(problems)));
  }

  private static List<Problem> arrows(List<SourceFile> sources) throws IOException {
    var root = Project.root();
    var documented =
        ModuleArrows.documented(Files.readString(root.resolve("docs/architecture.md")));
    var found = new ArrayList<>(ModuleArrows.check(sources, documented));
    for (var module : sources.stream().map(SourceFile::module).distinct().toList()) {
      if (documented.getOrDefault(module, Set.of()).contains("everything")) {
        continue; // it also needs what its programs run
      }
      var pom = Files.readString(root.resolve(module).resolve("pom.xml"));
      found.addAll(ModuleArrows.checkPom(module, pom, sources));
    }
    return found;
  }

  /// A service file is an arrow between modules that no import shows.
  private static List<Problem> services() throws IOException {
    return Project.files("src/main/resources/META-INF/services", "").stream()
        .filter(Files::isRegularFile)
        .map(it -> new Problem("service", it.getFileName().toString(), 1, it + ": say `new`"))
        .toList();
  }
}
