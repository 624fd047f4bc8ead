package org.systole.tools.secrets;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.real.SecretFiles;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.SecretValue;
import org.systole.common.secrets.Secrets;
import org.systole.common.values.ResourceId;
import org.systole.common.world.SecretStore;
import org.systole.execd.client.SecretMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `cibsecret`: values of parameters that are kept out of the CIB.
@picocli.CommandLine.Command(
    description = {
      "Manage sensitive information in Pacemaker CIB",
      "",
      "Subcommands:",
      "check RESOURCE PARAMETER - does the value on this node fit its digest",
      "delete RESOURCE PARAMETER - remove a secret and the parameter",
      "get RESOURCE PARAMETER - show the value that this node has",
      "set RESOURCE PARAMETER [VALUE] - set a value; without VALUE it is read from standard input",
      "stash RESOURCE PARAMETER - move a value from the CIB to the secrets",
      "sync - give all secrets of this node to all other nodes",
      "unstash RESOURCE PARAMETER - move a value from the secrets to the CIB"
    })
public final class Cibsecret extends Command {
  private static final String SUBCOMMANDS = "check, delete, get, set, stash, sync, unstash";

  @Option(
      names = {"-C", "--no-cib"},
      description = "Don't read or write the CIB")
  private boolean noCib;

  private @Nullable SecretFiles files;
  private @Nullable ResourceId resource;
  private String parameter = "";

  public Cibsecret() {
    super("cibsecret");
  }

  /// A value does not belong into the result: of what follows `set` the resource and the parameter
  /// are shown, and options before them.
  @Override
  protected String[] shown(String[] args) {
    var shown = args.clone();
    var words = -1; // behind "set"
    for (var at = 0; at < args.length; at++) {
      var option = args[at].startsWith("-") && words < 2;
      if (words >= 2 && !args[at].startsWith("--output-as=")) {
        shown[at] = "*";
      } else if (words >= 0 && !option) {
        words++;
      } else if (args[at].equals("set")) {
        words = 0;
      }
    }
    return shown;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (arguments().isEmpty()) {
      throw CommandException.usage(
          "Must specify a command option: one of " + SUBCOMMANDS + " (see --help)");
    }
    var subcommand = arguments().getFirst();
    switch (subcommand) {
      case "check", "delete", "get", "stash", "unstash" ->
          count(3, 3, subcommand + " <resource-id> <resource-parameter>");
      case "set" -> count(3, 4, "set <resource-id> <resource-parameter> [<value>]");
      case "sync" -> count(1, 1, "sync");
      default ->
          throw CommandException.usage(
              "Invalid subcommand given; valid subcommands: " + SUBCOMMANDS);
    }
    if (noCib && subcommand.endsWith("stash")) {
      throw CommandException.usage("No access to Pacemaker, " + subcommand + " not supported");
    }
    files = new SecretFiles(Layout.of(terminal().environment()));
    switch (subcommand) {
      case "check" -> check();
      case "delete" -> delete();
      case "get" -> {
        check();
        out().info(value(read()).text());
      }
      case "set" -> set(arguments().size() > 3 ? arguments().get(3) : standardInput());
      case "stash" -> stash();
      case "unstash" -> unstash();
      default -> new SecretSpread(terminal(), out()).all(files().directory());
    }
    return ExitStatus.OK;
  }

  private void count(int least, int most, String usage) throws CommandException {
    if (arguments().size() < least || arguments().size() > most) {
      throw CommandException.usage("Usage: " + usage);
    }
    if (least == 1) {
      return;
    }
    resource = ResourceId.of(arguments().get(1));
    parameter = arguments().get(2);
    var wrong = SecretNames.mistake(arguments().get(1), parameter);
    if (wrong != null || resource == null) {
      throw CommandException.usage(wrong == null ? "that is no resource" : wrong);
    }
  }

  private SecretFiles files() {
    if (files == null) {
      throw new IllegalStateException("not run yet");
    }
    return files;
  }

  private ResourceId resource() {
    if (resource == null) {
      throw new IllegalStateException("not run yet");
    }
    return resource;
  }

  private ResourceCommand cib() {
    return new ResourceCommand(terminal(), out(), resource());
  }

  /// The line that stands there, so that the value is in no list of processes.
  private String standardInput() throws CommandException {
    try {
      var bytes = terminal().in().readNBytes(SecretStore.CONTENT_MAX + 1);
      var text = new String(bytes, StandardCharsets.UTF_8);
      return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    } catch (IOException e) {
      throw new CommandException(ExitStatus.NOINPUT, "The value cannot be read: " + e.getMessage());
    }
  }

