package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.execd.client.tls.RemoteKey;
import org.systole.execd.client.tls.TlsCaller;

/// What the daemons of a running node load: their archives must have it (`make-archive`), for what
/// they have not costs every start and each process its own memory.
final class ArchivesTest {
  private static final int DAEMONS = 7;
  private static final int OUTSIDE_MAX = 30; // what comes in one life and not in another
  private static final int SUPERVISOR_MAX = 100; // in the training nobody supervises
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SCHEDULER = "org.systole.scheduler.Scheduler";

  /// A class in a running virtual machine.
  private record Loaded(String name, boolean initialized, boolean archived) {
    /// Such as `0x00000008004ba1f8    64  fully_initialized     WS       java.lang.Object`.
    static Loaded of(String[] words) {
      var flags = words.length > 4 ? words[3] : "";
      return new Loaded(
          words[words.length - 1], words[2].equals("fully_initialized"), flags.contains("S"));
    }

    /// Made at run time by the virtual machine for what is not in the source as a class.
    boolean cannotBe() {
      return name.contains("/0x") || name.contains("$Proxy") || name.startsWith("[");
    }
  }

  @Test
  void daemonsFindInTheirArchivesWhatTheyLoad() throws IOException {
    try (var one = OneNode.make()) {
      one.start();
      var daemons = daemons(one);
      assertEquals(DAEMONS, daemons.size(), daemons::toString);
      for (var daemon : daemons.entrySet()) {
        var classes = classes(daemon.getValue());
        var outside =
            classes.stream()
                .filter(it -> !it.archived() && !it.cannotBe())
                .map(Loaded::name)
                .sorted()
                .toList();
        var max = daemon.getKey().equals("pacemakerd") ? SUPERVISOR_MAX : OUTSIDE_MAX;
        assertTrue(
            outside.size() <= max,
            () ->
                "%s loads %d classes that its archive has not: %s"
                    .formatted(daemon.getKey(), outside.size(), outside));
      }
      for (var name : List.of("attrd", "cibd", "controld", "fenced", "schedulerd")) {
        assertEquals(List.of(), jars(daemons.get(name)), name + " has looked for something in all jars");
      }
      assertTrue(plans(daemons.get("schedulerd")));
      assertFalse(plans(daemons.get("fenced")), "a fencer without devices has nothing to plan");
    }
  }

  /// The controller's end of a connection is in the same archive.
  @Test
  void aRemoteNodesDaemonFindsInItsArchivesWhatAConnectionTakes(@TempDir Path dir)
      throws IOException {
    var home = LabHome.distribution();
    assumeTrue(Files.exists(home.resolve("lib/daemons.jsa")), "no built distribution");
    var key = Files.createDirectories(dir.resolve("etc/pacemaker")).resolve("authkey");
    Files.writeString(key, "what this test alone knows");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    var address = InetAddress.getLoopbackAddress();
    int port;
    try (var free = new ServerSocket(0, 1, address)) {
      port = free.getLocalPort();
    }
    var builder = new ProcessBuilder(home.resolve("sbin/systole-remoted").toString());
    var environment = builder.environment();
    environment.put(Layout.ROOT, dir.toString());
    environment.put(Layout.NODE, "far");
    environment.put("PCMK_remote_port", Integer.toString(port));
    environment.put("PCMK_remote_address", address.getHostAddress());
    builder.redirectErrorStream(true).redirectOutput(dir.resolve("console.log").toFile());
    var daemon = builder.start();
    try (var _ = connect(address, port, new RemoteKey(key))) {
      var classes = classes(daemon.pid());
      assertTrue(classes.stream().anyMatch(it -> it.name().startsWith("org.bouncycastle.")));
      var outside =
          classes.stream().filter(it -> !it.archived() && !it.cannotBe()).map(Loaded::name).toList();
      assertTrue(outside.size() <= OUTSIDE_MAX, outside::toString);
    } finally {
      daemon.destroyForcibly();
    }
  }

  private static TlsCaller connect(InetAddress address, int port, RemoteKey key)
      throws IOException {
    var end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        return TlsCaller.open(address.getHostAddress(), port, key, LIMIT);
      } catch (IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos()); // a process of its own starts
      }
    }
  }

  /// Whether a process has used the scheduler. What is in the archive only is not initialized.
  private static boolean plans(long pid) throws IOException {
    return classes(pid).stream().anyMatch(it -> it.name().equals(SCHEDULER) && it.initialized());
  }

  /// The jars that a process has open: it keeps their directories in its memory, and looks into each on its
  /// way to what is in none, such as a service of the JDK's that could be another's.
  private static List<String> jars(long pid) throws IOException {
    var found = new ArrayList<String>();
    try (var open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      for (var each : open.toList()) {
        try {
          var file = Files.readSymbolicLink(each).toString();
          if (file.endsWith(".jar")) {
            found.add(file);
          }
        } catch (NoSuchFileException e) {
          continue; // closed by now
        }
      }
    }
    return found;
  }

  private static SortedMap<String, Long> daemons(OneNode one) {
    var found = new TreeMap<String, Long>();
    for (var process : one.node().processes()) {
      var words = List.of(process.info().arguments().orElse(new String[0]));
      var at = words.indexOf("org.systole.tools.launch.Main");
      if (at >= 0) {
        found.put(words.get(at + 1), process.pid());
      }
    }
    return found;
  }

  private static List<Loaded> classes(long pid) throws IOException {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    var process =
        new ProcessBuilder(jcmd, Long.toString(pid), "VM.classes")
            .redirectErrorStream(true)
            .start();
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    var found = new ArrayList<Loaded>();
    for (var line : text.lines().toList()) {
      var words = line.strip().split("\\s+");
      if (words[0].startsWith("0x") && words.length >= 4) {
        found.add(Loaded.of(words));
      }
    }
    assertTrue(found.size() > 1000, text);
    return found;
  }
}
