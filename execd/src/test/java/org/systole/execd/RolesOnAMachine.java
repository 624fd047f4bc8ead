package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonText;

/// A machine that is made up, on which the steps of the shipped roles are run by the jig's own program:
/// its programs are scripts, its files a tree of their own.
abstract class RolesOnAMachine {
  /// What the steps may take for granted.
  private static final List<String> TOOLS =
      List.of(
          "sh", "awk", "sed", "grep", "cut", "tr", "cat", "head", "tail", "sort", "mktemp", "rm",
          "mkdir", "mv", "cp", "date", "df", "readlink", "sleep", "dirname", "stat", "wc");

  /// What came of a run or check.
  record Done(int code, String answer, String errors) {}

  @TempDir Path directory;
  Path bin;
  Path root;
  final TreeMap<String, String> further = new TreeMap<>();

  @BeforeEach
  void makeTheMachineUp() throws IOException {
    bin = Files.createDirectory(directory.resolve("bin"));
    root = Files.createDirectory(directory.resolve("root"));
    for (var tool : TOOLS) {
      var found =
          List.of("/usr/bin", "/bin").stream()
              .map(it -> Path.of(it, tool))
              .filter(Files::isExecutable)
              .findFirst();
      assumeTrue(found.isPresent(), "this machine has no " + tool);
      Files.createSymbolicLink(bin.resolve(tool), found.get());
    }
  }

  static Path agents() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("agents/src/main/roles"))) {
      at = at.getParent();
    }
    assertNotNull(at, "the project is not found");
    return at.resolve("agents/src/main");
  }

  void program(String name, String text) throws IOException {
    var file = bin.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  void file(String name, String text) throws IOException {
    var file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  Done does(String action, String role, String settings) throws Exception {
    var given = "{\"" + role + "\":" + settings + "}";
    var program =
        new ProcessBuilder(
            agents().resolve("jig/steps").toString(),
            action,
            role,
            "/nowhere",
            agents().resolve("roles/" + role).toString());
    program.environment().clear();
    program.environment().put("PATH", bin.toString());
    program.environment().put("TMPDIR", directory.toString());
    program.environment().put("SYSTOLE_ROLE", role);
    program.environment().put("SYSTOLE_FUNCTIONS", agents().resolve("jig/functions").toString());
    program.environment().put("SYSTOLE_AGENTS", root.resolve("agents").toString());
    program.environment().put("SYSTOLE_STATE", directory.resolve("state").toString());
    program.environment().put("SYSTOLE_FAKE_ROOT", root.toString());
    program.environment().putAll(further);
    var out = directory.resolve("out");
    var errors = directory.resolve("errors");
    program.redirectOutput(out.toFile()).redirectError(errors.toFile());
    var process = program.start();
    try (var to = process.getOutputStream()) {
      to.write(
          (given + "\n" + RoleSettings.lines(given, role)).getBytes(StandardCharsets.UTF_8));
    }
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    var merged = Json.Obj.EMPTY;
    for (var part : Files.readString(out).split("\u001e", -1)) {
      if (!part.isBlank()) {
        merged = DeepMerge.merge(merged, JsonText.readObject(part));
      }
    }
    return new Done(process.exitValue(), merged.toString(), Files.readString(errors).strip());
  }

  void fine(String role, String settings, String answer) throws Exception {
    assertEquals(new Done(0, answer, ""), does("run", role, settings));
    var check = does("check", role, settings);
    assertEquals(0, check.code(), check.errors());
  }

  /// A run that fails says which step it was; a check does not.
  void wrong(String role, String settings, String... causes) throws Exception {
    assertEquals(new Done(1, "{}", String.join("\n", causes)), does("check", role, settings));
    var run = does("run", role, settings);
    assertEquals(1, run.code());
    assertTrue(run.errors().startsWith(String.join("\n", causes)), run.errors());
  }
}
