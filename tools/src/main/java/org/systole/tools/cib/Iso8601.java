package org.systole.tools.cib;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.IsoDuration;
import org.systole.common.values.IsoException;
import org.systole.common.values.IsoPeriod;
import org.systole.common.values.IsoTime;
import org.systole.scheduler.model.Message;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.StatusMessages;
import picocli.CommandLine.Option;

/// `iso8601`: reads and shows dates, durations and periods.
@picocli.CommandLine.Command(description = "Display and parse ISO 8601 dates and times")
public final class Iso8601 extends Command {
  private @Nullable String date;

  @Option(
      names = {"-p", "--period"},
      paramLabel = "PERIOD",
      description =
          "Parse an ISO 8601 period (interval) with start time (for example,"
              + " '2005-040/2005-043')")
  private @Nullable String period;

  @Option(
      names = {"-D", "--duration"},
      paramLabel = "DURATION",
      description = "Parse an ISO 8601 duration (for example, 'P1M')")
  private @Nullable String duration;

  @Option(
      names = {"-E", "--expected"},
      paramLabel = "TEXT",
      description = "Exit with error status if result does not match this text. Requires: -n or -d")
  private @Nullable String expected;

  @Option(
      names = {"-s", "--seconds"},
      description = "Show result as a seconds since 0000-001 00:00:00Z")
  private boolean seconds;

  @Option(
      names = {"-S", "--epoch"},
      description = "Show result as a seconds since EPOCH (1970-001 00:00:00Z)")
  private boolean epoch;

  @Option(
      names = {"-L", "--local"},
      description = "Show result as a 'local' date/time")
  private boolean local;

  @Option(
      names = {"-O", "--ordinal"},
      description = "Show result as an 'ordinal' date/time")
  private boolean ordinal;

  @Option(
      names = {"-W", "--week"},
      description = "Show result as an 'calendar week' date/time")
  private boolean week;

  public Iso8601() {
    super("iso8601");
  }

  @Option(
      names = {"-n", "--now"},
      description = "Display the current date/time")
  void setNow(boolean yes) {
    date = "now";
  }

  @Option(
      names = {"-d", "--date"},
      paramLabel = "DATE",
      description =
          "Parse an ISO 8601 date/time (for example, '2019-09-24 00:30:00+01:00' or '2019-040')")
  void setDate(String text) {
    date = text;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    IsoTime moment = null;
    if (date != null) {
      var now = date.equalsIgnoreCase("now");
      moment = now ? terminal().now() : moment(date);
      show("date", now ? "Current date/time" : "Date", format(moment, local));
    }
    var length = duration == null ? null : length(duration);
    if (length != null) {
      show("duration", "Duration", length.toString());
    }
    if (period != null) {
      show(period(period));
    }
    var result = moment;
    if (moment != null && length != null) {
      result = moment.plus(length);
      show("duration_ends", "Duration ends at", format(result, true));
    }
    var matches =
        result == null || expected == null || expected.equalsIgnoreCase(format(result, local));
    return matches ? ExitStatus.OK : ExitStatus.ERROR;
  }

  private IsoTime moment(String text) throws CommandException {
    try {
      return IsoTime.parse(text, terminal().now());
    } catch (IsoException e) {
      throw invalid("date/time", text, e);
    }
  }

  private IsoDuration length(String text) throws CommandException {
    try {
      return IsoDuration.parse(text);
    } catch (IsoException e) {
      throw invalid("duration", text, e);
    }
  }

  private IsoPeriod period(String text) throws CommandException {
    try {
      return IsoPeriod.parse(text, terminal().now());
    } catch (IsoException e) {
      throw invalid("interval", text, e);
    }
  }

  private CommandException invalid(String what, String text, IsoException e) {
    if (verbosity() > 0 || StatusMessages.wanted(terminal())) {
      var why = new Message(Message.Severity.ERROR, String.valueOf(e.getMessage()), e.step(), "");
      terminal().err().println(why.logLine());
    }
    return new CommandException(
        ExitStatus.INVALID_PARAM, "Invalid " + what + " specified: " + text);
  }

  private String format(IsoTime moment, boolean keepOffset) {
    if (seconds) {
      return Long.toString(moment.secondsSinceYearOne());
    }
    if (epoch) {
      return Long.toString(moment.epochSecond());
    }
    var style =
        week ? IsoTime.Style.WEEK : ordinal ? IsoTime.Style.ORDINAL : IsoTime.Style.CALENDAR;
    return moment.format(style, keepOffset);
  }

  private void show(String element, String label, String value) {
    switch (out()) {
      case TextOutput text -> text.info(label + ": " + value);
      case XmlOutput xml -> xml.addText(element, value);
    }
  }

  private void show(IsoPeriod shown) {
    var start = format(shown.start(), local);
    var end = format(shown.end(), local);
    switch (out()) {
      case TextOutput text -> text.info("Period: " + start + " to " + end);
      case XmlOutput xml -> {
        xml.open("period");
        xml.addText("start", start);
        xml.addText("end", end);
        xml.close();
      }
    }
  }
}
