package org.systole.common.rules;

import java.util.Locale;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.values.Range;
import org.systole.common.xml.Element;

/// Evaluates date expressions.
final class DateRules {
  /// One attribute of a date specification and the part of a date it restricts.
  private record Field(String attribute, ToIntFunction<IsoTime> value) {}

  private static final Field[] FIELDS = {
    new Field("years", IsoTime::year),
    new Field("months", IsoTime::month),
    new Field("monthdays", IsoTime::dayOfMonth),
    new Field("hours", IsoTime::hour),
    new Field("minutes", IsoTime::minute),
    new Field("seconds", IsoTime::second),
    new Field("yeardays", IsoTime::day),
    new Field("weekyears", IsoTime::weekYear),
    new Field("weeks", IsoTime::week),
    new Field("weekdays", IsoTime::weekday),
  };

  /// Says that an expression is not satisfied because it is invalid.
  private static final class Invalid extends Exception {
    private static final long serialVersionUID = 1;

    Invalid(String why) {
      super(why, null, false, false);
    }
  }

  private final Diagnostics diagnostics;

  DateRules(Diagnostics diagnostics) {
    this.diagnostics = diagnostics;
  }

  RuleResult evaluate(Element expression, IsoTime now, @Nullable NextChange next) {
    var id = expression.get("id", "");
    if (id.isEmpty()) {
      diagnostics.error("Treating date_expression without id as not passing");
      return RuleResult.INVALID;
    }
    var operation = expression.get("operation", "in_range");
    try {
      return switch (operation.toLowerCase(Locale.ROOT)) {
        case "in_range" -> inRange(expression, now, next);
        case "date_spec" -> specification(expression, now);
        case "gt" -> after(expression, now, next);
        case "lt" -> before(expression, now, next);
        default -> throw new Invalid("'" + operation + "' is not a valid operation");
      };
    } catch (Invalid e) {
      diagnostics.error(
          "Treating date_expression " + id + " as not passing because " + e.getMessage());
      return RuleResult.INVALID;
    }
  }

  private RuleResult inRange(Element expression, IsoTime now, @Nullable NextChange next)
      throws Invalid {
    var start = moment(expression, "start", now);
    var end = moment(expression, "end", now);
    if (start == null && end == null) {
      throw new Invalid("in_range requires at least one of start or end");
    }
    var duration = expression.first("duration");
    if (end == null && start != null && duration != null) {
      end = end(duration, start);
    }
    if (start != null && now.isBefore(start)) {
      offer(next, start);
      return RuleResult.BEFORE_RANGE;
    }
    if (end != null) {
      if (now.isAfter(end)) {
        return RuleResult.AFTER_RANGE;
      }
      offer(next, end.plusSeconds(1));
    }
    return RuleResult.WITHIN_RANGE;
  }

  private static RuleResult after(Element expression, IsoTime now, @Nullable NextChange next)
      throws Invalid {
    var start = moment(expression, "start", now);
    if (start == null) {
      throw new Invalid("gt requires start");
    }
    if (now.isAfter(start)) {
      return RuleResult.WITHIN_RANGE;
    }
    offer(next, start.plusSeconds(1));
    return RuleResult.BEFORE_RANGE;
  }

  private static RuleResult before(Element expression, IsoTime now, @Nullable NextChange next)
      throws Invalid {
    var end = moment(expression, "end", now);
    if (end == null) {
      throw new Invalid("lt requires end");
    }
    if (now.isBefore(end)) {
      offer(next, end);
      return RuleResult.WITHIN_RANGE;
    }
    return RuleResult.AFTER_RANGE;
  }

  private static void offer(@Nullable NextChange next, IsoTime moment) {
    if (next != null) {
      next.offer(moment);
    }
  }

  private static @Nullable IsoTime moment(Element expression, String attribute, IsoTime now)
      throws Invalid {
    var text = expression.get(attribute);
    if (text == null) {
      return null;
    }
    var moment = IsoTime.tryParse(text, now);
    if (moment == null) {
      throw new Invalid(attribute + " is invalid");
    }
    return moment;
  }

  /// The end of a `duration` element that begins at `start`.
  private static IsoTime end(Element duration, IsoTime start) throws Invalid {
    if (duration.get("id", "").isEmpty()) {
      throw new Invalid("duration subelement has no id");
    }
    return start
        .plusYears(amount(duration, "years"))
        .plusMonths(amount(duration, "months"))
        .plusDays(7L * amount(duration, "weeks"))
        .plusDays(amount(duration, "days"))
        .plusSeconds(3600L * amount(duration, "hours"))
        .plusSeconds(60L * amount(duration, "minutes"))
        .plusSeconds(amount(duration, "seconds"));
  }

  private static int amount(Element duration, String attribute) throws Invalid {
    var text = duration.get(attribute);
    if (text == null) {
      return 0;
    }
    var scan = Numbers.scan(text, 0);
    if (!scan.valid() || scan.value() != (int) scan.value()) {
      throw new Invalid("duration " + duration.id() + " attribute " + attribute + " is invalid");
    }
    return (int) scan.value();
  }

  private static RuleResult specification(Element expression, IsoTime now) throws Invalid {
    var specification = expression.first("date_spec");
    if (specification == null) {
      throw new Invalid("date_spec operations require a date_spec subelement");
    }
    if (specification.get("id", "").isEmpty()) {
      throw new Invalid("date_spec subelement has no id");
    }
    for (var field : FIELDS) {
      var text = specification.get(field.attribute());
      if (text == null) {
        continue;
      }
      var range = Range.parse(text);
      if (range == null) {
        throw new Invalid(
            "'" + text + "' is not a valid range for date_spec attribute " + field.attribute());
      }
      var value = field.value().applyAsInt(now);
      if (range.isAbove(value)) {
        return RuleResult.BEFORE_RANGE;
      }
      if (range.isBelow(value)) {
        return RuleResult.AFTER_RANGE;
      }
    }
    return RuleResult.SATISFIED;
  }
}
