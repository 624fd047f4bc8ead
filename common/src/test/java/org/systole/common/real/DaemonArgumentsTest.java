package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.logging.DaemonLog;
import org.systole.common.world.CannotStart;

/// What a daemon is called with by hand, and what becomes of it.
class DaemonArgumentsTest {
  private static final DaemonMain.Single CIB = new DaemonMain.Single("cib", "another one", DaemonOption.CIB_MANAGER);

  @TempDir Path dir;

  private static DaemonArguments parse(List<DaemonOption> known, String... arguments) throws DaemonArguments.Misused {
    return DaemonArguments.parse(List.of(arguments), known);
  }

  private static String misuse(List<DaemonOption> known, String... arguments) {
    return assertThrows(DaemonArguments.Misused.class, () -> parse(known, arguments)).getMessage();
  }

  /// The status, and all that is printed.
  private static String answer(String... arguments) throws DaemonArguments.Misused {
    return answerOf("cibd", arguments);
  }

  private static String answerOf(String name, String... arguments) throws DaemonArguments.Misused {
    var printed = new ByteArrayOutputStream();
    var to = new PrintStream(printed, true, StandardCharsets.UTF_8);
    var answer = new DaemonAnswer(DaemonMain.called(name), CIB.options(), arguments, to, to);
    var status = answer.give(parse(CIB.options(), arguments), () -> "it\n");
    return status + " " + printed.toString(StandardCharsets.UTF_8);
  }

  private static Map<String, String> environment(Map<String, String> inherited, String... arguments)
      throws DaemonArguments.Misused {
    var known = List.of(DaemonOption.values());
    return DaemonMain.environment("cib", parse(known, arguments), inherited);
  }

  @Test
  void optionsAreTakenInEveryForm() throws DaemonArguments.Misused {
    for (var line : List.of("-s -l one --logfile two", "-sl one --logfile=two", "--stand-alone -lone -l two")) {
      var read = parse(DaemonOption.STANDING_ALONE, line.split(" "));
      assertTrue(read.has(DaemonOption.STAND_ALONE), line);
      assertEquals(List.of("one", "two"), read.values(DaemonOption.LOG_FILE), line);
      assertEquals(List.of(), read.words(), line);
    }
    assertEquals(List.of("metadata"), parse(DaemonOption.ALL, "metadata", "-V").words());
    assertEquals(List.of("-s"), parse(DaemonOption.ALL, "--", "-s").words());
    assertTrue(parse(DaemonOption.ALL, "-h").has(DaemonOption.HELP));
    assertTrue(parse(DaemonOption.ALL, "-$").has(DaemonOption.VERSION));
  }

  @Test
  void whatIsNotThereIsRefused() {
    assertEquals("unknown option '--stand-alone'", misuse(DaemonOption.ALL, "--stand-alone"));
    assertEquals("unknown option '-w'", misuse(DaemonOption.STANDING_ALONE, "-sw"));
    assertEquals("-l needs a value: FILE", misuse(DaemonOption.STANDING_ALONE, "-sl"));
    assertEquals("--logfile needs a value: FILE", misuse(DaemonOption.EXECUTOR, "--logfile"));
    assertEquals("--stand-alone takes no value", misuse(DaemonOption.CIB_MANAGER, "--stand-alone=yes"));
  }

  @Test
  void questionsAreAnswered() throws DaemonArguments.Misused {
    assertEquals("0 it\n", answer("metadata"));
    assertEquals("null ", answer("-s", "-r", "metadata"));
    assertEquals(answer("--help"), answer("--help-all"));
    var help = answer("--help");
    for (var option : CIB.options()) {
      assertTrue(help.contains(option.longName()), help);
      assertTrue(option.shortName() == null || help.contains(", " + option.shortName()), help);
    }
    assertFalse(help.contains(DaemonOption.LOG_FILE.longName()), help);
    assertTrue(answer("--version").startsWith("0 Pacemaker "));
    assertTrue(answer("version").startsWith("0 CRM Version: "));
  }

