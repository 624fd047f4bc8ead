package org.systole.tools.secrets;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.values.ResourceId;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.resource.CrmResource;

/// What `cibsecret` asks of the CIB, as `crm_resource` does it. It runs in this process, so that no
/// value stands in a list of processes.
final class ResourceCommand {
  private record Ran(int code, String output, String errors) {}

  private final Terminal terminal;
  private final Output out;
  private final ResourceId resource;

  ResourceCommand(Terminal terminal, Output out, ResourceId resource) {
    this.terminal = terminal;
    this.out = out;
    this.resource = resource;
  }

  /// @throws CommandException if there is no such resource
  void check() throws CommandException {
    require("-W");
  }

  /// The value in the CIB, null if it has none.
  @Nullable String get(String parameter) {
    var ran = run("-g", parameter);
    return ran.code() != 0 || ran.output().isEmpty()
        ? null
        : ran.output().substring(0, ran.output().length() - 1);
  }

  void set(String parameter, String value) throws CommandException {
    require("-p", parameter, "-v", value);
  }

  void delete(String parameter) throws CommandException {
    require("-d", parameter);
  }

  private void require(String... line) throws CommandException {
    var ran = run(line);
    if (ran.code() != 0) {
      out.error("crm_resource ended with " + ran.code());
      out.subprocess(ran.code(), orNull(ran.output()), orNull(ran.errors()));
      var status = ExitStatus.of(ran.code());
      throw new CommandException(status == null ? ExitStatus.ERROR : status, "");
    }
  }

  private Ran run(String... line) {
    var output = new ByteArrayOutputStream();
    var errors = new ByteArrayOutputStream();
    var trial =
        new Terminal(
            terminal.in(),
            new PrintStream(output, true, StandardCharsets.UTF_8),
            new PrintStream(errors, true, StandardCharsets.UTF_8),
            terminal.environment(),
            terminal.directory(),
            terminal.clock(),
            terminal.zones());
    var all = new ArrayList<>(List.of("-r", resource.text()));
    all.addAll(List.of(line));
    var code = new CrmResource().run(trial, all.toArray(String[]::new));
    return new Ran(
        code, output.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
