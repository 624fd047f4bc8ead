package org.systole.common.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Log.Level;

/// Where Logback's events go: to the writer of each target.
final class Targets extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private static final String STRANGERS = "org.jgroups.";

  private final RepeatLimit repeats = new RepeatLimit();
  private final List<LogWriter> detailed = new ArrayList<>();
  private final @Nullable Level priority;
  private @Nullable LogWriter system;

  private Targets(@Nullable Level priority) {
    this.priority = priority;
  }

  static Targets of(LogSettings settings, Layout layout, DaemonLog.Owning owning) {
    var targets = new Targets(settings.priority());
    var origin =
        "%s %s[%d]"
            .formatted(settings.node(), settings.daemon(), ProcessHandle.current().pid());
    var facility = settings.facility();
    if (facility != null && settings.priority() != null) {
      var log = new SystemLog(layout.root(), settings.daemon(), settings.node(), facility);
      targets.system = LogWriter.start("system", log, targets.watcher(_ -> {}));
    }
    var file = settings.file();
    if (file != null) {
      Consumer<String> inTrouble = why -> targets.fileInTrouble(settings.daemon(), why);
      var usual = LogSettings.usualFile(layout);
      Function<Path, LogFile> at =
          path -> new LogFile(path, origin, it -> owning.give(it, settings.fileMode()));
      var log =
          file.equals(usual)
              ? at.apply(usual)
              : new ChosenFile(at.apply(file), at.apply(usual), inTrouble);
      targets.detailed.add(LogWriter.start("file", log, targets.watcher(inTrouble)));
    }
    for (var more : settings.more()) {
      Consumer<String> inTrouble = why -> targets.fileInTrouble(settings.daemon(), why);
      var log = new LogFile(more, origin, it -> owning.give(it, settings.fileMode()));
      targets.detailed.add(LogWriter.start("more", log, targets.watcher(inTrouble)));
    }
    if (settings.toErrors()) {
      targets.detailed.add(LogWriter.start("errors", new StandardError(origin), targets.watcher(_ -> {})));
    }
    return targets;
  }

  private LogWriter.Watcher watcher(Consumer<String> inTrouble) {
    return new LogWriter.Watcher() {
      @Override
      public void inTrouble(String why) {
        inTrouble.accept(why);
      }

      @Override
      public void idle() {
        repeats.ended(System.currentTimeMillis()).forEach(Targets.this::offer);
      }
    };
  }

  /// There is nobody else to tell.
  private void fileInTrouble(String daemon, String why) {
    System.err.println(daemon + ": " + why);
    if (system != null) {
      system.offer(LogLine.own(Level.ERROR, why));
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    var line =
        LogLine.of(
            event.getTimeStamp(),
            levelOf(event),
            DaemonLog.simpleName(event.getLoggerName()),
            event.getFormattedMessage());
    repeats.admit(line, event.getLoggerName().startsWith(STRANGERS)).forEach(this::offer);
  }

  private void offer(LogLine line) {
    detailed.forEach(it -> it.offer(line));
    if (system != null && priority != null && line.level().compareTo(priority) <= 0) {
      system.offer(line);
    }
  }

  private static Level levelOf(ILoggingEvent event) {
    var markers = event.getMarkerList();
    return switch (event.getLevel().toInt()) {
      case ch.qos.logback.classic.Level.ERROR_INT ->
          markers != null && markers.contains(DaemonLog.CRITICAL) ? Level.CRITICAL : Level.ERROR;
      case ch.qos.logback.classic.Level.WARN_INT -> Level.WARNING;
      case ch.qos.logback.classic.Level.INFO_INT ->
          markers != null && markers.contains(DaemonLog.NOTICE) ? Level.NOTICE : Level.INFO;
      default -> Level.DEBUG;
    };
  }

  boolean drain(Duration limit) {
    repeats.endedAll(System.currentTimeMillis()).forEach(this::offer);
    var end = System.nanoTime() + limit.toNanos();
    var all = true;
    for (var writer : detailed) {
      all &= writer.drain(Duration.ofNanos(end - System.nanoTime()));
    }
    return (system == null || system.drain(Duration.ofNanos(end - System.nanoTime()))) && all;
  }
}
