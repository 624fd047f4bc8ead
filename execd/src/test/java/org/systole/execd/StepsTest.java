package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program of the jig `script`: what is a step, what is an error, and what is left of secrets.
final class StepsTest {
  private record Done(int code, String output, String errors) {}

  @TempDir private Path directory;
  private Path site;
  private Path shipped;
  private Path done;
  private Path scratch;

  @BeforeEach
  void makeDirectories() throws IOException {
    site = Files.createDirectory(directory.resolve("site"));
    shipped = Files.createDirectory(directory.resolve("shipped"));
    scratch = Files.createDirectory(directory.resolve("scratch"));
    done = directory.resolve("done");
  }

  private static Path program() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("agents/src/main/jig"))) {
      at = at.getParent();
    }
    assertNotNull(at, "the project is not found");
    return at.resolve("agents/src/main/jig/steps");
  }

  private static void file(Path file, String mode, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  /// A step that notes that it was done.
  private void step(Path file) throws IOException {
    file(file, "rwx------", "#!/bin/sh\necho " + file.getFileName() + " >>" + done + "\n");
  }

  private List<String> steps() throws IOException {
    return Files.exists(done) ? Files.readAllLines(done) : List.of();
  }

  private Done does(String action) throws Exception {
    var out = directory.resolve("out");
    var errors = directory.resolve("errors");
    var builder =
        new ProcessBuilder(program().toString(), action, "db", site.toString(), shipped.toString())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile());
    builder.environment().put("TMPDIR", scratch.toString());
    var process = builder.start();
    try (var to = process.outputWriter(StandardCharsets.UTF_8)) {
      to.write("{\"db\":{\"password\":\"s3cret\"}}\npassword\ts3cret\n");
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
    return new Done(process.exitValue(), Files.readString(out), Files.readString(errors));
  }

  private void isRefused(String why) throws Exception {
    var run = does("run");
    assertEquals(5, run.code());
    assertTrue(run.errors().contains(why), run.errors());
    assertEquals(List.of(), steps());
  }

  @Test
  void aRunThatDoesNothingIsAnError() throws Exception {
    isRefused("there are no steps for role db on this node");
    file(site.resolve("data"), "rw-------", "no program\n");
    isRefused("there are no steps for role db in " + site);
  }

  @Test
  void anEmptyDirectoryOfTheSiteHidesNothing() throws Exception {
    step(shipped.resolve("10-shipped"));
    assertEquals(0, does("run").code());
    assertEquals(List.of("10-shipped"), steps());
    step(site.resolve("10-own"));
    assertEquals(0, does("run").code());
    assertEquals(List.of("10-shipped", "10-own"), steps());
  }

  @Test
  void aStepThatWouldNotBeDoneIsAnErrorBeforeAnyIs() throws Exception {
    step(site.resolve("10-first"));
    file(site.resolve("20-second"), "rw-------", "#!/bin/sh\n");
    isRefused("20-second is not executable");
    Files.delete(site.resolve("20-second"));
    step(site.resolve("20-second.sh"));
    isRefused("20-second.sh is no name of a step");
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private void isRefusedFor(Path path) throws Exception {
    isRefused(path + " can be written by others than root, but what is in it is done as root: chmod go-w " + path + "\n");
    var check = does("check");
    assertEquals(5, check.code());
    assertTrue(check.errors().contains("chmod go-w " + path), check.errors());
  }

  @Test
  void whatOthersThanRootCanChangeIsNotDoneAsRoot() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "who is not root may do it anyway");
    var step = site.resolve("check");
    step(step);
    mode(step, "rwxrwxrwx");
    isRefusedFor(step);
    mode(step, "rwxr-xr-x");
    mode(site, "rwxr-xrwx"); // a step could be put in
    isRefusedFor(site);
    mode(site, "rwxr-xr-x");
    mode(directory, "rwxrwxrwx"); // the whole directory could be put in
    isRefusedFor(directory);
    mode(directory, "rwxr-xr-x");

    var elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.move(step, elsewhere.resolve("program"));
    Files.createSymbolicLink(step, elsewhere.resolve("program"));
    mode(elsewhere, "rwxrwxrwx");
    isRefusedFor(elsewhere);
    mode(elsewhere, "rwxr-xr-x");

    Files.setAttribute(elsewhere.resolve("program"), "unix:uid", 65534);
    isRefused("program is not root's, but what is in it is done as root: chown root " + elsewhere.resolve("program"));
    Files.setAttribute(elsewhere.resolve("program"), "unix:uid", 0);
    mode(shipped, "rwxrwxrwx"); // not asked for what comes with the program
    assertEquals(0, does("run").code());
    assertEquals(List.of("check"), steps());
  }

  @Test
  void whatAnEditorOrAPackageLeftIsNoStep() throws Exception {
    for (var name : List.of("10-format", "10-format~", "10-format.dpkg-old", "10-format.rpmsave", "10-format.orig")) {
      step(site.resolve(name));
    }
    file(site.resolve("table.csv"), "rw-------", "1,2\n");
    assertEquals(0, does("run").code());
    assertEquals(List.of("10-format"), steps());
  }

  @Test
  void whatAStepWritesIsToldApart() throws Exception {
    file(site.resolve("10-first"), "rwx------", "#!/bin/sh\necho doing it >&2\necho '{}'\n");
    file(site.resolve("20-second"), "rwx------", "#!/bin/sh\necho it is not there >&2\nexit 7\n");
    var run = does("run");
    assertEquals(7, run.code());
    assertEquals("{}\n\u001e", run.output());
    assertEquals(
        "\u001edoing it\n\u001eit is not there\nstep 20-second of role db ended with 7\n", run.errors());
  }

  /// What it starts keeps what is open, for as long as it lives.
  @Test
  void aStepKeepsNoneOfTheSecretsOpen() throws Exception {
    file(
        site.resolve("check"),
        "rwx------",
        """
        #!/bin/sh
        exec </dev/null
        readlink /proc/$$/fd/* >%1$s
        cat "$SYSTOLE_SETTINGS" >>%1$s
        find %2$s -type f >>%1$s
        """
            .formatted(done, scratch));
    for (var action : List.of("run", "check")) {
      assertEquals(0, does(action).code());
      var seen = Files.readString(done);
      assertTrue(seen.contains("password\ts3cret"), seen);
      assertFalse(seen.contains(scratch.toString()), "open, or with a name: " + seen);
    }
  }

  /// Killed while it reads, it leaves nothing.
  @Test
  void nothingIsLeftOfWhatIsKilledWhileItReads() throws Exception {
    step(site.resolve("10-first"));
    var builder = new ProcessBuilder(program().toString(), "run", "db", site.toString());
    builder.environment().put("TMPDIR", scratch.toString());
    var process = builder.start();
    var to = process.outputWriter(StandardCharsets.UTF_8);
    to.write("{\"db\":{\"password\":\"s3cret\"}}\n");
    to.flush();
    var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!isReading(process) && System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    assertTrue(isReading(process), "it does not read");
    try (var left = Files.walk(scratch)) {
      assertEquals(List.of(), left.filter(Files::isRegularFile).toList());
    }
    process.destroyForcibly().waitFor();
    process.children().forEach(ProcessHandle::destroyForcibly);
    to.close();
  }

  private static boolean isReading(Process process) {
    return process.children().anyMatch(it -> it.info().command().orElse("").endsWith("cat"));
  }
}
