package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;
import org.systole.roles.data.JsonText;

/// Jigs on a node: each run once, one at a time, within limits.
final class JigsTest {
  private static final String STEPS =
      "/usr/share/systole/jig/steps run disk /etc/pacemaker/roles/disk /usr/share/systole/roles/disk";

  private final ExecutorUnderTest executor = new ExecutorUnderTest(new TestWorld());

  private static ExecMessage.RunJig script(int run) {
    return new ExecMessage.RunJig("disk@n1", run, "script", "disk", 20_000, "{\"a\":1}", null);
  }

  private static ExecMessage.RunJig test(int run, String test) {
    return new ExecMessage.RunJig(
        "t@n1", run, "test", "t", 20_000, "{\"test\":" + test + "}", null);
  }

  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client() {
    return executor.world.client(ExecMessage.SOCKET, ExecMessage.PROTOCOL, TestWorld.ROOT);
  }

  private TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> asks(
      ExecMessage.Request request) {
    var client = client();
    client.ask(request);
    return client;
  }

  private static ExecMessage.JigEnded end(
      TestClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client) {
    return (ExecMessage.JigEnded) client.answers().getLast();
  }

  @Test
  void theStepsOfARoleAreGivenItsAttributesAndTheirAnswersAreMerged() {
    var asker = asks(script(1));
    var steps = executor.runs(STEPS);
    assertEquals("{\"a\":1}\n", steps.program().input());
    assertEquals(List.of(), asker.answers());
    steps.exits(0, "{\"x\":{\"y\":1}}\u001e\u001e{\"x\":{\"z\":2}}\n\u001e");
    assertEquals(
        new ExecMessage.JigEnded(
            "disk@n1", 1, JigResult.OK, "{\"x\":{\"y\":1,\"z\":2}}", "{\"a\":1}"),
        end(asker));
  }

  @Test
  void aRunIsBegunOnceHoweverOftenItIsAskedFor() {
    var first = asks(script(1));
    var again = asks(script(1));
    var other = asks(new ExecMessage.AwaitJig("disk@n1", 1));
    executor.runs(STEPS).exits(0, "");
    for (var each : List.of(first, again, other, asks(script(1)))) {
      assertEquals(JigResult.OK, end(each).result());
    }
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void theSecretsOfARoleAreForItsJigAlone() {
    executor.world.secrets().put("role-disk", "login.0.password", "Secr\"t");
    var given = "{\"disk\":{\"login\":[{\"password\":\"lrm://\"}]},\"other\":{\"key\":\"lrm://\"}}";
    var asker = asks(new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, given, null));
    executor.world.settle();
    var steps = executor.runs(STEPS);
    assertEquals(
        given.replaceFirst("lrm://", "Secr\\\\\"t") + "\nlogin.0.password\tSecr\"t\n",
        steps.program().input(),
        "another role's is not its business");
    steps.exits(0, "{\"seen\":\"Secr\\\"t\"}\u001e");
    assertEquals(
        new ExecMessage.JigEnded("disk@n1", 1, JigResult.OK, "{\"seen\":\"lrm://\"}", given),
        end(asker));
    assertFalse(executor.world.lines().toString().contains("Secr"));
  }

  /// JSON has several ways to write a text, and a secret may look like a part of JSON.
  @Test
  void aSecretIsNotInTheAnswerHoweverItIsWritten() {
    var ways =
        List.of(
            List.of("p\u00e4ss/w", "{\"a\":\"p\\u00e4ss\\/w\",\"b\":[\"x p\\u00E4ss/w\"]}"),
            List.of("p\u00e4ss/w", "{\"a\":\"lrm://\",\"b\":[\"x lrm://\"]}"),
            List.of("1234", "{\"a\":1234,\"b\":{\"pin 1234\":\"41234\"},\"c\":7}"),
            List.of("1234", "{\"a\":\"lrm://\",\"b\":{\"pin lrm://\":\"4lrm://\"},\"c\":7}"));
    var given = "{\"disk\":{\"password\":\"lrm://\"}}";
    for (var at = 0; at < ways.size(); at += 2) {
      executor.world.secrets().put("role-disk", "password", ways.get(at).getFirst());
      var asker = asks(new ExecMessage.RunJig("disk@n1", at + 1, "script", "disk", 20_000, given, null));
      executor.world.settle();
      executor.runs(STEPS).exits(0, ways.get(at).getLast() + "\u001e");
      assertEquals(
          new ExecMessage.JigEnded(
              "disk@n1", at + 1, JigResult.OK, ways.get(at + 1).getLast(), given),
          end(asker));
    }
  }