  private void checkResource() throws CommandException {
    if (!noCib) {
      cib().check();
    }
  }

  /// The value in the CIB, null if there is none or the CIB is not to be read.
  private @Nullable String configured() {
    return noCib ? null : cib().get(parameter);
  }

  private SecretStore.Contents read() throws CommandException {
    var contents =
        files().read(resource().text(), SecretValue.files(parameter));
    if (!contents.problems().isEmpty()) {
      throw CommandException.refused(contents.problems().getFirst());
    }
    return contents;
  }

  private SecretValue value(SecretStore.Contents contents) throws CommandException {
    var value = SecretValue.read(contents.files(), parameter).value();
    if (value == null) {
      throw failed(
          Rc.DIGEST_MISMATCH,
          "Checksum mismatch for resource %s parameter %s".formatted(resource(), parameter));
    }
    return value;
  }

  private static CommandException failed(Rc rc, String why) {
    return new CommandException(rc.exit(), why);
  }

  private void check() throws CommandException {
    checkResource();
    if (!noCib && !Secrets.STANDS_FOR.equals(configured())) {
      throw failed(
          Rc.UNPACK_ERROR,
          "Resource %s parameter %s not set as secret, nothing to check"
              .formatted(resource(), parameter));
    }
    var contents = read();
    if (!contents.files().containsKey(parameter + SecretNames.SIGN)) {
      throw failed(
          Rc.ENOENT,
          "No checksum for resource %s parameter %s".formatted(resource(), parameter));
    }
    value(contents);
  }

  private void set(String text) throws CommandException {
    checkResource();
    var wrong = SecretValue.mistake(text);
    var value = SecretValue.of(text);
    if (value == null) {
      throw new CommandException(ExitStatus.DATAERR, wrong == null ? "no value" : wrong);
    }
    var current = configured();
    if (current != null && !current.equals(Secrets.STANDS_FOR) && !current.equals(text)) {
      throw failed(
          Rc.UNPACK_ERROR,
          "The CIB has another value for %s rsc parameter %s; please delete it first"
              .formatted(resource(), parameter));
    }
    change(value);
    spread(false);
    if (!noCib) {
      cib().set(parameter, Secrets.STANDS_FOR);
    }
  }

  private void stash() throws CommandException {
    checkResource();
    var current = configured();
    if (current == null) {
      throw failed(
          Rc.ENOENT,
          "Nothing to stash for resource %s parameter %s".formatted(resource(), parameter));
    }
    if (current.equals(Secrets.STANDS_FOR)) {
      throw failed(
          Rc.EEXIST,
          "Resource %s parameter %s already set as secret".formatted(resource(), parameter));
    }
    set(current);
  }

  private void unstash() throws CommandException {
    var contents = read();
    if (!contents.files().containsKey(parameter)) {
      throw failed(
          Rc.ENOENT,
          "Nothing to unstash for resource %s parameter %s".formatted(resource(), parameter));
    }
    var value = value(contents);
    checkResource();
    if (!Secrets.STANDS_FOR.equals(configured())) {
      out()
          .info(
              "Resource %s parameter %s is not set as secret, but we have a local value so proceeding anyway"
                  .formatted(resource(), parameter));
    }
    // The CIB first: whoever reads it in between finds a value in either place.
    cib().set(parameter, value.text());
    remove();
  }

  private void delete() throws CommandException {
    checkResource();
    remove();
    if (!noCib) {
      cib().delete(parameter);
    }
  }

  private void remove() throws CommandException {
    change(null);
    spread(true);
  }

  /// @param value null for none
  private void change(@Nullable SecretValue value) throws CommandException {
    var problem = files().change(SecretValue.changes(resource().text(), parameter, value));
    if (problem != null) {
      throw new CommandException(ExitStatus.IOERR, "The secret cannot be stored: " + problem);
    }
  }

  private void spread(boolean deleted) throws CommandException {
    var path = files().directory().resolve(resource().text()).resolve(parameter);
    var socket =
        Layout.of(terminal().environment())
            .socket(SecretMessage.SOCKET);
    if (!Files.exists(socket)) {
      out().error("Could not get list of cluster nodes: only this node has the change");
      return;
    }
    new SecretSpread(terminal(), out()).one(resource(), parameter, path, deleted);
  }
}
