package org.systole.cts.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The pages for developers name what is there.
final class DocsTest {
  /// A class in backquotes, with or without a method behind it.
  private static final Pattern CLASS =
      Pattern.compile("`((?:[A-Z][a-z0-9]+){2,}|[A-Z][a-z]{7,})(?:\\.\\w+[^`]*)?`");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+\\.md)(?:#[^)]*)?\\)");

  /// Classes of the JDK.
  private static final Set<String> OTHERS =
      Set.of("HashMap", "Optional", "ServiceLoader", "ZoneId");

  @Test
  void everyClassNamedInTheDevelopersPagesIsThere() throws IOException {
    var there = types();
    var missing = new ArrayList<String>();
    for (var page : List.of("where.md", "developing.md", "architecture.md")) {
      for (var name : classesIn(Files.readString(docs().resolve(page)))) {
        if (!there.contains(name) && !OTHERS.contains(name)) {
          missing.add(page + ": " + name);
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyDaemonsPageNamesItsClasses() throws IOException {
    var there = types();
    var missing = new ArrayList<String>();
    try (var pages = Files.list(docs().resolve("daemons"))) {
      for (var page : pages.sorted().toList()) {
        var text = Files.readString(page);
        var head = text.substring(0, text.indexOf("\n## Inputs"));
        for (var name : classesIn(head)) {
          if (!there.contains(name) && !OTHERS.contains(name)) {
            missing.add(page.getFileName() + ": " + name);
          }
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyLinkLeadsToAPage() throws IOException {
    var broken = new ArrayList<String>();
    try (var pages = Files.walk(docs())) {
      for (var page :
          Stream.concat(pages, Stream.of(Project.root().resolve("README.md")))
              .filter(it -> it.toString().endsWith(".md"))
              .toList()) {
        LINK.matcher(Files.readString(page))
            .results()
            .map(it -> it.group(1))
            .filter(it -> !Files.exists(page.resolveSibling(it)))
            .forEach(it -> broken.add(page.getFileName() + ": " + it));
      }
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void aClassThatIsGoneIsFound() {
    var named = classesIn("the table `ClusterOptions`, `NoSuchClass.run(x)` and `crm_mon`, `NAME`");
    assertEquals(Set.of("ClusterOptions", "NoSuchClass"), named);
    assertFalse(named.contains("NAME"));
  }

  private static Set<String> classesIn(String text) {
    return CLASS
        .matcher(text)
        .results()
        .map(it -> it.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// The names of all top types of the project, and of what is nested in them.
  private static Set<String> types() throws IOException {
    var found = new TreeSet<String>();
    var declared = Pattern.compile("\\b(?:class|interface|record|enum) (\\w+)");
    for (var under : List.of("src/main/java", "src/test/java")) {
      for (var path : Project.files(under, ".java")) {
        var code = SourceFile.codeOf(Files.readString(path));
        declared.matcher(code).results().forEach(it -> found.add(it.group(1)));
      }
    }
    return found;
  }

  private static Path docs() {
    return Project.root().resolve("docs");
  }
}
