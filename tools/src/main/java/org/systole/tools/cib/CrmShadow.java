package org.systole.tools.cib;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlWriter;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `crm_shadow`: copies of the configuration to try changes on, apart from the cluster.
@picocli.CommandLine.Command(description = "perform Pacemaker configuration changes in a sandbox")
public final class CrmShadow extends Command {
  private static final String SHADOW = "CIB_shadow";

  private enum Task {
    WHICH,
    DISPLAY,
    DIFF,
    FILE,
    CREATE,
    CREATE_EMPTY,
    COMMIT,
    DELETE,
    EDIT,
    RESET,
    SWITCH
  }

  private @Nullable Task task;
  private String instance = "";

  @Option(
      names = {"-f", "--force"},
      description = "(Advanced) Force the action to be performed")
  private boolean force;

  @Option(
      names = {"-b", "--batch"},
      description = "(Advanced) Don't spawn a new shell")
  private boolean batch;

  @Option(
      names = {"-a", "--all"},
      description = "(Advanced) Upload entire CIB, including status, with --commit")
  private boolean all;

  @Option(
      names = {"-v", "--validate-with"},
      paramLabel = "value",
      description = "(Advanced) Create an older configuration version")
  private String schema = "";

  public CrmShadow() {
    super("crm_shadow");
  }

  private void set(Task newTask, String newInstance) {
    task = newTask;
    instance = newInstance;
  }

  @Option(
      names = {"-w", "--which"},
      description = "Indicate the active shadow copy")
  private void setWhich(boolean given) {
    set(Task.WHICH, "");
  }

  @Option(
      names = {"-p", "--display"},
      description = "Display the contents of the active shadow copy")
  private void setDisplay(boolean given) {
    set(Task.DISPLAY, "");
  }

  @Option(
      names = {"-d", "--diff"},
      description = "Display the changes in the active shadow copy")
  private void setDiff(boolean given) {
    set(Task.DIFF, "");
  }

  @Option(
      names = {"-F", "--file"},
      description = "Display the location of the active shadow copy file")
  private void setFile(boolean given) {
    set(Task.FILE, "");
  }

  @Option(
      names = {"-c", "--create"},
      paramLabel = "name",
      description = "Create the named shadow copy of the active cluster configuration")
  private void setCreate(String name) {
    set(Task.CREATE, name);
  }

  @Option(
      names = {"-e", "--create-empty"},
      paramLabel = "name",
      description = "Create the named shadow copy with an empty cluster configuration")
  private void setCreateEmpty(String name) {
    set(Task.CREATE_EMPTY, name);
  }

  @Option(
      names = {"-C", "--commit"},
      paramLabel = "name",
      description = "Upload the contents of the named shadow copy to the cluster")
  private void setCommit(String name) {
    set(Task.COMMIT, name);
  }

  @Option(
      names = {"-D", "--delete"},
      paramLabel = "name",
      description = "Delete the contents of the named shadow copy")
  private void setDelete(String name) {
    set(Task.DELETE, name);
  }

  @Option(
      names = {"-E", "--edit"},
      description = "Edit the contents of the active shadow copy with your favorite $EDITOR")
  private void setEdit(boolean given) {
    set(Task.EDIT, "");
  }

  @Option(
      names = {"-r", "--reset"},
      paramLabel = "name",
      description =
          "Recreate named shadow copy from the active cluster configuration. Required: --force.")
  private void setReset(String name) {
    set(Task.RESET, name);
  }

  @Option(
      names = {"-s", "--switch"},
      paramLabel = "name",
      description = "(Advanced) Switch to the named shadow copy")
  private void setSwitch(String name) {
    set(Task.SWITCH, name);
  }

  @Override
  protected void setUp(Output output) {}

  @Override
  protected ExitStatus execute() throws CommandException {
    if (!arguments().isEmpty()) {
      throw CommandException.usage("non-option ARGV-elements: " + String.join(" ", arguments()));
    }
    if (task == null) {
      throw CommandException.usage("Must specify a query or command option");
    }
    switch (task) {
      case WHICH -> shown("instance", active());
      case FILE -> showFile();
      case DISPLAY -> display();
      case DIFF -> {
        return diff();
      }
      case CREATE -> create(false);
      case RESET -> create(true);
      case CREATE_EMPTY -> createEmpty();
      case COMMIT -> commit();
      case DELETE -> delete();
      case EDIT -> {
        return edit();
      }
      case SWITCH -> {
        mustExist(file());
        use(true);
      }
    }
    return ExitStatus.OK;
  }

