package org.systole.tools.cib;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.RuleResult;
import org.systole.common.rules.Rules;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import picocli.CommandLine.Option;

/// `crm_rule`: tells whether rules that depend on the date are in effect.
@picocli.CommandLine.Command(description = "evaluate rules from the Pacemaker configuration")
public final class CrmRule extends Command {
  @Option(
      names = {"-c", "--check"},
      description = "Check whether a rule is in effect")
  private boolean check;

  @Option(
      names = {"-X", "--xml-text"},
      paramLabel = "XML",
      description = "Use argument for XML (or stdin if '-')")
  private @Nullable String text;

  @Option(
      names = {"-d", "--date"},
      paramLabel = "DATE",
      description = "Whether the rule is in effect on a given date")
  private @Nullable String date;

  @Option(
      names = {"-r", "--rule"},
      paramLabel = "ID",
      description = "The ID of the rule to check (may be specified multiple times)")
  private List<String> ids = new ArrayList<>();

  /// What is known of one rule.
  ///
  /// @param problem why nothing is known; null if something is
  private record Finding(
      ExitStatus status, @Nullable RuleResult result, @Nullable String problem) {}

  public CrmRule() {
    super("crm_rule");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (!check) {
      throw CommandException.usage("No mode operation given");
    }
    if (ids.isEmpty()) {
      throw CommandException.usage("--check requires use of --rule=");
    }
    var now = date == null ? terminal().now() : IsoTime.tryParse(date, terminal().now());
    if (now == null || now.year() > 9999) {
      throw new CommandException(ExitStatus.DATAERR, "Invalid date specified: '" + date + "'");
    }
    var cib = input();
    var status = ExitStatus.OK;
    for (var id : ids) {
      var finding = evaluate(cib, id, now);
      show(id, finding);
      if (finding.status() != ExitStatus.OK) {
        status = finding.status();
      }
    }
    return status;
  }

  private Element input() throws CommandException {
    if (text == null) {
      return ConfiguredCib.query(terminal(), out(), name());
    }
    try {
      return text.equals("-") ? XmlInput.read(terminal(), "-") : XmlReader.parse(text);
    } catch (XmlException e) {
      XmlInput.explain(terminal(), text.equals("-") ? "stdin" : "input string", e);
      throw new CommandException(
          ExitStatus.DATAERR,
          text.equals("-")
              ? "Couldn't parse input from STDIN"
              : "Couldn't parse input string: " + text);
    }
  }

  private static Finding evaluate(Element cib, String id, IsoTime now) {
    var rules = new ArrayList<Element>();
    collect(cib, "rule", rules);
    rules.removeIf(rule -> !id.equals(rule.id()));
    if (rules.isEmpty()) {
      return new Finding(ExitStatus.NOSUCH, null, "Rule not found");
    }
    if (rules.size() > 1) {
      return new Finding(ExitStatus.MULTIPLE, null, "Found more than one rule with matching ID");
    }
    var dates = new ArrayList<Element>();
    rules.getFirst().children().forEach(child -> collect(child, "date_expression", dates));
    if (dates.size() != 1) {
      var problem =
          dates.isEmpty()
              ? "Rule does not have a date expression"
              : "Rule has more than one date expression";
      return new Finding(ExitStatus.UNIMPLEMENT_FEATURE, null, problem);
    }
    return evaluateDate(cib, dates.getFirst(), now);
  }

  private static void collect(Element element, String name, List<Element> into) {
    if (element.is(name)) {
      into.add(element);
    }
    element.children().forEach(child -> collect(child, name, into));
  }

  private static Finding evaluateDate(Element cib, Element expression, IsoTime now) {
    var operation = expression.get("operation");
    var specification = expression.first("date_spec");
    var years = specification != null && specification.has("years");
    if (operation == null || operation.equals("date_spec") && !years) {
      return new Finding(
          ExitStatus.UNIMPLEMENT_FEATURE,
          null,
          "Rule must either not use date_spec, or use date_spec with years=");
    }
    var result = new Rules(cib, Diagnostics.NONE).date(expression, RuleContext.at(now), null);
    return switch (result) {
      case SATISFIED, WITHIN_RANGE -> new Finding(ExitStatus.OK, result, null);
      case BEFORE_RANGE -> new Finding(ExitStatus.NOT_YET_IN_EFFECT, result, "Error parsing rule");
      case AFTER_RANGE -> new Finding(ExitStatus.EXPIRED, result, "Error parsing rule");
      case UNSATISFIED -> new Finding(ExitStatus.UNSATISFIED, result, "Error parsing rule");
      case INVALID -> new Finding(ExitStatus.CONFIG, null, "Error parsing rule");
    };
  }

  private void show(String id, Finding finding) {
    if (out() instanceof XmlOutput xml) {
      xml.add("rule-check").attr("rule-id", id).attr("rc", finding.status().code());
    }
    var result = finding.result();
    if (result == null) {
      out().error("Could not determine whether rule " + id + " is in effect: " + finding.problem());
      return;
    }
    if (out() instanceof TextOutput) {
      out().info("Rule " + id + ' ' + words(result));
    }
  }

  private static String words(RuleResult result) {
    return switch (result) {
      case WITHIN_RANGE -> "is still in effect";
      case SATISFIED -> "satisfies conditions";
      case AFTER_RANGE -> "is expired";
      case BEFORE_RANGE -> "has not yet taken effect";
      case UNSATISFIED, INVALID -> "does not satisfy conditions";
    };
  }
}
