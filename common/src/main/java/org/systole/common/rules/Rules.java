package org.systole.common.rules;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;

/// Evaluates the rules of one document. Not for use by several threads.
public final class Rules {
  private final Element document;
  private final Diagnostics diagnostics;
  private final DateRules dates;
  private @Nullable Map<String, Element> byNameAndId;

  /// @param document where an `id-ref` is looked up
  public Rules(Element document, Diagnostics diagnostics) {
    this.document = document;
    this.diagnostics = diagnostics;
    this.dates = new DateRules(diagnostics);
  }

  Diagnostics diagnostics() {
    return diagnostics;
  }

  /// The element itself, or the one of the same name that its `id-ref` names; null, and an error
  /// reported, if there is none.
  public @Nullable Element resolve(Element element) {
    var ref = element.get("id-ref");
    if (ref == null) {
      return element;
    }
    if (byNameAndId == null) {
      byNameAndId = new HashMap<>();
      index(document, byNameAndId);
    }
    var found = byNameAndId.get(element.name() + ' ' + ref);
    if (found == null) {
      diagnostics.error(
          "Ignoring invalid "
              + element.name()
              + " configuration: id-ref '"
              + ref
              + "' does not reference a valid object");
    }
    return found;
  }

  private static void index(Element element, Map<String, Element> into) {
    if (element.id() != null) {
      into.putIfAbsent(element.name() + ' ' + element.id(), element);
    }
    for (var child : element.children()) {
      index(child, into);
    }
  }

  /// Evaluates a rule with all its conditions, following its `id-ref`.
  ///
  /// @param next told of moments at which the result may change; null if that is not wanted
  public RuleResult evaluate(Element ruleOrRef, RuleContext context, @Nullable NextChange next) {
    var rule = resolve(ruleOrRef);
    if (rule == null) {
      return RuleResult.INVALID;
    }
    var id = rule.get("id", "");
    if (id.isEmpty()) {
      diagnostics.error("Treating rule without id as not passing");
      return RuleResult.INVALID;
    }
    var word = rule.get("boolean-op", "and");
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "and" -> all(rule, context, next);
      case "or" -> any(rule, context, next);
      default -> {
        diagnostics.error(
            "Treating rule "
                + id
                + " as not passing because '"
                + word
                + "' is not a valid boolean-op");
        yield RuleResult.INVALID;
      }
    };
  }

  private RuleResult all(Element rule, RuleContext context, @Nullable NextChange next) {
    var empty = true;
    for (var condition : rule.children()) {
      if (!condition.isComment()) {
        empty = false;
        if (!condition(condition, context, next).passes()) {
          return RuleResult.UNSATISFIED;
        }
      }
    }
    if (empty) {
      warnEmpty(rule);
    }
    return RuleResult.SATISFIED;
  }

  private RuleResult any(Element rule, RuleContext context, @Nullable NextChange next) {
    var empty = true;
    for (var condition : rule.children()) {
      if (!condition.isComment()) {
        empty = false;
        if (condition(condition, context, next).passes()) {
          return RuleResult.SATISFIED;
        }
      }
    }
    if (empty) {
      warnEmpty(rule);
      return RuleResult.SATISFIED;
    }
    return RuleResult.UNSATISFIED;
  }

  private void warnEmpty(Element rule) {
    diagnostics.warning("Ignoring rule " + rule.id() + " because it contains no conditions");
  }

  /// Evaluates one condition of a rule: an expression of any kind, or a rule inside the rule.
  public RuleResult condition(Element condition, RuleContext context, @Nullable NextChange next) {
    return switch (condition.name()) {
      case "rule" -> evaluate(condition, context, next);
      case "expression" -> new AttributeCondition(diagnostics, context).evaluate(condition);
      case "date_expression" -> dates.evaluate(condition, context.now(), next);
      case "rsc_expression" -> agent(condition, context);
      case "op_expression" -> operation(condition, context);
      default -> {
        diagnostics.error(
            "Treating rule condition "
                + condition.get("id", "without ID")
                + " as not passing because "
                + condition.name()
                + " is not a valid condition type");
        yield RuleResult.INVALID;
      }
    };
  }

  /// Evaluates a date expression alone; [RuleResult#WITHIN_RANGE] and [RuleResult#SATISFIED]
  /// differ.
  public RuleResult date(Element expression, RuleContext context, @Nullable NextChange next) {
    return dates.evaluate(expression, context.now(), next);
  }

  private RuleResult agent(Element condition, RuleContext context) {
    if (condition.get("id", "").isEmpty()) {
      diagnostics.error("Treating rsc_expression without id as not passing");
      return RuleResult.INVALID;
    }
    var same =
        isUnlessNull(condition.get("class"), context.standard())
            && isUnlessNull(condition.get("provider"), context.provider())
            && isUnlessNull(condition.get("type"), context.agent());
    return same ? RuleResult.SATISFIED : RuleResult.UNSATISFIED;
  }

  private static boolean isUnlessNull(@Nullable String wanted, @Nullable String actual) {
    return wanted == null || wanted.equals(actual);
  }

  private RuleResult operation(Element condition, RuleContext context) {
    var id = condition.get("id", "");
    if (id.isEmpty()) {
      diagnostics.error("Treating op_expression without id as not passing");
      return RuleResult.INVALID;
    }
    var name = condition.get("name");
    if (name == null) {
      diagnostics.error("Treating op_expression " + id + " as not passing because it has no name");
      return RuleResult.INVALID;
    }
    var interval = condition.get("interval");
    var intervalMs = interval == null ? null : Interval.read(interval);
    if (interval != null && intervalMs == null) {
      diagnostics.error(
          "Treating op_expression "
              + id
              + " as not passing because '"
              + interval
              + "' is not a valid interval");
      return RuleResult.INVALID;
    }
    var same =
        name.equals(context.operation())
            && (intervalMs == null || intervalMs == context.intervalMs());
    return same ? RuleResult.SATISFIED : RuleResult.UNSATISFIED;
  }
}