  /// What stands for "ab" in other words would tell it.
  @Test
  void aSecretThatIsTooShortToBeKeptIsRefused() {
    executor.world.secrets().put("role-disk", "password", "abc");
    var given = "{\"disk\":{\"password\":\"lrm://\"}}";
    var asker = asks(new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, given, null));
    executor.world.settle();
    assertEquals(
        "the secret password has less than 4 characters: it could not be kept out of what is told",
        end(asker).text());
    assertEquals(List.of(), executor.world.programs().running());
  }

  /// What steps wrote that have succeeded is in the log, and is no cause.
  @Test
  void theCauseIsWhatTheStepWroteThatFailed() {
    var asker = asks(script(1));
    executor.runs(STEPS).exits(7, "", "\u001edoing it\n\u001eit is not there\nstep 20 ended with 7\n");
    assertEquals("it is not there\nstep 20 ended with 7", end(asker).text());
    var lines = executor.world.lines().toString();
    assertTrue(lines.contains("disk@n1: doing it"), lines);
    assertTrue(lines.contains("for disk@n1 (run 1): it is not there; step 20 ended with 7"), lines);
  }

  /// Cut first, a part of a secret would not be known any more.
  @Test
  void aSecretIsNotInAnErrorThatIsCut() {
    executor.world.secrets().put("role-disk", "password", "Secret of\n  two lines");
    var given = "{\"disk\":{\"password\":\"lrm://\"}}";
    var asker = asks(new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, given, null));
    executor.world.settle();
    executor
        .runs(STEPS)
        .exits(1, "", "y".repeat(495) + "Secret of\n  two lines, so it failed\nand it was Secret of\n  tw");
    var said = end(asker).text();
    assertFalse(said.contains("Secr"), said);
    assertFalse(said.contains("tw"), said);
    assertTrue(said.contains("and it was lrm://"), said);
    assertTrue(said.length() < 600, said);
  }

  /// A step that finds none of its settings would go by what it takes for granted.
  @Test
  void stepsDoNotRunWithoutTheSettingsThatAreTooLongToBeRead() {
    executor.world.secrets().put("role-disk", "password", "Secret");
    var given =
        "{\"disk\":{\"device\":\"/dev/sdb\",\"password\":\"lrm://\"},\"other\":\"%s\"}"
            .formatted("x".repeat(JsonText.LENGTH_MAX));
    var asker = asks(new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, given, null));
    var check = asks(new ExecMessage.CheckJig("disk@n1", 1, "script", "disk", 20_000, given));
    executor.world.settle();
    assertEquals(List.of(), executor.world.programs().running());
    assertEquals(JigResult.FAILED, end(asker).result());
    assertTrue(end(asker).text().startsWith("its attributes cannot be read: "), end(asker).text());
    assertEquals(JigResult.UNKNOWN, end(check).result(), "nothing was looked at");
  }

  @Test
  void anAnswerWithANumberThatIsNoneIsAFailure() {
    var asker = asks(script(1));
    executor.runs(STEPS).exits(0, "{\"a\":1e99999999999}\u001e");
    assertEquals(JigResult.FAILED, end(asker).result());
    assertTrue(end(asker).text().contains("was not understood"), end(asker).text());
  }

  @Test
  void aRoleWhoseSecretCannotBeHadIsInError() {
    var given = "{\"disk\":{\"password\":\"lrm://\"}}";
    var asker = asks(new ExecMessage.RunJig("disk@n1", 1, "script", "disk", 20_000, given, null));
    executor.world.settle();
    assertEquals(List.of(), executor.world.programs().running());
    assertEquals(
        "the secrets of role disk cannot be had: password; `cibsecret -C check role-disk NAME` on its node says why,"
            + " `cibsecret -C set role-disk NAME` sets one on all nodes",
        end(asker).text());
    assertTrue(executor.world.logged("The secret parameters of role-disk cannot be had"));
  }

  @Test
  void aRunThatIsNotKnownIsToldAtOnce() {
    assertEquals(JigResult.UNKNOWN, end(asks(new ExecMessage.AwaitJig("disk@n1", 1))).result());
    asks(script(2));
    executor.runs(STEPS).exits(0, "");
    assertEquals(JigResult.UNKNOWN, end(asks(script(1))).result(), "an earlier run comes too late");
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void failuresAndNonsenseAreToldInWords() {
    var nonsense = asks(script(1));
    executor.runs(STEPS).exits(0, "[1,\u001e");
    assertEquals(JigResult.FAILED, end(nonsense).result());
    assertTrue(end(nonsense).text().contains("was not understood"), end(nonsense).text());
    assertTrue(end(nonsense).text().endsWith("all else goes to standard error"), end(nonsense).text());
    var failed = asks(script(2));
    executor.runs(STEPS).exits(3, "");
    assertEquals("it ended with 3", end(failed).text());
    var unknown = asks(new ExecMessage.RunJig("a@n1", 1, "chef", "a", 1, "{}", null));
    assertEquals("this node knows no jig chef", end(unknown).text());
  }

  @Test
  void stepsAreNotLookedForOutsideTheDirectoriesOfRoles() {
    var asker = asks(new ExecMessage.RunJig("a@n1", 1, "script", "../../tmp/a", 1000, "{}", null));
    assertEquals("no role has that name", end(asker).text());
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void anAnswerThatIsTooLongIsAFailure() {
    var asker = asks(script(1));
    executor.runs(STEPS).exits(0, "{\"x\":\"" + "y".repeat(1 << 20) + "\"}");
    assertEquals("it answered more than 1,048,576 characters", end(asker).text());
  }

  private static ExecMessage.CheckJig check(String noderole, String jig, String given) {
    var role = noderole.substring(0, noderole.indexOf('@'));
    return new ExecMessage.CheckJig(noderole, 1, jig, role, 20_000, given);
  }

  @Test
  void checksAreMadeOneAtATimeBesideARunAndNothingIsKeptOfThem() {
    asks(test(1, "{\"seconds\":5}"));
    var first = asks(check("disk@n1", "script", "{\"disk\":{\"dir\":\"/srv\"}}"));
    var second = asks(check("disk@n1", "script", "{}"));
    var steps = executor.runs(STEPS.replace(" run ", " check "));
    assertEquals("{\"disk\":{\"dir\":\"/srv\"}}\ndir\t/srv\n", steps.program().input());
    steps.exits(0, "");
    assertEquals(new ExecMessage.JigEnded("disk@n1", 1, JigResult.OK, "", ""), end(first));
    assertEquals(List.of(), second.answers());
    executor.runs(STEPS.replace(" run ", " check ")).exits(1, "");
    assertEquals(
        new ExecMessage.JigEnded("disk@n1", 1, JigResult.FAILED, "it ended with 1", ""),
        end(second));
    assertEquals(JigResult.UNKNOWN, end(asks(new ExecMessage.AwaitJig("disk@n1", 1))).result());
  }

  @Test
  void aCheckThatHangsHoldsUpNoOtherForLong() {
    var hangs = asks(check("disk@n1", "script", "{}"));
    var other = asks(check("t@n1", "test", "{}"));
    executor.pass(2_000);
    assertEquals(List.of(), other.answers(), "they are made one after the other");
    executor.pass(2_000);
    assertEquals(JigResult.OK, end(other).result());
    assertEquals(List.of(), hangs.answers());
    var again = asks(check("disk@n1", "script", "{}"));
    executor.pass(4_000);
    assertEquals(1, executor.world.programs().running().size(), "one of a noderole");
    assertEquals(List.of(), again.answers());
  }

  @Test
  void aCheckThatNobodyWaitsForIsEnded() {
    var under = asks(check("disk@n1", "script", "{}"));
    var waiting = asks(check("t@n1", "test", "{}"));
    asks(new ExecMessage.CancelJig("t@n1", 1));
    asks(new ExecMessage.CancelJig("disk@n1", 2));
    assertEquals(JigResult.CANCELLED, end(waiting).result());
    assertEquals(List.of(), under.answers(), "of another run");
    asks(new ExecMessage.CancelJig("disk@n1", 1));
    executor.world.settle();
    assertEquals(JigResult.CANCELLED, end(under).result());
  }

  @Test
  void whatNobodyCanLookAtIsNotAFailure() {
    assertEquals(JigResult.UNKNOWN, end(asks(check("a@n1", "chef", "{}"))).result());
    assertEquals(List.of(), executor.world.programs().running());
  }

  @Test
  void theTestJigFindsWhatItIsTold() {
    var given = "{\"test\":{\"checks\":[\"\",\"gone\"]}}";
    asks(new ExecMessage.RunJig("t@n1", 1, "test", "t", 20_000, given, null));
    executor.pass(10);
    for (var expected : List.of("", "gone", "")) {
      var asker = asks(check("t@n1", "test", given));
      executor.pass(10);
      assertEquals(expected, end(asker).text());
    }
  }

  @Test
  void settingsAreLinesThatAShellCanRead() {
    assertEquals(
        "a.b.0\t1\na.b.1\ttrue\nc\tx\\ty\\\\z\\n\n",
        RoleSettings.lines(
            "{\"disk\":{\"a\":{\"b\":[1,true,null]},\"c\":\"x\\ty\\\\z\\n\"},\"net\":{\"d\":1}}",
            "disk"));
    assertEquals("", RoleSettings.lines("[", "disk"));
  }

  @Test
  void aRunCanBeCancelled() {
    var asker = asks(test(1, "{\"seconds\":5}"));
    asks(new ExecMessage.CancelJig("t@n1", 1));
    executor.world.settle();
    assertEquals("it was cancelled", end(asker).text());
  }

  @Test
  void theTestJigKeepsToItsTime() {
    var asker = asks(test(1, "{\"seconds\":60}"));
    executor.pass(19_000);
    assertEquals(List.of(), asker.answers());
    executor.pass(1_000);
    assertEquals("it did not end within 20 s", end(asker).text());
    var broken = asks(test(2, "{\"fail\":\"broken\"}"));
    executor.pass(1);
    assertEquals("broken", end(broken).text());
  }

  @Test
  void stepsAreDoneInTheirOrderUntilOneFails(@TempDir Path directory) throws Exception {
    var jig = project().resolve("agents/src/main/jig/steps");
    assumeTrue(Files.isExecutable(jig) && Files.isExecutable(Path.of("/bin/sh")), "there is no sh");
    var steps = Files.createDirectory(directory.resolve("disk"));
    step(steps, "10-first", "printf '{\"read\":%s}' \"$(cat)\"");
    step(steps, "20-second", "echo '{\"b\":2}'");
    Files.writeString(steps.resolve("30-not-executable"), "nonsense");
    var fine = run(jig, directory, "{\"a\":1}");
    assertEquals(0, fine.exitValue());
    assertEquals("{\"read\":{\"a\":1}}\u001e{\"b\":2}\n\u001e", output(fine.getInputStream()));
    step(steps, "15-bad", "echo there is no disk >&2; exit 4");
    var bad = run(jig, directory, "{}");
    assertEquals(4, bad.exitValue());
    assertEquals(
        "\u001e\u001ethere is no disk\nstep 15-bad of role disk ended with 4\n",
        output(bad.getErrorStream()));
    var none = run(jig, directory.resolve("nowhere"), "{}");
    assertEquals(5, none.exitValue());
    assertEquals(
        "there are no steps for role disk on this node: put them as executable files into %s\n"
            .formatted(directory.resolve("nowhere") + "/nothing"),
        output(none.getErrorStream()));
  }

  @Test
  void aCheckIsOneStepAndStepsFindTheirSettings(@TempDir Path directory) throws Exception {
    var jig = project().resolve("agents/src/main/jig/steps");
    assumeTrue(Files.isExecutable(jig) && Files.isExecutable(Path.of("/bin/sh")), "there is no sh");
    var steps = Files.createDirectory(directory.resolve("disk"));
    step(steps, "10-first", "echo nobody asked >&2; exit 1");
    var without = run(jig, "check", directory, "{}");
    assertEquals(5, without.exitValue());
    step(steps, "check", "cat; cat \"$SYSTOLE_SETTINGS\"; echo $SYSTOLE_ACTION");
    var fine = run(jig, "check", directory, "{\"a\":1}\ndir\t/srv\n");
    assertEquals(0, fine.exitValue());
    assertEquals("{\"a\":1}\ndir\t/srv\ncheck\n", output(fine.getInputStream()));
  }

  @Test
  void nothingOfWhatAStepIsGivenIsLeftWhenItIsKilled(@TempDir Path directory) throws Exception {
    var jig = project().resolve("agents/src/main/jig/steps");
    assumeTrue(Files.isExecutable(jig) && Files.isExecutable(Path.of("/bin/sh")), "there is no sh");
    var place = Files.createDirectory(directory.resolve("tmp"));
    var steps = Files.createDirectory(directory.resolve("disk"));
    step(steps, "check", "cat; echo; cat \"$SYSTOLE_SETTINGS\"; echo; exec sleep 60");
    var builder =
        new ProcessBuilder(jig.toString(), "check", "disk", directory.resolve("disk").toString());
    builder.environment().put("TMPDIR", place.toString());
    var process = builder.start();
    try (var to = process.outputWriter()) {
      to.write("{\"password\":\"s3cret\"}\npassword\ts3cret\n");
    }
    try (var from = process.inputReader()) {
      assertEquals("{\"password\":\"s3cret\"}", from.readLine());
      assertEquals("", from.readLine());
      assertEquals("password\ts3cret", from.readLine());
      try (var left = Files.list(place)) {
        assertEquals(List.of(), left.toList());
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  private static void step(Path directory, String name, String text) throws IOException {
    var file = directory.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private static String output(InputStream from) throws IOException {
    return new String(from.readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Process run(Path jig, Path directory, String given) throws Exception {
    return run(jig, "run", directory, given);
  }

  private static Process run(Path jig, String action, Path directory, String given)
      throws Exception {
    var process =
        new ProcessBuilder(
                jig.toString(),
                action,
                "disk",
                directory + "/nothing",
                directory.resolve("disk").toString())
            .start();
    try (var to = process.getOutputStream()) {
      to.write(given.getBytes(StandardCharsets.UTF_8));
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return process;
  }

  private static Path project() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("agents/src/main/jig"))) {
      at = at.getParent();
    }
    return Objects.requireNonNull(at, "the project is not found");
  }
}
