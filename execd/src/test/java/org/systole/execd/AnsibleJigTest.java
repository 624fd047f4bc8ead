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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.roles.data.JsonText;

/// The program of the jig `ansible`, with the real ansible-playbook where it is installed.
final class AnsibleJigTest {
  private static final String PLAYBOOK =
      """
      - hosts: localhost
        gather_facts: false
        tasks:
          - name: look for what was given
            ansible.builtin.command: grep -rl s3[c]ret %1$s
            register: left
            changed_when: false
            failed_when: left.rc == 0
          - name: write it
            ansible.builtin.copy: {content: "{{ systole.disk.password }}", dest: %2$s, mode: "0600"}
            no_log: true
          - name: tell
            ansible.builtin.set_fact: {dir: "{{ systole.disk.dir }}"}
      """;

  @TempDir private Path directory;
  private Path place;

  @BeforeEach
  void needsAnsible() throws IOException {
    var path = System.getenv().getOrDefault("PATH", "/usr/bin").split(":");
    assumeTrue(
        Stream.of(path).anyMatch(it -> Files.isExecutable(Path.of(it, "ansible-playbook"))),
        "there is no ansible-playbook");
    place = Files.createDirectory(directory.resolve("tmp"));
  }

  private static Path program() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.isDirectory(at.resolve("agents/src/main/jig"))) {
      at = at.getParent();
    }
    assertNotNull(at, "the project is not found");
    return at.resolve("agents/src/main/jig/ansible");
  }

  @Test
  void aPlaybookIsPlayedAndNothingOfWhatItWasGivenIsLeft() throws Exception {
    var role = Files.createDirectory(directory.resolve("disk"));
    var written = directory.resolve("written");
    Files.writeString(role.resolve("playbook.yml"), PLAYBOOK.formatted(place, written));
    // of a run that was killed
    var old = Files.createDirectory(place.resolve("systole-ansible.4194305.abcdef"));
    Files.writeString(old.resolve("variables.yml"), "s3cret");
    var out = directory.resolve("out");
    var code = plays(role, out, "{\"disk\":{\"password\":\"s3cret\",\"dir\":\"/srv\"}}");

    assertEquals(0, code, () -> text(out));
    assertEquals("s3cret", Files.readString(written));
    assertTrue(text(out).contains("\"dir\": \"/srv\""), () -> text(out));
    assertFalse(text(out).contains("s3cret"), () -> text(out));
    try (var left = Files.list(place)) {
      assertEquals(0, left.count());
    }
  }

  /// What is known of a secret is its whole text: only the executor, which takes it out, may shorten.
  @Test
  void whatATaskSaysIsToldWhole() throws Exception {
    var role = Files.createDirectory(directory.resolve("disk"));
    var said = "x".repeat(600) + " a  b\n c";
    Files.writeString(
        role.resolve("playbook.yml"),
        """
        - hosts: localhost
          gather_facts: false
          tasks:
            - name: look
              ansible.builtin.fail: {msg: "{{ systole.disk.said }}"}
        """);
    var out = directory.resolve("out");
    plays(role, out, "{\"disk\":{\"said\":\"%s\"}}".formatted(said.replace("\n", "\\n")));
    assertTrue(text(out).contains("look: " + said), () -> text(out));
  }

  /// Who may set data of roles is not to run anything by them.
  @Test
  void dataAreNoTemplates() throws Exception {
    var role = Files.createDirectory(directory.resolve("motd"));
    Files.writeString(
        role.resolve("playbook.yml"),
        """
        - hosts: localhost
          gather_facts: false
          tasks:
            - name: greet
              ansible.builtin.set_fact:
                text: "{{ systole.motd.text }}"
                all: "{{ systole.motd }}"
                sum: "{{ systole.motd.number + 1 }}"
        """);
    var evil = "{{ lookup('pipe','id >" + place + "/pwned') }}";
    var out = directory.resolve("out");
    var given = "{\"motd\":{\"text\":\"%1$s\",\"%1$s\":[\"%1$s\"],\"number\":1e3}}".formatted(evil);
    assertEquals(0, plays(role, out, given), () -> text(out));
    assertTrue(Files.notExists(place.resolve("pwned")), () -> text(out));
    assertTrue(text(out).contains("\"text\": \"" + evil + "\""), () -> text(out));
    assertTrue(text(out).contains("\"sum\": \"1001"), () -> text(out));
  }

  /// Settings of whoever's directory the executor happens to be in are not read; the role's own are.
  @Test
  void settingsOfAnsibleAreTheRolesOwn() throws Exception {
    var role = Files.createDirectory(directory.resolve("disk"));
    Files.writeString(
        role.resolve("playbook.yml"),
        """
        - hosts: localhost
          gather_facts: false
          tasks:
            - ansible.builtin.set_fact: {config: "{{ lookup('config', 'DEFAULT_TIMEOUT') }}"}
        """);
    Files.writeString(place.resolve("ansible.cfg"), "[defaults]\ntimeout = 77\n");
    var out = directory.resolve("out");
    assertEquals(0, plays(role, out, "{}"), () -> text(out));
    assertTrue(text(out).contains("\"config\": \"10\"") || text(out).contains("\"config\": 10"), () -> text(out));
    Files.writeString(role.resolve("ansible.cfg"), "[defaults]\ntimeout = 55\n");
    assertEquals(0, plays(role, out, "{}"), () -> text(out));
    assertTrue(text(out).contains("55"), () -> text(out));
  }

  /// As the executor does it, in a directory that it happens to be in.
  private int plays(Path role, Path out, String given) throws Exception {
    var name = "" + role.getFileName();
    var builder =
        new ProcessBuilder(program().toString(), "run", name, role.toString())
            .directory(place.toFile())
            .redirectOutput(out.toFile())
            .redirectErrorStream(true);
    builder.environment().put("TMPDIR", place.toString());
    var process = builder.start();
    try (var to = process.outputWriter(StandardCharsets.UTF_8)) {
      to.write(
          AnsibleVariables.line("systole", JsonText.readObject(given))
              + "\n"
              + RoleSettings.lines(given, name));
    }
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it does not end");
    return process.exitValue();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "" + e;
    }
  }
}