  // Which shadow copy

  private String active() throws CommandException {
    var name = terminal().environment().get(SHADOW);
    if (name == null) {
      throw new CommandException(Rc.ENXIO.exit(), "No active shadow configuration defined");
    }
    instance = name;
    return name;
  }

  private Layout layout() {
    return Layout.of(terminal().environment());
  }

  private Path file() throws CommandException {
    if (!Cibs.isShadowName(instance)) {
      throw CommandException.usage(Cibs.whyNoShadowName(instance));
    }
    return terminal().resolve(Cibs.shadow(layout(), terminal().environment(), instance).toString());
  }

  private void mustExist(Path file) throws CommandException {
    if (!Files.exists(file)) {
      throw new CommandException(
          Rc.ENOENT.exit(),
          "Could not access shadow instance '" + instance + "': " + Rc.ENOENT.text());
    }
  }

  private CommandException dangerous(
      ExitStatus status, String reason, String what, boolean mayMismatch) {
    var text = new StringBuilder(reason).append('.');
    var now = terminal().environment().get(SHADOW);
    if (mayMismatch && now != null && !instance.equals(now)) {
      text.append("\nAdditionally, the supplied shadow instance (")
          .append(instance)
          .append(") is not the same as the active one (")
          .append(now)
          .append(").");
    }
    text.append("\nTo prevent accidental destruction of the ").append(what);
    text.append(", the --force flag is required in order to proceed.");
    return new CommandException(status, text.toString());
  }

  // Showing

  private void shown(String attribute, String value) {
    switch (out()) {
      case XmlOutput xml -> xml.add("shadow", attribute, value);
      case TextOutput text -> text.info(value);
    }
  }

  private void showFile() throws CommandException {
    var name = active();
    var path = file().toString();
    switch (out()) {
      case XmlOutput xml -> xml.add("shadow", "instance", name, "file", path);
      case TextOutput text -> text.info(path);
    }
  }

  private Element read(Path file) throws CommandException {
    try {
      return XmlInput.read(terminal(), file.toString());
    } catch (XmlException e) {
      var why = "Could not parse XML from input file '" + file + "'";
      throw new CommandException(Rc.NO_INPUT.exit(), why);
    }
  }

  private void display() throws CommandException {
    active();
    mustExist(file());
    showInside("content", read(file()));
  }

  private void showInside(String name, Element content) {
    switch (out()) {
      case XmlOutput xml -> {
        xml.open("shadow", "instance", instance);
        xml.xml(name, XmlWriter.pretty(content));
        xml.close();
      }
      case TextOutput text -> text.info(XmlWriter.pretty(content).stripTrailing());
    }
  }

  private ExitStatus diff() throws CommandException {
    active();
    mustExist(file());
    var live = realCib();
    var patch = CibPatch.between(live, read(file()));
    if (patch == null) {
      if (out() instanceof XmlOutput xml) {
        xml.add("shadow", "instance", instance);
      }
      return ExitStatus.OK;
    }
    if (out() instanceof TextOutput text) {
      PatchText.of(patch).forEach(text::info);
    } else {
      showInside("xml-patchset", patch);
    }
    return ExitStatus.ERROR;
  }

  // The cluster's own CIB

  private CibTarget connect() throws CommandException {
    var environment = new LinkedHashMap<>(terminal().environment());
    environment.remove(SHADOW);
    try {
      return CibInUse.open(layout(), environment, name(), CibTarget.TIMEOUT);
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not connect to CIB: " + e.rc().text());
    }
  }

