package org.systole.tools.fencing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.real.SecretFiles;
import org.systole.common.secrets.Secrets;
import org.systole.common.xml.XmlException;
import org.systole.tools.cli.AgentProcess;
import org.systole.tools.cli.Terminal;

/// Runs the fence agents of this machine for a command; the cluster need not run for that.
public final class LocalFenceAgent {
  private final Terminal terminal;
  private final Output out;
  private final Duration timeout;

  public LocalFenceAgent(Terminal terminal, Output out, Duration timeout) {
    this.terminal = terminal;
    this.out = out;
    this.timeout = timeout;
  }

  /// The agent's program, null if it is not there.
  private @Nullable Path program(String name) {
    var home = Layout.of(terminal.environment()).share().getParent();
    for (var directory : List.of(home == null ? Path.of("/usr") : home, Path.of("/usr"))) {
      var file = directory.resolve("sbin").resolve(name);
      if (name.startsWith("fence_") && name.indexOf('/') < 0 && Files.isExecutable(file)) {
        return file;
      }
    }
    return null;
  }

  private AgentProcess.@Nullable Result run(Path program, Map<String, String> input) {
    var text = new StringBuilder();
    input.forEach((name, value) -> text.append(name).append('=').append(value).append('\n'));
    try {
      return AgentProcess.run(
          List.of(program.toString()), terminal.environment(), text.toString(), timeout);
    } catch (IOException e) {
      return null;
    }
  }

  /// Writes an agent's metadata.
  public Rc showMetadata(String name) {
    var program = program(name);
    var result = program == null ? null : run(program, Map.of("action", "metadata"));
    if (result == null) {
      return Rc.ENODEV;
    }
    if (result.timedOut() || result.status() != 0) {
      return result.timedOut() ? Rc.ETIME : FenceCodes.ofWords(result.errors());
    }
    try {
      var metadata = AgentMetadata.parse(AgentName.FENCING, result.output()).forClients();
      out.xml("metadata", metadata);
      if (out instanceof TextOutput) {
        KeptMetadata.keep(terminal.environment(), name, metadata);
      }
      return Rc.OK;
    } catch (XmlException e) {
      return Rc.SCHEMA_VALIDATION;
    }
  }

  /// Has an agent check parameters, and writes what came of it.
  Rc validate(String name, @Nullable String device, Map<String, String> parameters) {
    var program = program(name);
    var input = new TreeMap<>(parameters);
    input.keySet().removeIf(parameter -> parameter.startsWith("pcmk_"));
    input.put("action", "validate-all");
    var told =
        Secrets.fillNow(
            device == null ? "" : device,
            input,
            new SecretFiles(Layout.of(terminal.environment()))::read,
            line -> out.error("The secret parameters cannot be had: " + line));
    if (program != null && !told.isWhole()) {
      showValidation(name, device, Rc.EACCES, "", "Failed to get CIB secrets");
      return Rc.EACCES;
    }
    var result = program == null ? null : run(program, told.parameters());
    if (result == null) {
      showValidation(name, device, Rc.ENOENT, "", "Agent " + name + " not found");
      return Rc.ENOENT;
    }
    var ran = result.status() == 0 ? Rc.OK : FenceCodes.ofWords(result.errors());
    var rc = result.timedOut() ? Rc.ETIME : ran;
    showValidation(name, device, rc, result.output(), result.errors());
    return rc;
  }

  private void showValidation(
      String name, @Nullable String device, Rc rc, String output, String errors) {
    switch (out) {
      case TextOutput text -> {
        if (out.isQuiet()) {
          return;
        }
        text.indented(
            "Validation of %s%s %s\n"
                .formatted(
                    name,
                    device == null ? "" : " on " + device,
                    rc.isOk() ? "succeeded" : "failed"));
        text.subprocess(-rc.legacy(), textOrNull(output), textOrNull(errors));
      }
      case XmlOutput xml -> {
        xml.open("validate", "agent", name, "valid", Boolean.toString(rc.isOk()), "device", device);
        xml.subprocess(-rc.legacy(), textOrNull(output), textOrNull(errors));
        xml.close();
      }
    }
  }

  private static @Nullable String textOrNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
