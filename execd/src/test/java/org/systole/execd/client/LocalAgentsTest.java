package org.systole.execd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;

/// Agents in directories of the test's. Those of the machine are read as well, so the agents here
/// have unique names.
final class LocalAgentsTest {
  @TempDir Path root;
  private Path own;
  private Path other;
  private LocalAgents agents;

  @BeforeEach
  void install() throws IOException {
    own = root.resolve("usr/share/systole/ocf");
    other = root.resolve("ocf");
    program(own.resolve("resource.d/zz-test/First"));
    program(own.resolve("resource.d/zz-test/Both"));
    program(other.resolve("resource.d/zz-test/Both"));
    program(other.resolve("resource.d/zz-other/Both"));
    program(root.resolve("usr/sbin/fence_zz_test"));
    program(root.resolve("usr/sbin/not_a_fence_agent"));
    agents =
        new LocalAgents(
            new Layout(root, root.resolve("usr/share")), Map.of("OCF_ROOT", other.toString()));
  }

  private static void program(Path path) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, "#!/bin/sh\n");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static AgentName ocf(String provider, String type) {
    return new AgentName("ocf", provider, type);
  }

  @Test
  void agentsOfAllDirectoriesAreFoundOnceEach() {
    assertEquals(List.of("Both", "First"), agents.agents("ocf", "zz-test"));
    assertEquals(List.of("Both"), agents.agents("ocf", "zz-other"));
    assertTrue(agents.agents("ocf", "").containsAll(List.of("Both", "First")));
    assertEquals(List.of(), agents.agents("ocf", "zz-nobody"));
  }

  @Test
  void theirProvidersAreSortedDirectories() throws IOException {
    Files.writeString(own.resolve("resource.d/zz-file"), "");
    var found = agents.providers();
    assertEquals(found.stream().sorted().distinct().toList(), found);
    assertTrue(found.containsAll(List.of("zz-other", "zz-test")));
    assertFalse(found.contains("zz-file"));
    assertEquals(List.of("zz-other", "zz-test"), agents.providersOf("Both"));
    assertEquals(List.of("zz-test"), agents.providersOf("First"));
  }

  @Test
  void theAgentOfTheFirstDirectoryCounts() {
    assertEquals(own, agents.ocfRoot(ocf("zz-test", "Both")));
    assertEquals(other, agents.ocfRoot(ocf("zz-other", "Both")));
    assertNull(agents.ocfRoot(ocf("zz-other", "First")));
    assertTrue(agents.has(ocf("zz-test", "First")));
    assertFalse(agents.has(ocf("zz-other", "First")));
  }

  @Test
  void directoriesPlainFilesAndHiddenProgramsAreNoAgents() throws IOException {
    var directory = own.resolve("resource.d/zz-test");
    Files.writeString(directory.resolve("README"), "");
    Files.createDirectories(directory.resolve("lib"));
    program(directory.resolve(".ocf-shellfuncs"));

    assertEquals(List.of("Both", "First"), agents.agents("ocf", "zz-test"));
  }

  @Test
  void fenceAgentsAreKnownByTheirNames() {
    var found = agents.agents("stonith", "");
    assertTrue(found.contains("fence_zz_test"));
    assertFalse(found.contains("not_a_fence_agent"));
    assertTrue(agents.has(new AgentName("stonith", "", "fence_zz_test")));
    assertFalse(agents.has(new AgentName("stonith", "", "fence_zz_none")));
  }

  @Test
  void anEmptyOcfRootIsIgnored() throws IOException {
    var layout = new Layout(root, root.resolve("usr/share"));
    for (var environment : List.of(Map.<String, String>of(), Map.of("OCF_ROOT", ""))) {
      var without = new LocalAgents(layout, environment);
      assertEquals(List.of(), without.agents("ocf", "zz-other"));
      assertEquals(List.of("Both", "First"), without.agents("ocf", "zz-test"));
    }
  }

  @Test
  void standardsAreThoseThatThisMachineSupports() {
    var standards = agents.standards();
    assertEquals(List.of("lsb", "ocf", "service"), standards.subList(0, 3));
    assertEquals("stonith", standards.getLast());
    assertEquals(
        Files.isDirectory(Path.of("/run/systemd/system")), standards.contains("systemd"));
    assertEquals(List.of(), agents.agents("upstart", ""));
  }

  @Test
  void aServiceIsAnInitScriptOrAUnit() {
    var services = agents.agents("service", "");
    assertTrue(services.containsAll(agents.agents("lsb", "")));
    assertTrue(services.containsAll(agents.agents("systemd", "")));
    assertTrue(agents.agents("systemd", "").stream().noneMatch(it -> it.endsWith(".service")));
  }
}
