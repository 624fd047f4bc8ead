package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.cts.lab.Machines.Outcome;

/// What a fence agent has said about itself is said again by the launcher as long as nothing has changed: by
/// the commands of a distribution, with an agent that writes down each time it is asked.
final class KeptMetadataTest {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final FileTime PACKED = FileTime.from(Instant.ofEpochSecond(1_700_000_000));
  private static final String NAME = "fence_test_kept";

  @TempDir private Path dir;
  private Path home = Path.of("");
  private Path agent = Path.of("");
  private Path asked = Path.of("");

  @BeforeEach
  void anAgentIsInstalled() throws IOException {
    var distribution = LabHome.distribution();
    assumeTrue(Files.exists(distribution.resolve("lib/built")), "there is no distribution");
    home = dir.resolve("home");
    LabHome.make(distribution, home);
    agent = home.resolve("sbin").resolve(NAME);
    asked = dir.resolve("asked");
    install(agent, "first", 0);
  }

  /// Its library is the distribution's own: only the link to it goes.
  @AfterEach
  void theProgramIsRemoved() throws IOException {
    if (!home.toString().isEmpty()) {
      LabHome.remove(home);
    }
  }

  /// As dpkg does: a new file in the place of the old one, with the time that it has in the package.
  private void install(Path agent, String description, int status) throws IOException {
    var made = home.resolve("sbin/agent.dpkg-new");
    Files.writeString(
        made,
        """
        #!/bin/sh
        echo x >>%s
        echo '<resource-agent name="%s"><longdesc>%s</longdesc><parameters/><actions/></resource-agent>'
        exit %d
        """
            .formatted(asked, NAME, description, status));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setLastModifiedTime(made, PACKED);
    Files.move(made, agent, StandardCopyOption.REPLACE_EXISTING);
  }

  private Outcome metadata(String... more) throws IOException {
    return metadataOf(NAME, more);
  }

  private Outcome metadataOf(String name, String... more) throws IOException {
    var line = new ArrayList<>(List.of("env", "SYSTOLE_ROOT=" + dir.resolve("root")));
    line.addAll(List.of(home.resolve("sbin/crm_resource").toString(), "--show-metadata", "stonith:" + name));
    line.addAll(List.of(more));
    return LabCommands.run(line, "", LIMIT);
  }

  private int timesAsked() throws IOException {
    return Files.exists(asked) ? Files.readAllLines(asked).size() : 0;
  }

  private Path kept() {
    return dir.resolve("root/var/cache/systole/metadata").resolve(NAME);
  }

  @Test
  void anAgentIsAskedOnce() throws IOException {
    var first = metadata();
    assertEquals(0, first.status(), first.output());
    assertTrue(first.output().contains("first"), first.output());
    assertEquals(first, metadata());
    assertEquals(1, timesAsked());
    try (var beside = Files.list(kept().resolveSibling(""))) {
      assertEquals(List.of(kept()), beside.toList());
    }
    assertTrue(metadata("--output-as=xml").output().contains("<pacemaker-result"), "this is another form");
    assertEquals(2, timesAsked());
    assertEquals(first, metadata());
  }

  @Test
  void anAgentOfClusterGlueIsAskedOnceToo() throws IOException {
    var stonith = home.resolve("sbin/stonith");
    install(stonith, "first", 0);
    var first = metadataOf("external/test-kept");
    assertEquals(0, first.status(), first.output());
    assertEquals(first, metadataOf("external/test-kept"));
    assertEquals(1, timesAsked());
    install(stonith, "other", 0);
    assertTrue(metadataOf("external/test-kept").output().contains("other"));
    assertTrue(Files.isRegularFile(kept().resolveSibling("external/test-kept")));
  }

  @Test
  void anotherFileInItsPlaceIsAskedAlsoWithTheSameTimeAndSize() throws IOException {
    metadata();
    install(agent, "other", 0);
    assertTrue(metadata().output().contains("other"));
    assertEquals(2, timesAsked());
  }

  @Test
  void anAgentThatFailsIsAskedEachTime() throws IOException {
    metadata();
    install(agent, "wrong", 1);
    for (var time = 2; time < 4; time++) {
      var said = metadata();
      assertEquals(105, said.status(), said.output());
      assertEquals(time, timesAsked());
    }
  }

  @Test
  void anAgentThatIsGoneSaysNothing() throws IOException {
    metadata();
    Files.delete(agent);
    assertEquals(105, metadata().status());
  }

  @Test
  void whatIsNotWholeIsNotSaid() throws IOException {
    var first = metadata();
    Files.writeString(kept(), "");
    assertEquals(first, metadata());
    assertEquals(2, timesAsked());
  }

  @Test
  void anotherVersionOfThisProgramAsks() throws IOException {
    metadata();
    var launch = home.resolve("libexec/systole/launch");
    var again = Files.copy(launch, launch.resolveSibling("launch.new"));
    Files.setPosixFilePermissions(again, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setLastModifiedTime(again, Files.getLastModifiedTime(launch));
    Files.move(again, launch, StandardCopyOption.REPLACE_EXISTING);
    metadata();
    assertEquals(2, timesAsked());
  }

  @Test
  void whereNothingCanBeKeptTheAgentIsAsked() throws IOException {
    Files.createDirectories(dir.resolve("root"));
    Files.writeString(dir.resolve("root/var"), "in the way");
    var first = metadata();
    assertEquals(0, first.status(), first.output());
    assertEquals(first, metadata());
    assertEquals(2, timesAsked());
    assertFalse(Files.exists(kept()));
  }
}
