package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.Shell;

final class CrmRoleTest {
  private static final String STORY =
      """
      <role-simulation>
        <roles-document version="1" domain="example.com">
          <jigs><jig id="test"/></jigs>
          <roles>
            <role id="net" jig="test"><data>{"mtu":1500}</data></role>
            <role id="app" jig="test"><requires role="net"/></role>
          </roles>
          <nodes><node name="n1.example.com" alive="true"/></nodes>
        </roles-document>
        <steps>
          <propose/>
          <bind role="net" node="n1.example.com"/>
          <bind role="app" node="n1.example.com"/>
          <commit/>
          <answer role="app" as="error">no licence</answer>
          <anneal/>
          <propose/>
          <set role="net" node="n1.example.com">{"mtu":9000}</set>
        </steps>
      </role-simulation>
      """;

  @TempDir private Path directory;
  private Shell shell;

  @BeforeEach
  void write() throws IOException {
    shell = new Shell(directory);
    Files.writeString(directory.resolve("story.xml"), STORY);
  }

  private Shell.Result run(String... args) {
    return shell.run(new CrmRole(), args);
  }

  @Test
  void aStoryIsToldStepByStep() {
    var result = run("--simulate=story.xml");

    assertEquals("", result.err());
    assertEquals(0, result.code());
    assertTrue(
        result
            .out()
            .contains(
                """
                6. anneal
                   pass
                     run 1 of net@n1.example.com: active
                   pass
                     run 1 of app@n1.example.com: error: no licence
                   app@n1.example.com: blocked -> error: no licence
                   net@n1.example.com: todo -> active
                7. propose
                """),
        result.out());
  }

  @Test
  void viewsAreShownWithoutTheStepsIfAskedFor() {
    var result =
        run(
            "-S", "story.xml", "-q", "-g", "-w", "-G", "-a", "app@n1.example.com", "-d",
            "system/1,system/2");

    assertEquals(
        """
        Noderoles:
          app@n1.example.com error, on net@n1.example.com: no licence
          net@n1.example.com active

        Roles:
          system net on 1 node: 1 active
          system app on 1 node: 1 error
            n1.example.com: no licence

        Waiting:
          app@n1.example.com is in error: no licence

        Attributes:
          app@n1.example.com sees {"mtu":1500}
            /mtu from net@n1.example.com user

        Difference:
          from system/1 to system/2
            net@n1.example.com /mtu: 1500 -> 9000
        """,
        result.out());
  }

  @Test
  void everyFormatSaysTheSame() {
    var xml = run("-S", "story.xml", "-q", "-w", "--output-as=xml").out();
    assertTrue(
        xml.contains(
            "<chain noderole=\"app@n1.example.com\" text=\"app@n1.example.com is in error: no"
                + " licence\"/>"),
        xml);
    var json = run("-S", "story.xml", "-q", "-w", "--output-as=json").out();
    assertTrue(json.contains("\"text\": \"app@n1.example.com is in error: no licence\""), json);
    var dot = run("-S", "story.xml", "--output-as=dot").out();
    assertTrue(dot.startsWith("digraph roles {\n"), dot);
    assertTrue(dot.contains("\"net@n1.example.com\" -> \"app@n1.example.com\";"), dot);
    var svg = run("-S", "story.xml", "--output-as=svg").out();
    assertDoesNotThrow(() -> XmlReader.parse(svg));
    assertTrue(svg.startsWith("<svg "), svg);
    assertTrue(svg.contains("<title>no licence</title>"), svg);
    assertEquals(2, svg.split("class=\"role\"", -1).length - 1, "a box each");
    assertEquals(1, svg.split("<path ", -1).length - 1, "a line");
  }

  @Test
  void whatTakesOneValueIsNotGivenSeveral() {
    for (var option : List.of("--log", "--diff", "--gate", "--deployment")) {
      var result = run(option + "=a@n1", option, "b@n1");
      assertEquals(64, result.code(), option);
      assertEquals(
          "crm_role: " + option + " is given several times, and takes one value: the last would count alone\n", result.err());
    }
    assertEquals(64, run("-S", "story.xml", "--simulate=story.xml").code());
    assertEquals(0, run("-S", "story.xml", "-e", "-e", "--data=net@n1.example.com", "--data=net@n1.example.com").code());
  }

