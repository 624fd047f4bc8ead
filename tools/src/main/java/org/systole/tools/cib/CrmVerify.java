package org.systole.tools.cib;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibValidation;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.layout.Layout;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.schema.CibSchemas;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.hostha.cib.SetupReader;
import org.systole.hostha.config.Setting;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Message;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.StatusMessages;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.hosts.Providers;
import org.systole.tools.lint.Finding;
import org.systole.tools.lint.Lint;
import org.systole.tools.roles.GateDoubts;
import picocli.CommandLine.Option;

/// `crm_verify`: checks a configuration for mistakes.
@picocli.CommandLine.Command(description = "Check a Pacemaker configuration for errors")
public final class CrmVerify extends Command {
  private static final String HOST_HA = "Host HA: ";
  private static final String ROLES = "Roles: ";

  /// What is said of the old ways that pcs and crmsh still write of themselves.
  private static final Pattern STILL_WRITTEN =
      Pattern.compile(
          "^Support for (legacy name|the (Master|Slave) role|rules with node attribute) .*is"
              + " deprecated");

  @Option(
      names = {"-L", "--live-check"},
      description = "Check the configuration used by the running cluster")
  private boolean live;

  @Option(
      names = {"-x", "--xml-file"},
      paramLabel = "FILE",
      description = "Check the configuration in the named file")
  private @Nullable String file;

  @Option(
      names = {"-p", "--xml-pipe"},
      description = "Check the configuration piped in via stdin")
  private boolean pipe;

  @Option(
      names = {"-X", "--xml-text"},
      paramLabel = "XML",
      description = "Check the configuration in the supplied string")
  private @Nullable String text;

  @Option(
      names = {"-S", "--save-xml"},
      paramLabel = "FILE",
      description = "Save verified XML to named file (most useful with -L)")
  private @Nullable String save;

  @Option(
      names = {"-q", "--quiet"},
      description = "Don't print verify information")
  private boolean quiet;

  @Option(
      names = "--lint",
      description =
          "Also show what is valid but may not be meant, each with its severity and what to do"
              + " about it")
  private boolean lint;

  private byte @Nullable [] document;
  private boolean detail;
  private boolean errors;

  /// Host HA has settings that make no sense. No schema knows them.
  private boolean unsound;

  private boolean warnings;
  private boolean advised;

  public CrmVerify() {
    super("crm_verify");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    var level = verbosity() > 0 && quiet ? verbosity() - 1 : verbosity();
    detail = level > 0 || out() instanceof XmlOutput;
    var cib = input();
    if (save != null) {
      XmlInput.write(terminal(), save, cib);
    }
    if (cib.is("cib")) {
      verify(cib, level);
    } else {
      out().error("Input is not a CIB (outermost element is " + cib.name() + " not cib)");
      errors = true;
    }
    if (errors) {
      report(new Message(Message.Severity.CONFIG_ERROR, "CIB did not pass schema validation"));
    }
    if (!errors && !unsound && !warnings) {
      return advised ? ExitStatus.CONFIG : ExitStatus.OK;
    }
    if (!quiet) {
      out()
          .error(
              "Configuration "
                  + (errors || unsound ? "invalid" : "may need attention")
                  + (detail ? "" : " (-V may provide more detail)"));
    }
    return ExitStatus.CONFIG;
  }

  private Element input() throws CommandException {
    var named = file != null ? file : text != null ? text : pipe ? "-" : null;
    try {
      if (named != null) {
        document =
            named.stripLeading().startsWith("<")
                ? named.getBytes(StandardCharsets.UTF_8)
                : XmlInput.bytes(terminal(), named);
        return XmlReader.parse(document);
      }
    } catch (XmlException e) {
      XmlInput.explain(terminal(), file != null ? file : text != null ? "input string" : "stdin", e);
      throw new CommandException(ExitStatus.CONFIG, "Verification failed: Unable to parse CIB XML");
    }
    if (!live) {
      throw new CommandException(ExitStatus.NOSUCH, "No input specified");
    }
    return ConfiguredCib.query(terminal(), out(), name());
  }

  private void verify(Element cib, int level) throws CommandException {
    var flags = new ArrayList<>(List.of(ClusterFlag.NO_COUNTS));
    if (cib.first("status") == null) {
      flags.add(ClusterFlag.VALIDATE_ONLY);
    }
    var current = current(cib);
    if (current == null) {
      errors = true;
      return;
    }
    var cluster =
        Status.of(current, terminal().clock().get(), terminal().zone(), Set.copyOf(flags));
    Scheduler.plan(cluster);
    var gate = live && GateDoubts.hasGate(current) ? GateDoubts.of(terminal()) : List.<Finding>of();
    if (lint) {
      advise(current, gate);
    } else {
      gate.forEach(it -> tell(it, level));
    }
    if (HostHaUse.hasSettings(current)) {
      verifyHostHa(current);
    }
    for (var message : cluster.messages()) {
      if (isStillWritten(message)) {
        // Nothing needs attention: it works, and what wrote it may know no other way.
        log(new Message(Message.Severity.NOTICE, message.text()), level, 3);
        continue;
      }
      switch (message.severity()) {
        case CONFIG_ERROR, CONFIG_WARNING -> report(message);
        case ERROR, LOG_ERROR -> log(message, level, 1);
        case WARNING, LOG_WARNING -> log(message, level, 2);
        case NOTICE -> log(message, level, 3);
        case INFO -> log(message, level, 4);
      }
    }
  }

