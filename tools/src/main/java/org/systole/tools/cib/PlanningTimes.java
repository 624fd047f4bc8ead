package org.systole.tools.cib;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// Plans every file of a directory several times and shows how long it took.
///
/// @param repeat how often each is planned
/// @param date the time it is planned for, as the user wrote it; null for the file's own
record PlanningTimes(Terminal terminal, Output out, int repeat, @Nullable String date) {
  private static final double MILLIS_PER_SECOND = 1000;

  /// Files that are no CIB are left out.
  ///
  /// @throws CommandException if the directory cannot be read
  ExitStatus show(String directory) throws CommandException {
    var names = names(directory);
    if (!names.isEmpty()) {
      out.begin("Timings");
      names.forEach(it -> time(directory + "/" + it));
      out.end();
    }
    return ExitStatus.OK;
  }

  private List<String> names(String directory) throws CommandException {
    try (var files = Files.list(terminal.resolve(directory))) {
      return files
          .filter(Files::isRegularFile)
          .map(Path::getFileName)
          .map(Path::toString)
          .filter(it -> it.endsWith(".xml") && !it.startsWith("."))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new CommandException(ExitStatus.NOINPUT, "Could not read directory " + directory);
    }
  }

  private void time(String file) {
    Element cib;
    try {
      cib = ConfiguredCib.read(terminal, file);
    } catch (XmlException | CommandException e) {
      return;
    }
    var start = terminal.clock().get();
    for (var round = 0; round < repeat; round++) {
      Scheduler.plan(Status.of(cib, moment(cib), terminal.zone(), Set.of()));
    }
    var took = Duration.between(start, terminal.clock().get());
    var seconds = String.format(Locale.ROOT, "%.2f", took.toMillis() / MILLIS_PER_SECOND);
    switch (out) {
      case TextOutput text -> text.item("Testing " + file + " ... " + seconds + " secs");
      case XmlOutput xml -> xml.add("timing", "file", file, "duration", seconds);
    }
  }

  private Instant moment(Element cib) {
    var now = terminal.now();
    var assumed = date == null ? null : IsoTime.tryParse(date, now);
    if (assumed != null) {
      return assumed.toInstant();
    }
    var original = Numbers.parse(cib.get("execution-date"), 0);
    return original > 0 ? Instant.ofEpochSecond(original) : now.toInstant();
  }
}