  @Test
  void whatAStoryEndsWithCanBeSavedAndToldOn() {
    assertEquals(0, run("-S", "story.xml", "-O", "saved.xml").code());
    var again = run("-S", "saved.xml", "-g");

    assertEquals(0, again.code());
    assertTrue(again.out().startsWith("1. anneal\n"), again.out());
    assertTrue(again.out().contains("error, on net@n1.example.com: no licence"), again.out());
  }

  @Test
  void aRefusedStepIsToldAndTheStatusSaysSo() throws IOException {
    Files.writeString(directory.resolve("story.xml"), STORY.replace("<commit/>", "<propose/>"));
    var result = run("-S", "story.xml", "-q");

    assertEquals(1, result.code());
    assertEquals("2 steps were refused\n", result.err());
  }

  @Test
  void aWrongFileIsRefusedWithEachFaultAndDoesNothing() throws IOException {
    Files.writeString(
        directory.resolve("story.xml"),
        STORY.replace("role=\"net\"/></role>", "role=\"nat\"/></role>").replace("domain=", "dom="));
    var wrong = run("-S", "story.xml", "-O", "saved.xml");

    assertEquals(78, wrong.code());
    assertEquals("", wrong.out());
    assertTrue(wrong.err().startsWith("line 2: <roles-document>: there is no attribute dom"));
    assertTrue(wrong.err().endsWith("crm_role: story.xml is refused: nothing was done\n"));
    assertTrue(Files.notExists(directory.resolve("saved.xml")));
  }

  @Test
  void whatCannotBeMeantIsAUsageError() {
    assertEquals(102, run().code(), "there is no cluster to ask");
    assertEquals(64, run("-S", "story.xml", "--commit").code());
    assertEquals(64, run("-S", "story.xml", "-a", "app").code());
    assertEquals(64, run("-S", "story.xml", "-d", "system/1").code());
    assertEquals(64, run("-S", "story.xml", "-d", "system/1,system/0").code());
    assertEquals(66, run("-S", "nowhere.xml").code());
  }

  @Test
  void eachNoderoleThatIsNamedIsShown() {
    String[] named = {
      "-S", "story.xml", "-q", "--data=net@n1.example.com", "--data=app@n1.example.com", "-a", "app@n1.example.com", "-a",
      "net@n1.example.com"
    };
    var text = run(named).out();
    for (var title : List.of("Data of net@", "Data of app@", "Attributes of app@", "Attributes of net@")) {
      assertTrue(text.contains(title + "n1.example.com:\n"), text);
    }
    var all = new ArrayList<>(List.of(named));
    all.add("--output-as=xml");
    var xml = run(all.toArray(String[]::new));
    assertEquals(0, xml.code(), xml.err());
    assertEquals(2, xml.out().split("<attributes ", -1).length - 1, xml.out());
  }

  private void isUsage(String what, String... args) {
    var result = run(args);
    assertEquals(64, result.code(), result.err());
    assertTrue(result.err().contains(what), result.err());
  }

  @Test
  void mistakesOfTheCommandLineAreToldWithWhatToDo() {
    isUsage("Unknown option --bnd (is --bind meant?): crm_role --help shows all", "--bnd", "disk@n1");
    isUsage("there is no output format 'yaml': it is one of text, xml", "--output-as=yaml");
    isUsage("'disk@n2' is not understood", "--retry", "disk@n1", "disk@n2");
    isUsage("--force goes with --delete-node, --archive, --gate and what changes roles", "--force", "--propose");
    assertTrue(run("-S", "story.xml", "--packages", "nowhere").err().contains("there is no directory"));
  }

