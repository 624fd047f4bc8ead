package org.systole.cts.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Each house rule fires where it should, and only there.
final class TidyRulesTest {
  private static final Map<String, Set<String>> MAY =
      Map.of(
          "common", Set.of(),
          "controld", Set.of("common", "cibd.client"),
          "cibd", Set.of("common"),
          "tools", Set.of("common", "cibd", "controld", "scheduler"),
          "scheduler", Set.of("common"),
          "cts", Set.of("everything"));

  private static SourceFile file(String module, String packageName, String type, String code) {
    var path = module + "/src/main/java/" + packageName.replace('.', '/') + "/" + type + ".java";
    return SourceFile.of(path, "package " + packageName + ";\n" + code);
  }

  private static List<String> bans(String module, String packageName, String code) {
    var sample = file(module, packageName, "Sample", "class Sample { Object it = " + code + "; }");
    return Bans.check(List.of(sample)).stream().map(Problem::what).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.nanoTime()",
        "java.time.Instant.now()",
        "new Thread()",
        "Thread.ofVirtual()",
        "new Random(1)",
        "java.util.UUID.randomUUID()",
        "run(() -> System.exit(1))",
        "new ProcessBuilder()",
        "org.systole.common.real.FileLog.open()",
        "ZoneId.systemDefault()",
        "java.nio.file.Files.exists(path)",
        "Files.readString(path)",
        "ServiceLoader.load(Sample.class)",
        "kind.ordinal()",
      })
  void aCoreThatReachesPastItsWorldIsFound(String code) {
    assertEquals(1, bans("controld", "org.systole.controld", code).size());
    assertEquals(1, bans("pacemakerd", "org.systole.pacemakerd.link", code).size());
    assertEquals(1, bans("cibd", "org.systole.cibd.client", code).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.nanoTime()",
        "new Thread()",
        "ZoneId.systemDefault()",
        "Files.readString(path)",
        "kind.ordinal()",
      })
  void theRealWorldAndTheCommandsMay(String code) {
    assertEquals(List.of(), bans("common", "org.systole.common.real", code));
    assertEquals(List.of(), bans("tools", "org.systole.tools.cib", code));
  }

  @Test
  void whatStandsInACommentOrALiteralIsNoUse() {
    var sample =
        """
        /// Thread.sleep(1)
        class Sample { // System.nanoTime()
          /* new Random(1) */ String a = "System.exit(1) \\" ServiceLoader", b = \"""
              new Thread() "quoted"
              \""";
          char c = '"';
        }
        """;
    var file = file("cibd", "org.systole.cibd", "Sample", sample);
    assertEquals(List.of(), Bans.check(List.of(file)));
    assertEquals(sample.lines().count() + 2, file.lines().size());
  }

  @Test
  void aNoteThatSomethingIsWrongIsFoundInACommentToo() {
    var file = file("tools", "org.systole.tools", "Sample", "class Sample {} // FIXME later");
    assertEquals(List.of("undone"), Bans.check(List.of(file)).stream().map(Problem::rule).toList());
  }

  @Test
  void aFileThatIsTooLongIsFound() {
    var code = "class Sample {\n" + "  // more\n".repeat(Lengths.FILE_MAX - 3) + "}\n";
    assertEquals(List.of(), Lengths.check(List.of(file("cibd", "org.systole.cibd", "A", code))));
    var longer = file("cibd", "org.systole.cibd", "A", "// one more\n" + code);
    assertEquals(
        List.of("A 501"),
        Lengths.check(List.of(longer)).stream().map(it -> it.what() + " " + it.amount()).toList());
  }

  @Test
  void aMethodThatIsTooLongIsFound() {
    var body = "    run();\n".repeat(Lengths.METHOD_MAX - 3);
    var code = "class A { class B {\n  @Override\n  public void run() {\n" + body + "  }\n} }\n";
    assertEquals(List.of(), Lengths.check(List.of(file("cibd", "org.systole.cibd", "A", code))));
    var longer = code.replace("  }\n}", "    run();\n  }\n}");
    assertEquals(
        List.of("A.B.run"),
        Lengths.check(List.of(file("cibd", "org.systole.cibd", "A", longer))).stream()
            .map(Problem::what)
            .toList());
  }

  @Test
  void packagesThatUseEachOtherInACircleAreFound() {
    var a = file("cibd", "org.systole.a", "A", "import org.systole.b.B; class A {}");
    var b = file("cibd", "org.systole.b", "B", "class B { org.systole.c.C it; }");
    var c = file("cibd", "org.systole.c", "C", "import static org.systole.a.A.x; class C {}");
    var beside = file("cibd", "org.systole.d", "D", "import org.systole.a.A; class D {}");
    assertEquals(
        List.of("org.systole.a org.systole.b org.systole.c"),
        PackageCircles.check(List.of(a, b, c, beside)).stream().map(Problem::what).toList());

    var open = file("cibd", "org.systole.c", "C", "class C {}");
    assertEquals(List.of(), PackageCircles.check(List.of(a, b, open, beside)));
  }

  @Test
  void aModuleThatUsesWhatIsNotDocumentedIsFound() {
    assertEquals(List.of(), arrows("controld", "import org.systole.cibd.client.CibMessage;"));
    assertEquals(List.of(), arrows("controld", "import org.systole.controld.fsm.Table;"));
    assertEquals(List.of(), arrows("cts", "import org.systole.tools.launch.Main;"));
    assertEquals(1, arrows("cibd", "import org.systole.controld.client.CtlMessage;").size());
    assertEquals(1, arrows("common", "import org.systole.cibd.client.CibMessage;").size());
    assertEquals(1, arrows("controld", "import org.systole.tools.cli.Command;").size());
    assertEquals(1, arrows("unheard", "import org.systole.common.xml.Element;").size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "import org.systole.controld.Governor;",
        "import org.systole.controld.fsm.Table;",
        "import org.systole.controld.*;",
        "import static org.systole.controld.fsm.Table.ROWS;",
        "class A { Object it = org.systole.controld.Governor.of(); }",
      })
  void aModuleThatReachesInsideADaemonIsFound(String code) {
    assertEquals(1, arrows("tools", code).size());
    assertEquals(1, arrows("cts", code).size());
    assertEquals(List.of(), arrows("controld", code));
  }

  @Test
  void theWayInAndTheClientOfADaemonAreForOthers() {
    assertEquals(List.of(), arrows("tools", "import org.systole.controld.ControllerDaemon;"));
    assertEquals(List.of(), arrows("tools", "import org.systole.controld.client.CtlMessage;"));
    var elsewhere = file("tools", "org.systole.controld", "A", "class A {}");
    assertEquals(1, ModuleArrows.check(List.of(elsewhere), MAY).size());
    var library = file("schedulerd", "org.systole.scheduler.model", "A", "class A {}");
    assertEquals(List.of(), ModuleArrows.check(List.of(library), MAY));
  }

  private static List<String> arrows(String module, String code) {
    var sample = file(module, "org.systole." + module, "Sample", code);
    return ModuleArrows.check(List.of(sample), MAY).stream().map(Problem::text).toList();
  }

  @Test
  void theTableOfModulesIsRead() {
    var page =
        """
        # Architecture

        ## Modules

        | module | content | may use |
        |---|---|---|
        | `common` | `World` | nothing |
        | `fenced`, `execd` | two of `cts` | `common`, `cibd.client` |

        ## Other

        | `part` | x | `y` |
        """;
    assertEquals(
        Map.of(
            "common", Set.of(),
            "fenced", Set.of("common", "cibd.client"),
            "execd", Set.of("common", "cibd.client")),
        ModuleArrows.documented(page));
  }

  @Test
  void aPomThatNamesOtherModulesThanTheSourcesUseIsFound() {
    var used = file("common", "org.systole.common.xml", "Element", "class Element {}");
    var user = file("cibd", "org.systole.cibd", "A", "import org.systole.common.xml.Element;");
    var sources = List.of(used, user);
    var common = "<dependency><artifactId>systole-common</artifactId></dependency>";
    var more = "<dependency><artifactId>systole-attrd</artifactId></dependency>";
    var test = more.replace("</dependency>", "<scope>test</scope></dependency>");
    assertEquals(List.of(), ModuleArrows.checkPom("cibd", common + test, sources));
    assertEquals(1, ModuleArrows.checkPom("cibd", common + more, sources).size());
    assertEquals(1, ModuleArrows.checkPom("cibd", "", sources).size());
  }

  @Test
  void aDaemonWithTwoWaysInIsFound() {
    var code =
        """
        public final class CibDaemon implements Runnable {
          public static void start() {}
          static void help() {}
          @Override public void run() {}
        }
        """;
    assertEquals(List.of(), worlds("cibd", "org.systole.cibd", "CibDaemon", code));
    var second = code.replace("static void help", "public static void startOnHost");
    assertEquals(1, worlds("cibd", "org.systole.cibd", "CibDaemon", second).size());
    var none = code.replace("public static void start", "static void start");
    assertEquals(1, worlds("cibd", "org.systole.cibd", "CibDaemon", none).size());
  }

  @Test
  void aWorldThatMayForgetSomethingIsFound() {
    var world = "org.systole.common.world";
    var silent = "public interface Channels { default void silent(int peer) {} }";
    assertEquals(1, worlds("common", world, "Channels", silent).size());
    var helper = "public interface Log { default void error(String it) { write(it); } }";
    assertEquals(List.of(), worlds("common", world, "Log", helper));
    var answer = "public interface World { default int groups() { return 0; } }";
    assertEquals(1, worlds("common", world, "World", answer).size());
  }

  private static List<Problem> worlds(String module, String in, String type, String code) {
    return Worlds.check(List.of(file(module, in, type, code)));
  }

  @Test
  void anExceptionHoldsForWhatItNamesAndNoMore() {
    var exceptions = Exceptions.of("# why\nfile A 600\nuse B x.y\n");
    var a = new Problem("file", "A", 600, "A is long");
    var b = new Problem("use", "B x.y", 1, "B uses");
    assertEquals(List.of(), exceptions.judge(List.of(a, b, b)));
    assertEquals(
        List.of("C uses"),
        exceptions.judge(List.of(a, b, new Problem("use", "C x.y", 1, "C uses"))));
  }

  @Test
  void anExceptionOnlyGetsSmallerAndVanishes() {
    var exceptions = Exceptions.of("file A 600\n");
    for (var lines : List.of(601, 500)) {
      var now = List.of(new Problem("file", "A", lines, "A is long"));
      assertEquals(1, exceptions.judge(now).size(), lines + " lines");
    }
    var gone = exceptions.judge(List.of());
    assertTrue(gone.getFirst().contains("strike 'file A'"), gone.toString());
  }

  private static List<String> words(String packageName, String code) {
    var sample =
        file("controld", packageName, "Sample", "class Sample { Object it = " + code + "; }");
    return Vocabulary.check(List.of(sample)).stream().map(Problem::what).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"monitor\"",
        "ask(\"migrate_to\")",
        "it.equals(\"start\")",
        "Set.of(\"reboot\", \"off\")",
        "result.rc() == 0",
        "rc != 7",
        "none = 193",
      })
  void aTaskOrCodeInWordsOfItsOwnIsFound(String code) {
    assertEquals(1, words("org.systole.controld", code).size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Task.MONITOR",
        "\"<op name='monitor'/>\"",
        "\"monitoring\"",
        "OcfCode.OK.is(rc)",
        "count == 0",
      })
  void theSharedWordsMayBeUsed(String code) {
    assertEquals(List.of(), words("org.systole.controld", code));
  }

  @Test
  void whatTheSchedulersOptionsCallStopIsNoTask() {
    assertEquals(List.of(), words("org.systole.scheduler.unpack", "policy.equals(\"stop\")"));
    assertEquals(1, words("org.systole.controld", "policy.equals(\"stop\")").size());
  }

  private static List<String> xpaths(String type, String code) {
    var sample = "class " + type + " {\n  Object it = " + code + ";\n}";
    return XPathTexts.check(List.of(file("controld", "org.systole.controld", type, sample))).stream()
        .filter(it -> it.text().contains(".java"))
        .map(Problem::what)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"//node_state[@id='%s']/lrm\".formatted(id)",
        "\"//node_state[@uname='\" + name + \"']\"",
        "\"//node[@uname = \\\"\" + name + \"\\\"]\"",
        "path.append(\"[@id='\").append(id)",
        "\"//primitive[@id='web-\" + number + \"']\"",
        "\"//*[starts-with(@id,'%2$s')]\".formatted(1, id)",
        "\"id('\" + id + \"')\"",
        "\"//node[@uname=%s]\".formatted(name)",
        "\"//node[@uname=\" + name + \"]\"",
        "\"//node[@uname=\"\n  + name + \"]\"",
      })
  void aNameThatIsPutIntoAnXPathAsItIsIsFound(String code) {
    assertEquals(List.of("Sample"), xpaths("Sample", code));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"//node[@uname=%s]\".formatted(CibXPath.literal(name))",
        "\"//node[@uname=\" + CibXPath.literal(name) + \"]\"",
        "\"//nvpair[@name='stonith-enabled']\"",
        "\"//nvpair[@name='a' or @name='b']/@value\"",
        "\"interval=%d id=%s\".formatted(interval, id)",
        "1;\n  // @id='%s'\n  Object other",
      })
  void aLiteralInAnXPathIsWhatItShouldBe(String code) {
    assertEquals(List.of(), xpaths("Sample", code));
  }

  @Test
  void whatIsNoXPathIsLeftAlone() {
    assertEquals(List.of(), xpaths("CibPatch", "\"[@id='\" + id"));
    assertEquals(XPathTexts.PATHS.size(), XPathTexts.check(List.of()).size());
  }

  private static List<String> names(String module, String type, String code) {
    var sample = file(module, "org.systole." + module, type, "class " + type + " { " + code + " }");
    return TypedNames.check(List.of(sample)).stream()
        .filter(it -> it.text().contains(".java"))
        .map(Problem::what)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "private final String node;",
        "void ask(@Nullable String target, int times) {}",
        "record Asked(ResourceId resource, String nodeName) {}",
        "void forget(String resource) {}",
        "private final String peer;",
        "void left(String member) {}",
        "record Place(String nodeId, int index) {}",
        "String peerId = first();",
        "Map<String, Integer> nodes = new TreeMap<>();",
        "Map<String, Map<String, List<Integer>>> byNode;",
        "void all(Map<String, Element> resourceById) {}",
        "void all() { var jobsOfPeer = new HashMap<String, Integer>(); }",
      })
  void aNameThatIsATextIsFound(String code) {
    assertEquals(1, names("controld", "Sample", code).size());
    assertEquals(1, names("common", "Sample", code).size());
    assertEquals(1, names("schedulerd", "Sample", code).size());
    assertEquals(1, names("tools", "Sample", code).size());
  }

  @Test
  void namesAreTextsWhereTheRuleSaysWhy() {
    var code = "void ask(String node) {}";
    assertEquals(List.of(), names("tools", "Crmadmin", code));
    assertEquals(List.of(), names("cts", "Sample", code));
    assertEquals(List.of(), names("fenced", "Sample", "Map<NodeName, Map<String, X>> ofNodes;"));
    assertEquals(List.of(), names("controld", "Sample", "Map<String, String> parameters;"));
    assertEquals(List.of(), names("controld", "CtlMessage", code));
    assertEquals(List.of(), names("controld", "Sample", "NodeName node; String nodesText;"));
    assertEquals(List.of(), names("controld", "Sample", "int it; // a String node"));
  }

  @Test
  void aReasonThatIsNoLongerNeededIsToBeStruck() {
    var without = TypedNames.check(List.of());
    assertEquals(TypedNames.TEXTS.size(), without.size());
    assertTrue(TypedNames.TEXTS.values().stream().noneMatch(String::isBlank));
  }
}
