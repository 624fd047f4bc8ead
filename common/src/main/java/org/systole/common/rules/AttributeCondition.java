package org.systole.common.rules;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.Numbers;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;

/// Evaluates an `expression`: a comparison of a node attribute with a value.
final class AttributeCondition {
  private enum Operation {
    DEFINED,
    NOT_DEFINED,
    EQ,
    NE,
    LT,
    LTE,
    GT,
    GTE;

    boolean needsValue() {
      return this != DEFINED && this != NOT_DEFINED;
    }

    boolean ranks() {
      return needsValue() && this != EQ && this != NE;
    }
  }

  private final Diagnostics diagnostics;
  private final RuleContext context;

  AttributeCondition(Diagnostics diagnostics, RuleContext context) {
    this.diagnostics = diagnostics;
    this.context = context;
  }

  RuleResult evaluate(Element expression) {
    var id = expression.get("id", "");
    if (id.isEmpty()) {
      diagnostics.error("Treating expression without id as not passing");
      return RuleResult.INVALID;
    }
    var attribute = expression.get("attribute");
    if (attribute == null) {
      return invalid(id, "attribute was not specified");
    }
    var word = expression.get("operation");
    if (word == null) {
      return invalid(id, "it has no operation");
    }
    var operation = operation(word);
    if (operation == null) {
      return invalid(id, "'" + word + "' is not a valid operation");
    }
    var source = expression.get("value-source", "literal").toLowerCase(Locale.ROOT);
    if (!source.equals("literal") && !source.equals("param") && !source.equals("meta")) {
      return invalid(id, "'" + expression.get("value-source") + "' is not a valid value-source");
    }
    var value = expression.get("value");
    if (operation.needsValue() != (value != null)) {
      return invalid(
          id,
          "value is "
              + (operation.needsValue() ? "required" : "not allowed")
              + " when operation is "
              + word);
    }
    var actual = context.nodeAttributes().get(expand(attribute));
    var reference = value == null ? null : reference(value, source);
    return compare(id, expression.get("type"), operation, actual, reference);
  }

  private RuleResult invalid(String id, String why) {
    diagnostics.error("Treating expression " + id + " as not passing because " + why);
    return RuleResult.INVALID;
  }

  private static @Nullable Operation operation(String word) {
    for (var operation : Operation.values()) {
      if (operation.name().equalsIgnoreCase(word)) {
        return operation;
      }
    }
    return null;
  }

  private @Nullable String reference(String value, String source) {
    return switch (source) {
      case "param" -> context.parameters().get(value);
      case "meta" -> context.meta().get(value);
      default -> value;
    };
  }

  /// Puts in what the resource id matched for each `%0` to `%9`.
  private String expand(String attribute) {
    if (context.submatches().isEmpty() || attribute.indexOf('%') < 0) {
      return attribute;
    }
    var out = new StringBuilder();
    for (var at = 0; at < attribute.length(); at++) {
      var c = attribute.charAt(at);
      var digit = at + 1 < attribute.length() ? attribute.charAt(at + 1) - '0' : -1;
      if (c != '%' || digit < 0 || digit > 9) {
        out.append(c);
        continue;
      }
      at++;
      if (digit < context.submatches().size()) {
        out.append(context.submatches().get(digit));
      }
    }
    return out.toString();
  }

  private RuleResult compare(
      String id,
      @Nullable String typeWord,
      Operation operation,
      @Nullable String actual,
      @Nullable String reference) {
    var type =
        typeWord != null ? typeWord.toLowerCase(Locale.ROOT) : type(operation, actual, reference);
    switch (type) {
      case "string", "integer", "number", "version" -> {}
      default -> {
        return invalid(id, "'" + typeWord + "' is not a valid type");
      }
    }
    if (operation.ranks() && (actual == null || reference == null)) {
      return RuleResult.UNSATISFIED;
    }
    var order = operation.needsValue() ? order(type, actual, reference) : 0;
    return switch (operation) {
      case DEFINED -> satisfied(actual != null, RuleResult.UNSATISFIED);
      case NOT_DEFINED -> satisfied(actual == null, RuleResult.UNSATISFIED);
      case EQ -> satisfied(order == 0, RuleResult.UNSATISFIED);
      case NE -> satisfied(order != 0, RuleResult.UNSATISFIED);
      case LT -> satisfied(order < 0, RuleResult.AFTER_RANGE);
      case LTE -> satisfied(order <= 0, RuleResult.AFTER_RANGE);
      case GT -> satisfied(order > 0, RuleResult.BEFORE_RANGE);
      case GTE -> satisfied(order >= 0, RuleResult.BEFORE_RANGE);
    };
  }

  private static RuleResult satisfied(boolean yes, RuleResult otherwise) {
    return yes ? RuleResult.SATISFIED : otherwise;
  }

  private static String type(
      Operation operation, @Nullable String actual, @Nullable String reference) {
    if (!operation.ranks()) {
      return "string";
    }
    var fraction =
        actual != null && actual.contains(".") || reference != null && reference.contains(".");
    return fraction ? "number" : "integer";
  }

  private int order(String type, @Nullable String actual, @Nullable String reference) {
    if (actual == null || reference == null) {
      return Boolean.compare(actual != null, reference != null);
    }
    return switch (type) {
      case "integer" -> {
        if (!Numbers.isNumber(actual) || !Numbers.isNumber(reference)) {
          yield asStrings(actual, reference, "integers");
        }
        yield Long.compare(Numbers.parse(actual, 0), Numbers.parse(reference, 0));
      }
      case "number" -> {
        var left = Numbers.parseDouble(actual);
        var right = Numbers.parseDouble(reference);
        yield left == null || right == null
            ? asStrings(actual, reference, "numbers")
            : Double.compare(left, right);
      }
      case "version" -> Version.compare(actual, reference);
      default -> actual.compareToIgnoreCase(reference);
    };
  }

  private int asStrings(String actual, String reference, String type) {
    diagnostics.doubt(
        "Comparing '" + actual + "' and '" + reference + "' as strings because invalid as " + type);
    return actual.compareToIgnoreCase(reference);
  }
}