  private Element realCib() throws CommandException {
    try (var cib = connect()) {
      return cib.cib();
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(), "Could not query the non-shadow CIB: " + e.rc().text());
    }
  }

  // Changing

  private void create(boolean reset) throws CommandException {
    if (!force && reset) {
      throw dangerous(
          ExitStatus.USAGE,
          "The reset command overwrites the active shadow configuration",
          "shadow file",
          true);
    }
    if (!force) {
      mustNotExist();
    }
    write(realCib(), reset ? "reset" : "create");
    use(false);
  }

  private void mustNotExist() throws CommandException {
    if (Files.exists(file())) {
      throw dangerous(
          ExitStatus.CANTCREAT,
          "A shadow instance '" + instance + "' already exists",
          "shadow file",
          false);
    }
  }

  private void createEmpty() throws CommandException {
    if (!force) {
      mustNotExist();
    }
    var empty = NewCib.of(terminal(), 0, schema);
    out().info("Created new " + empty.get("validate-with") + " configuration");
    write(empty, "create");
    use(false);
  }

  private void write(Element cib, String verb) throws CommandException {
    try {
      Cibs.writeShadow(file(), XmlWriter.pretty(cib));
    } catch (IOException e) {
      var why = "Could not %s the shadow instance '%s': %s (%s)";
      throw new CommandException(
          Rc.EIO.exit(), why.formatted(verb, instance, Rc.EIO.text(), e.getMessage()));
    }
  }

  private void commit() throws CommandException {
    if (!force) {
      throw dangerous(
          ExitStatus.USAGE,
          "The commit command overwrites the active cluster configuration",
          "cluster",
          true);
    }
    mustExist(file());
    try (var cib = connect()) {
      var whole = read(file());
      var part = all ? whole : whole.first("configuration");
      var answer =
          part == null
              ? null
              : cib.update(List.of(CibOp.replace(all ? "" : "configuration", part)), true, "");
      var rc = answer == null ? Rc.EINVAL : answer.rc();
      if (!rc.isOk()) {
        throw new CommandException(
            rc.exit(),
            "Could not commit shadow instance '" + instance + "' to the CIB: " + rc.text());
      }
    }
  }

  private void delete() throws CommandException {
    if (!force) {
      throw dangerous(
          ExitStatus.USAGE,
          "The delete command removes the specified shadow file",
          "shadow file",
          true);
    }
    try {
      Files.deleteIfExists(file());
    } catch (IOException e) {
      throw new CommandException(
          Rc.EIO.exit(), "Could not remove shadow instance '" + instance + "': " + e.getMessage());
    }
    var environment = terminal().environment();
    if (instance.equals(environment.get(SHADOW))) {
      instruct(
          prompt().equals(environment.get("PS1"))
              ? "Press Ctrl+D to exit the crm_shadow shell"
              : "Remember to unset the CIB_shadow variable by entering the following into your"
                  + " shell:\n\tunset CIB_shadow");
    }
  }

  // The shell

  private String prompt() {
    return "shadow[" + instance.substring(0, Math.min(40, instance.length())) + "] # ";
  }

  private void instruct(String text) {
    if (out() instanceof XmlOutput xml) {
      xml.addText("instruction", text);
    } else {
      out().info(text);
    }
  }

  private void use(boolean switching) throws CommandException {
    var environment = terminal().environment();
    if (instance.equals(environment.get(SHADOW)) && prompt().equals(environment.get("PS1"))) {
      return;
    }
    var shell = environment.get("SHELL");
    if (batch || shell == null) {
      instruct(
          (switching
                  ? "To switch to the named shadow instance"
                  : "A new shadow instance was created. To begin using it")
              + ", enter the following into your shell:\n\texport CIB_shadow="
              + instance);
      return;
    }
    out().info("Setting up shadow instance");
    instruct("Press Ctrl+D to exit the crm_shadow shell");
    var command = new ArrayList<>(List.of(shell));
    if (shell.equals("bash") || shell.endsWith("/bash")) {
      command.addAll(List.of("--norc", "--noprofile"));
    }
    if (run(command, Map.of("PS1", prompt(), SHADOW, instance)) < 0) {
      throw new CommandException(Rc.ENOENT.exit(), "Failed to launch shell '" + shell + "'");
    }
  }

  private ExitStatus edit() throws CommandException {
    active();
    mustExist(file());
    var editor = terminal().environment().get("EDITOR");
    if (editor == null) {
      throw new CommandException(ExitStatus.NOT_CONFIGURED, "No value for EDITOR defined");
    }
    var status = run(List.of(editor, file().toString()), Map.of());
    if (status < 0) {
      throw new CommandException(
          ExitStatus.OSFILE, "Could not invoke EDITOR (" + editor + " " + file() + ")");
    }
    return status == 0 ? ExitStatus.OK : ExitStatus.ERROR;
  }

  /// @return the exit status, -1 if the program cannot be started
  private static int run(List<String> command, Map<String, String> more) {
    try {
      var builder = new ProcessBuilder(command).inheritIO();
      builder.environment().putAll(more);
      return builder.start().waitFor();
    } catch (IOException e) {
      return -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }
}
