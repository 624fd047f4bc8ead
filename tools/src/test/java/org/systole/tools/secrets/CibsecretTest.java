package org.systole.tools.secrets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.tools.cli.Shell;

/// On one node whose cluster does not run, with a CIB in a file.
class CibsecretTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration>
          <crm_config/>
          <nodes><node id="1" uname="node1"/></nodes>
          <resources>
            <primitive id="a" class="ocf" provider="test" type="Said">
              <instance_attributes id="a-p"><nvpair id="a-p-word" name="word" value="hello"/></instance_attributes>
            </primitive>
          </resources>
          <constraints/>
        </configuration>
        <status/>
      </cib>
      """;

  @TempDir private Path root;
  private Shell shell = new Shell(Path.of("."));
  private Path file;

  @BeforeEach
  void aNode() throws IOException {
    var layout = new Layout(root, root);
    Files.createDirectories(layout.state());
    file = layout.state().resolve("lrm/secrets/a/word");
    Files.writeString(root.resolve("cib.xml"), CIB);
    shell =
        new Shell(root)
            .set(Layout.ROOT, root.toString())
            .set("CIB_file", root.resolve("cib.xml").toString());
  }

  private Shell.Result run(String... args) {
    return shell.run(new Cibsecret(), args);
  }

  private boolean cibHas(String text) throws IOException {
    return Files.readString(root.resolve("cib.xml")).contains(text);
  }

  private void refused(int code, String words, String... args) {
    var result = run(args);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(words), result.err());
  }

  @Test
  void aValueIsSetShownAndDeleted() throws IOException {
    var set = run("set", "a", "pass", "Secr3t");
    assertEquals(0, set.code(), set.err());
    assertTrue(set.err().contains("Could not get list of cluster nodes"), set.err());
    assertEquals("Secr3t\n", Files.readString(file.resolveSibling("pass")));
    assertTrue(cibHas("lrm://") && !cibHas("Secr3t"));
    assertEquals("Secr3t\n", run("get", "a", "pass").out());
    assertEquals(0, run("check", "a", "pass").code());

    assertEquals(0, run("delete", "a", "pass").code());
    assertFalse(Files.exists(file.getParent()));
    assertFalse(cibHas("lrm://"));
  }

  @Test
  void aValueIsReadFromStandardInput() throws IOException {
    var set = shell.run("Secr3t\n", new Cibsecret(), "set", "a", "pass");
    assertEquals(0, set.code(), set.err());
    assertEquals("Secr3t\n", Files.readString(file.resolveSibling("pass")));
  }

  @Test
  void aValueMovesOutOfTheCibAndBack() throws IOException {
    assertEquals(0, run("stash", "a", "word").code());
    assertTrue(cibHas("lrm://") && !cibHas("hello"));
    assertEquals("hello\n", Files.readString(file));
    refused(108, "Resource a parameter word already set as secret", "stash", "a", "word");

    assertEquals(0, run("unstash", "a", "word").code());
    assertTrue(cibHas("hello") && !cibHas("lrm://"));
    assertFalse(Files.exists(file));
    refused(105, "Nothing to unstash for resource a parameter word", "unstash", "a", "word");
    refused(105, "Nothing to stash for resource a parameter none", "stash", "a", "none");
  }

  @Test
  void whatIsWrongIsSaidWithItsOwnCode() throws IOException {
    refused(78, "not set as secret, nothing to check", "check", "a", "word");
    refused(78, "please delete it first", "set", "a", "word", "Secr3t");
    assertFalse(Files.exists(file));
    refused(105, "crm_resource ended with 105", "get", "nothing", "word");
    assertEquals(0, run("stash", "a", "word").code());
    Files.writeString(file, "changed\n");
    refused(104, "Checksum mismatch for resource a parameter word", "check", "a", "word");
    Files.delete(file.resolveSibling("word.sign"));
    refused(105, "No checksum for resource a parameter word", "get", "a", "word");
  }

  @Test
  void withoutTheCibOnlyTheFilesCount() throws IOException {
    assertEquals(0, run("-C", "set", "b", "pass", "x").code());
    assertEquals("x\n", run("-C", "get", "b", "pass").out());
    assertFalse(cibHas("lrm://"));
    refused(64, "No access to Pacemaker, stash not supported", "-C", "stash", "a", "word");
  }

  @Test
  void commandLinesThatCannotBeMeantAreRefused() {
    refused(64, "Must specify a command option");
    refused(64, "Invalid subcommand given; valid subcommands: check, delete, get", "show");
    refused(64, "Usage: get <resource-id> <resource-parameter>", "get", "a");
    refused(64, "Usage: sync", "sync", "all");
    for (var bad : List.of("../x", "a/b", ".x", "x.sign", "a\nb")) {
      refused(64, "cannot be secret", "get", "a", bad);
    }
    refused(64, "cannot have secrets", "-C", "set", "../../etc", "x", "y");
  }

  @Test
  void aValueIsNotRepeatedWhereverOptionsStand() {
    for (var args :
        List.of(
            List.of("set", "-C", "a", "p", "Secr3t", "--output-as=xml"),
            List.of("set", "a", "-C", "p", "Secr3t", "--output-as=xml"),
            List.of("-C", "set", "--output-as", "xml", "a", "p", "Secr3t"),
            List.of("-C", "--output-as=xml", "set", "a", "p", "--", "-Secr3t"))) {
      var result = run(args.toArray(String[]::new));
      assertTrue(result.out().contains("request=\"cibsecret"), result.out());
      assertFalse((result.out() + result.err()).contains("Secr3t"), result.out());
    }
  }

  @Test
  void noFormatRepeatsTheValue() {
    for (var format : List.of("xml", "json")) {
      var args = new ArrayList<>(List.of("--output-as=" + format, "set", "a", "p" + format));
      args.add("Secr3t");
      var result = run(args.toArray(String[]::new));
      assertEquals(0, result.code(), result.out());
      assertFalse((result.out() + result.err()).contains("Secr3t"), result.out());
    }
  }
}