  private void tell(Finding it, int level) {
    if (it.severity() == Finding.Severity.NOTICE) {
      log(new Message(Message.Severity.NOTICE, ROLES + it.said()), level, 3);
    } else {
      report(new Message(Message.Severity.CONFIG_WARNING, ROLES + it.said()));
    }
  }

  private void verifyHostHa(Element cib) {
    var setup = SetupReader.read(cib);
    for (var fault : setup.faults()) {
      unsound = true;
      if (detail || !quiet) {
        out().error("error: " + HOST_HA + fault);
      }
    }
    setup.doubts().forEach(it -> report(new Message(Message.Severity.CONFIG_WARNING, HOST_HA + it)));
    var providers = new Providers(Layout.of(terminal().environment()));
    setup.configuration().hosts().values().stream()
        .map(setup.configuration()::valuesOf)
        .filter(it -> it.is(Setting.ENABLED))
        .map(it -> it.text(Setting.PROVIDER))
        .distinct()
        .map(providers::doubt)
        .filter(Objects::nonNull)
        .forEach(it -> report(new Message(Message.Severity.CONFIG_WARNING, HOST_HA + it)));
  }

  /// @param live what is known of the running cluster besides its configuration
  private void advise(Element current, List<Finding> live) {
    var now = terminal().clock().get();
    var findings =
        new ArrayList<>(Lint.of(current, ClusterOptions.read(current, now, terminal().zone())));
    findings.addAll(live);
    findings.sort(Comparator.comparing(Finding::severity));
    advised = findings.stream().anyMatch(it -> it.severity() != Finding.Severity.NOTICE);
    switch (out()) {
      case TextOutput text -> findings.forEach(it -> text.print(it.text() + "\n"));
      case XmlOutput xml -> {
        xml.open("lint");
        for (var it : findings) {
          xml.add("finding", "id", it.id(), "severity", it.severity().word())
              .attr("about", it.about().isEmpty() ? null : it.about())
              .attr("what", it.what())
              .attr("fix", it.fix());
        }
        xml.close();
      }
    }
  }

  private static boolean isStillWritten(Message message) {
    return message.severity() == Message.Severity.CONFIG_WARNING
        && STILL_WRITTEN.matcher(message.text()).find();
  }

  /// The CIB in the current schema; null if it does not conform to its own, or cannot be brought to
  /// the current one. What stands against it has been said.
  private @Nullable Element current(Element cib) {
    var schema = cib.get("validate-with");
    if (schema == null || !CibSchemas.isKnown(schema)) {
      CibValidation.problems(cib)
          .forEach(it -> report(new Message(Message.Severity.CONFIG_ERROR, it)));
      return null;
    }
    if (schema.equals("none")) {
      exempt();
    }
    var whole = ConfiguredCib.withStatus(cib);
    if (!CibValidation.problems(whole).isEmpty()) {
      ConfiguredCib.problems(whole, document).forEach(out()::error);
      return null;
    }
    try {
      return ConfiguredCib.upgrade(terminal(), whole);
    } catch (CommandException e) {
      out()
          .error(
              "The cluster will NOT be able to use this configuration.\n"
                  + "Please manually update the configuration to conform to the "
                  + SchemaUpgrade.CURRENT
                  + " syntax.");
      return null;
    }
  }

  /// Said at each of the two looks at the schema's name.
  private void exempt() {
    for (var look = 0; look < 2; look++) {
      report(
          new Message(
              Message.Severity.CONFIG_WARNING,
              "Support for validate-with='none' is deprecated and will be removed in a future"
                  + " release without the possibility of upgrades (manually edit to use a supported"
                  + " schema)"));
    }
  }

  /// `PCMK_stderr` has the log on standard error, one level more of it.
  private void log(Message message, int level, int needed) {
    if (level >= (StatusMessages.wanted(terminal()) ? needed - 1 : needed)) {
      terminal().err().println(message.logLine());
    }
  }

  private void report(Message message) {
    var error = message.severity() == Message.Severity.CONFIG_ERROR;
    errors |= error;
    warnings |= !error;
    if (detail) {
      out().error((error ? "error: " : "warning: ") + message.text());
    }
  }
}
