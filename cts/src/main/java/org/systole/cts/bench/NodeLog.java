package org.systole.cts.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The moments at which a node's log has lines of a kind.
final class NodeLog {
  private static final int STAMP = "Nov 21 01:02:03.456".length();
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy MMM dd HH:mm:ss.SSS", Locale.ROOT);

  private NodeLog() {}

  /// @param since earlier ones are left out; seconds since the epoch
  static List<Double> moments(Path log, String pattern, double since) throws IOException {
    var wanted = Pattern.compile(pattern);
    var found = new ArrayList<Double>();
    List<String> lines;
    try {
      lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return found;
    }
    for (var line : lines) {
      if (line.length() > STAMP && wanted.matcher(line).find()) {
        var moment = moment(line.substring(0, STAMP));
        if (moment >= since - 0.001) {
          found.add(moment);
        }
      }
    }
    return found;
  }

  private static double moment(String stamp) {
    try {
      var local = LocalDateTime.parse(LocalDateTime.now().getYear() + " " + stamp, TIME);
      var moment = local.atZone(ZoneId.systemDefault()).toInstant();
      return moment.toEpochMilli() / 1e3;
    } catch (DateTimeParseException e) {
      return 0;
    }
  }
}
