package org.systole.tools.status;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `crm_error`: explains codes that commands and logs show.
@picocli.CommandLine.Command(description = "display name or description of a Pacemaker error code")
public final class CrmError extends Command {
  private static final int CODE_WIDTH = 5;
  private static final int NAME_WIDTH = 26;
  private static final int LEGACY_MIN = 201;

  private enum Family {
    LEGACY,
    RC,
    EXIT
  }

  private record Explained(int code, String constant, String text) {}

  @Option(
      names = {"-n", "--name"},
      description = "Show error's name with its description")
  private boolean withName;

  @Option(
      names = {"-l", "--list"},
      description = "Show all known errors (enabled by default if no rc is specified)")
  private boolean list;

  private Family family = Family.LEGACY;

  public CrmError() {
    super("crm_error");
  }

  @Option(
      names = {"-X", "--exit"},
      description = "Interpret as exit code rather than legacy function return value")
  private void setExit(boolean given) {
    family = Family.EXIT;
  }

  @Option(
      names = {"-r", "--rc"},
      description = "Interpret as return code rather than legacy function return value")
  private void setRc(boolean given) {
    family = Family.RC;
  }

  /// A negative code needs `--` before it; elsewhere it is taken for options.
  @Override
  protected String[] prepare(String[] args) throws CommandException {
    for (var arg : args) {
      if (arg.equals("--")) {
        break;
      }
      if (arg.matches("-\\d+")) {
        throw CommandException.usage("Unknown option " + arg);
      }
    }
    return args;
  }

  @Override
  protected ExitStatus execute() {
    if (list || arguments().isEmpty()) {
      known().forEach(it -> show(it, true));
    } else {
      for (var argument : arguments()) {
        show(explain(Numbers.parseInt(argument, 0)), verbosity() > 0);
      }
    }
    return ExitStatus.OK;
  }

  private Explained explain(int code) {
    return switch (family) {
      case EXIT -> {
        var status = ExitStatus.of(code);
        var name = status != null ? status.constant() : "CRM_EX_UNKNOWN";
        yield new Explained(code, name, ExitStatus.text(code));
      }
      case RC -> {
        var rc = Rc.of(code);
        yield rc != null
            ? new Explained(code, rc.constant(), rc.text())
            : new Explained(code, "Unknown", code < 0 ? "Error" : unknownError(code));
      }
      case LEGACY -> explainLegacy(code);
    };
  }

  private static Explained explainLegacy(int code) {
    var legacy = Math.abs(code);
    for (var rc : Rc.values()) {
      if (rc.legacy() == legacy) {
        var name =
            rc == Rc.ERROR ? "pcmk_err_generic" : rc.constant().replace("pcmk_rc_", "pcmk_err_");
        return new Explained(code, rc == Rc.OK ? "pcmk_ok" : name, rc.text());
      }
    }
    return new Explained(code, "Unknown", unknownError(legacy));
  }

  private static String unknownError(int code) {
    return "Unknown error " + code;
  }

  private List<Explained> known() {
    return switch (family) {
      case EXIT ->
          Arrays.stream(ExitStatus.values())
              .map(it -> new Explained(it.code(), it.constant(), it.text()))
              .toList();
      case RC ->
          Arrays.stream(Rc.values())
              .sorted(Comparator.comparingInt(Rc::code))
              .map(it -> new Explained(it.code(), it.constant(), it.text()))
              .toList();
      case LEGACY ->
          Arrays.stream(Rc.values())
              .filter(it -> it.code() < 0 && it.legacy() >= LEGACY_MIN)
              .map(it -> explainLegacy(it.legacy()))
              .distinct()
              .sorted(Comparator.comparingInt(Explained::code))
              .toList();
    };
  }

  private void show(Explained it, boolean withCode) {
    switch (out()) {
      case XmlOutput xml ->
          xml.add(
              "result-code",
              "code",
              Integer.toString(it.code()),
              "name",
              withName ? it.constant() : null,
              "description",
              it.text());
      case TextOutput text -> text.info(line(it, withCode));
    }
  }

  private String line(Explained it, boolean withCode) {
    if (!withCode) {
      return withName ? it.constant() + " - " + it.text() : it.text();
    }
    return withName
        ? String.format(
            "%" + CODE_WIDTH + "d: %-" + NAME_WIDTH + "s  %s", it.code(), it.constant(), it.text())
        : String.format("%" + CODE_WIDTH + "d: %s", it.code(), it.text());
  }
}