  @Test
  void allFaultsOfAStoryAreToldAtOnceEachWithItsLine() throws IOException {
    Files.writeString(
        directory.resolve("wrong.xml"),
        """
        <role-simulation>
          <roles-document version="1" domain="example.com">
            <roles>
              <role id="net" jig="tset"/>
            </roles>
          </roles-document>
          <steps>
            <bind role="n et" node="n1.example.com"/>
            <show what="attributes"/>
            <set role="net">{x</set>
            <show what="difference" from="1"/>
          </steps>
        </role-simulation>
        """);
    assertEquals(
        """
        line 4: role net names the jig tset, which there is not
        line 8: <bind> has role="n et", which can be none
        line 9: <show what="attributes"> needs the attribute role
        line 10: set: <set>: no JSON: Unexpected character ('x' (code 120)) (line 1)
        line 11: <show what="difference"> needs the attribute to
        crm_role: wrong.xml is refused: nothing was done
        """,
        run("-S", "wrong.xml").err());
    Files.writeString(directory.resolve("broken.xml"), "<role-simulation>\n<steps>\n</role-simulation>");
    assertTrue(run("-S", "broken.xml").err().startsWith("crm_role: broken.xml is no XML: line 3: "), run("-S", "broken.xml").err());
  }

  @Test
  void rolesComeFromPackagesAndASiteMayChangeThem() throws IOException {
    Files.createDirectories(directory.resolve("shipped"));
    Files.createDirectories(directory.resolve("site"));
    Files.writeString(
        directory.resolve("shipped/time.xml"),
        """
        <role-package id="time">
          <defaults jig="script"><data>{"limit":1,"tries":3}</data></defaults>
          <role id="clock" description="time in step" implicit="true"><provides name="time"/></role>
          <role id="zone" jig="noop"/>
        </role-package>
        """);
    Files.writeString(
        directory.resolve("site/time.xml"),
        """
        <role-package id="time">
          <defaults jig="test"/>
          <role id="clock"><data>{"limit":5}</data></role>
        </role-package>
        """);
    Files.writeString(
        directory.resolve("story.xml"),
        """
        <role-simulation>
          <roles-document version="1" domain="example.com">
            <jigs><jig id="test"/></jigs>
            <nodes><node name="n1.example.com" alive="true"/></nodes>
          </roles-document>
          <steps>
            <propose/>
            <bind role="clock" node="n1.example.com"/>
            <commit/>
            <anneal/>
            <show what="document"/>
          </steps>
        </role-simulation>
        """);
    var result = run("-S", "story.xml", "--packages=shipped", "--site-packages=site");

    assertEquals("", result.err());
    assertTrue(
        result
            .out()
            .contains(
                """
                     <roles>
                       <role id="clock" jig="test" description="time in step" implicit="true">
                         <provides name="time"/>
                         <data>{"limit":5,"tries":3}</data>
                       </role>
                       <role id="zone" jig="noop">
                         <data>{"limit":1,"tries":3}</data>
                       </role>
                     </roles>
                """),
        result.out());
    assertTrue(result.out().contains("run 1 of clock@n1.example.com: active"), result.out());
    Files.writeString(directory.resolve("site/bad.xml"), "<role-package/>");
    var refused = run("-S", "story.xml", "--packages=shipped", "--site-packages=site");
    assertEquals(78, refused.code());
    assertTrue(refused.err().contains("bad.xml: line 1: <role-package>: lacks"), refused.err());
  }

  /// The page's story is told as the page says.
  @Test
  void theStoryInTheManualIsToldAsItSays() throws IOException {
    var page = Files.readString(Path.of("..", "docs", "roles.md"));
    var story = page.substring(page.indexOf("```xml\n") + 7, page.indexOf("```\n\n    $ "));
    var begin = page.indexOf("    $ crm_role --simulate story.xml\n");
    var shown =
        page.substring(page.indexOf('\n', begin) + 1, page.indexOf("\n\n", begin) + 1)
            .replaceAll("(?m)^    ", "");
    Files.writeString(directory.resolve("story.xml"), story);

    assertEquals(shown, run("--simulate", "story.xml").out());
  }
}
