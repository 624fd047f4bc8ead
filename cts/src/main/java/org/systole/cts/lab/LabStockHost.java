package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.systole.common.layout.Layout;
import org.systole.cts.local.LocalNode;

/// Pacemaker's own `pacemaker-remoted` with its own commands, on the lab's host that is no member:
/// what Debian's packages pacemaker-remote and pacemaker-cli-utils install. Where they must not be
/// installed, `SYSTOLE_STOCK` names a directory into which they were unpacked with what they need.
final class LabStockHost {
  /// How scenarios are called that need it.
  static final String SCENARIOS = "stock-";

  private static final String WHERE = "SYSTOLE_STOCK";
  private static final List<String> NEEDED =
      List.of("pacemaker-remoted", "crm_mon", "crm_node", "cibadmin", "attrd_updater");
  private static final Path AGENTS = Path.of("/usr/lib/ocf");
  private static final int SECONDS = 60;

  private LabStockHost() {}

  private static Path root() {
    return Path.of(System.getenv().getOrDefault(WHERE, "/"));
  }

  private static Path program(String name) {
    return root().resolve("usr/sbin").resolve(name);
  }

  /// Why there can be none here, empty if there can.
  static String obstacle() {
    for (var it : NEEDED) {
      if (!Files.isExecutable(program(it))) {
        return "%s is not there (packages pacemaker-remote and pacemaker-cli-utils; %s names a directory with them)"
            .formatted(program(it), WHERE);
      }
    }
    return Files.isDirectory(AGENTS)
        ? ""
        : AGENTS + " is not there, where it looks for agents (package resource-agents)";
  }

  private static Map<String, String> environment(LocalNode host) {
    var all = new TreeMap<String, String>();
    all.put(Layout.ROOT, host.dir().toString()); // so that its processes are found
    all.put(Layout.NODE, host.name()); // for the witness
    all.put(
        "PCMK_authkey_location", host.layout().configuration().resolve("authkey").toString());
    all.put("PCMK_logfile", host.layout().log().resolve("pacemaker.log").toString());
    var libraries = root().resolve("usr/lib/x86_64-linux-gnu");
    if (Files.isDirectory(libraries) && !root().equals(Path.of("/"))) {
      all.put("LD_LIBRARY_PATH", libraries.toString());
    }
    return all;
  }

  /// Writes its start script, which the fence device calls as well. It finds the lab's agents where
  /// it looks for agents, and has a place of its own for their states.
  static void prepare(LocalNode host) throws IOException {
    Files.createDirectories(host.layout().log());
    var states = Files.createDirectories(host.dir().resolve("states"));
    var text = new StringBuilder("#!/bin/sh\n# Starts the stock executor of a remote node.\n");
    environment(host)
        .forEach((name, value) -> text.append("export %s='%s'%n".formatted(name, value)));
    text.append("[ \"$1\" = software ] || rm -f '%s'/*%n".formatted(states));
    var within = String.join(" ", host.prefix());
    text.append(
        """
        setsid %s unshare -m sh -c '
          mount --bind "$1" /usr/lib/ocf && mkdir -p /run/resource-agents &&
          mount --bind "$2" /run/resource-agents && exec "$3"' sh '%s' '%s' '%s' >>'%s' 2>&1 </dev/null &
        """
            .formatted(
                within,
                host.home().resolve("share/systole/ocf"),
                states,
                program("pacemaker-remoted"),
                host.layout().log().resolve("console.log")));
    var script = host.dir().resolve("start.sh");
    Files.writeString(script, text);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// Runs one of its own commands on the host.
  static LocalNode.Outcome run(LocalNode host, String command, String... arguments)
      throws IOException {
    var line = new ArrayList<>(host.prefix());
    line.add(program(command).toString());
    line.addAll(List.of(arguments));
    var output = host.dir().resolve("command.out");
    var builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment(host));
    builder.environment().remove("CIB_file");
    var process = builder.start();
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new LocalNode.Outcome(-1, "no end after %d s".formatted(SECONDS));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return new LocalNode.Outcome(
        process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
  }
}