  @Test
  void answersComeInTheFormatAskedFor() throws Exception {
    var whole = answer("metadata", "--output-as=xml");
    assertTrue(whole.contains("request=\"pacemaker-based metadata --output-as=xml\""), whole);
    assertTrue(whole.contains("<metadata><![CDATA[it\n]]></metadata>"), whole);
    assertTrue(whole.contains("<status code=\"0\" message=\"OK\"/>"), whole);
    assertTrue(answer("--version", "--output-as", "xml").contains("<version program=\"Pacemaker\""));
    assertEquals("0 ", answer("metadata", "--output-as=none"));
    var file = dir.resolve("it.xml");
    assertEquals("0 ", answer("metadata", "--output-to=" + file));
    assertEquals("it\n", Files.readString(file));
    assertEquals(
        "1 pacemaker-based: Error creating output format yaml: Unknown output format\n",
        answer("metadata", "--output-as=yaml", "--output-to=" + file));
    assertEquals("it\n", Files.readString(file), "left alone");
    assertEquals(
        "1 pacemaker-based: Error creating output format text: cannot write to /nowhere/it\n",
        answer("metadata", "--output-to=/nowhere/it"));
    assertEquals(1, Integer.parseInt(answer("--output-as=yaml").split(" ")[0]), "nor is it started so");
  }

  /// A result with its error, as that of Pacemaker's scheduler; what a word is about is not guessed.
  @Test
  void furtherWordsAreRefusedInTheFormatAskedFor() throws DaemonArguments.Misused {
    var why = "pacemaker-based: unknown argument 'extra'; try pacemaker-based --help";
    assertEquals("64 " + why + "\n", answer("extra"));
    assertEquals("64 " + why + "\n", answer("metadata", "extra"));
    assertEquals("64 " + why + "\n", answer("--version", "extra", "--stand-alone"));
    var result = answer("metadata", "extra", "--output-as=xml");
    assertTrue(result.startsWith("64 <pacemaker-result "), result);
    assertTrue(result.contains("<status code=\"64\" message=\"Incorrect usage\">"), result);
    assertTrue(result.contains("<error>" + why + "</error>"), result);
    assertFalse(result.contains("<metadata>"), result);
  }

  @Test
  void theSchedulersStatusForAnUnknownFormatIsPacemakers() throws DaemonArguments.Misused {
    assertTrue(answerOf("schedulerd", "--version", "--output-as=yaml").startsWith("100 pacemaker-schedulerd: "));
  }

  /// What a node's environment says must not keep it out of its cluster.
  @Test
  void onlyTheCommandLineHasADaemonStandAlone() throws DaemonArguments.Misused {
    var inherited =
        Map.of(StandAlone.VARIABLE, "x", RealWorld.STATE, "/x", RealWorld.STATE_WRITES, "no", "PATH", "/bin");
    assertEquals(Map.of("PATH", "/bin"), environment(inherited));
    var alone = environment(Map.of(Layout.NODE, "alpha"), "-s");
    assertEquals("alpha", alone.get(StandAlone.VARIABLE));
    assertEquals("no", alone.get(RealWorld.STATE_WRITES));
    assertEquals("localhost", environment(Map.of(Layout.NODE, "a\nb"), "-s").get(StandAlone.VARIABLE));
    assertNull(environment(Map.of(), "-l", "one").get(StandAlone.VARIABLE));
    assertEquals("one\ntwo", environment(Map.of(), "-l", "one", "-l", "two").get(DaemonLog.MORE_FILES));
  }

  @Test
  void theDirectoryOfTheConfigurationHasToBeThere() throws DaemonArguments.Misused {
    var there = environment(Map.of(), "-s", "-w", "-r", dir.toString());
    assertEquals(dir.toString(), there.get(RealWorld.STATE));
    assertNull(there.get(RealWorld.STATE_WRITES));
    var nowhere = dir.resolve("nowhere").toString();
    var refused = assertThrows(CannotStart.class, () -> environment(Map.of(), "-r", nowhere));
    assertEquals("--cib-root '" + nowhere + "': there is no such directory", refused.getMessage());
    assertEquals(100, refused.status());
    assertThrows(CannotStart.class, () -> environment(Map.of(), "-r", ""), "not the one it happens to be started in");
  }

  /// Root's files a cluster's daemon, which is another user, could not read.
  @Test
  void whatIsAnotherUsersIsNotWrittenTo() throws Exception {
    var root = System.getProperty("user.name").equals("root");
    Assumptions.assumeTrue(root, "only root can make a directory another user's");
    var nobody = dir.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    Files.getFileAttributeView(dir, PosixFileAttributeView.class).setOwner(nobody);
    var refused = assertThrows(CannotStart.class, () -> environment(Map.of(), "-s", "-w", "-r", dir.toString()));
    assertEquals(
        "--disk-writes: %s is user nobody's: run this as that user, as by runuser -u nobody".formatted(dir),
        refused.getMessage());
    assertEquals("no", environment(Map.of(), "-s", "-r", dir.toString()).get(RealWorld.STATE_WRITES));
  }
}
