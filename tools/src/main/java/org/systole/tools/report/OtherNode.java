package org.systole.tools.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// Has another node collect its part, over a remote shell.
///
/// @param shell the remote shell's program and options, such as `ssh -T`
/// @param user who to be there
record OtherNode(List<String> shell, String user, ReportScope scope) {
  static final String COLLECT = "--collect";
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]*");

  /// A node that can be asked: its name is none of the remote shell's options; null otherwise.
  static @Nullable NodeName named(String text) {
    return NAME.matcher(text).matches() ? NodeName.of(text) : null;
  }

  /// @param to where the node's directory goes
  /// @param patience how long it may take
  /// @throws IOException if the node cannot be asked, does not answer in time, or answers wrongly
  void collect(NodeName node, Path to, Duration patience) throws IOException {
    var process = new ProcessBuilder(command(node)).start();
    try {
      process.getOutputStream().close();
      var watch = Thread.ofVirtual().start(() -> end(process, patience));
      var errors = new StringBuilder();
      var reader = Thread.ofVirtual().start(() -> errors(process, errors));
      try {
        ReportArchive.read(process.getInputStream(), node, to);
      } catch (IOException e) {
        reader.join(LAST_WORDS); // before the process is ended, which closes what it says
        var said = errors.toString().lines().reduce((_, last) -> last).orElse("");
        throw new IOException(said.isBlank() ? e.getMessage() : said, e);
      } finally {
        watch.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroy();
    }
  }

  private static void end(Process process, Duration patience) {
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      // it has answered
    }
  }

  private static void errors(Process process, StringBuilder into) {
    try (var in = process.getErrorStream()) {
      into.append(new String(in.readNBytes(10_000), StandardCharsets.UTF_8));
      in.skip(Long.MAX_VALUE);
    } catch (IOException _) {
      // it has ended
    }
  }

  /// The remote shell puts words together to a line for a shell there: each is quoted for it.
  List<String> command(NodeName node) {
    var words = new ArrayList<>(List.of("crm_report", COLLECT, node.text()));
    words.addAll(List.of("--from", "@" + scope.from().getEpochSecond()));
    words.addAll(List.of("--to", "@" + scope.to().getEpochSecond()));
    scope.logs().forEach(it -> words.addAll(List.of("--logfile", it)));
    scope.masked().forEach(it -> words.addAll(List.of("-p", it)));
    scope.notable().forEach(it -> words.addAll(List.of("-L", it)));
    if (!scope.searchLogs()) {
      words.add("-M");
    }
    var all = new ArrayList<>(shell);
    all.addAll(List.of("-l", user, node.text()));
    words.stream().map(OtherNode::quoted).forEach(all::add);
    return all;
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }
}
