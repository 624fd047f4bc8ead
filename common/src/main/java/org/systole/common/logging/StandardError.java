package org.systole.common.logging;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// What the daemon's standard error leads to: a terminal, or the service manager's log.
final class StandardError implements LogTarget {
  private final String origin;

  StandardError(String origin) {
    this.origin = origin;
  }

  @Override
  public String what() {
    return "standard error";
  }

  @Override
  public void write(List<LogLine> lines) {
    var text = new StringBuilder();
    lines.forEach(it -> text.append(it.withTime(origin)));
    var bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    System.err.write(bytes, 0, bytes.length);
    System.err.flush();
  }
}
