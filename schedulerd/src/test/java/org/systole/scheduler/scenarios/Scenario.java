package org.systole.scheduler.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.systole.common.output.TextOutput;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Message;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.NameFilter;
import org.systole.scheduler.status.PlannedActions;
import org.systole.scheduler.status.ScoreView;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.View;

/// A small cluster with what is decided about it.
///
/// The input says in its head which feature it is about and what must be decided. It is planned for
/// at its `execution-date`, in UTC.
///
/// @param file the input, `NAME.xml`; what is expected is in `NAME.expected` beside it
record Scenario(Path file) {
  private static final String ENDING = ".xml";

  static List<Scenario> in(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(ENDING))
          .sorted()
          .map(Scenario::new)
          .toList();
    }
  }

  String name() {
    var name = file.getFileName().toString();
    return name.substring(0, name.length() - ENDING.length());
  }

  Path expected() {
    return file.resolveSibling(name() + ".expected");
  }

  /// Plans, and writes down what is decided: the summary, each action with what it waits for, the
  /// scores, and the complaints about the input.
  String decided() throws IOException, XmlException {
    var cib = XmlReader.parse(Files.readAllBytes(file));
    return decided(cib, Instant.ofEpochSecond(Long.parseLong(cib.get("execution-date", ""))));
  }

  /// The same for any input.
  static String decided(Element cib, Instant now) {
    var transition = Scheduler.run(cib, now, ZoneOffset.UTC, Set.of(ClusterFlag.OUTPUT_SCORES));
    var text = new StringBuilder();
    text.append(summary(transition.cluster()));
    section(text, "Actions", actions(transition.graph()));
    section(text, "Scores", scores(transition.cluster()));
    section(text, "Messages", messages(transition.cluster()));
    return text.toString();
  }

  /// The comment in the head of the input.
  String reasoning() throws IOException {
    var text = Files.readString(file);
    var start = text.indexOf("<!--");
    var end = text.indexOf("-->");
    return start < 0 || end < start ? "" : text.substring(start + 4, end).strip();
  }

  private static String summary(WorkingSet cluster) {
    return written(
        out -> {
          out.begin("Transition Summary");
          PlannedActions.show(
              new View(
                  cluster,
                  out,
                  EnumSet.noneOf(Show.class),
                  NameFilter.ALL,
                  NameFilter.ALL,
                  ZoneOffset.UTC));
          out.end();
        });
  }

  private static List<String> scores(WorkingSet cluster) {
    return written(out -> ScoreView.show(out, cluster.scoreLines()))
        .lines()
        .filter(line -> !line.isBlank())
        .sorted()
        .toList();
  }

  private static String written(Consumer<TextOutput> writing) {
    var bytes = new ByteArrayOutputStream();
    var stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    var out = new TextOutput(stream, stream);
    out.setFancy(true);
    writing.accept(out);
    out.finish(0);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static void section(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      text.append('\n').append(title).append(":\n");
      lines.forEach(line -> text.append("  ").append(line).append('\n'));
    }
  }

  private static List<String> actions(TransitionGraph graph) {
    var lines = new ArrayList<String>();
    graph.synapses().stream()
        .sorted((one, other) -> name(one.actions()).compareTo(name(other.actions())))
        .forEach(
            synapse -> {
              lines.add(name(synapse.actions()));
              synapse.inputs().stream()
                  .map(Scenario::name)
                  .sorted()
                  .forEach(input -> lines.add("  after " + input));
            });
    return lines;
  }

  private static String name(List<GraphAction> actions) {
    return String.join(" + ", actions.stream().map(Scenario::name).toList());
  }

  private static String name(GraphAction action) {
    var what = action.key().isEmpty() ? action.operation() : action.key();
    var name =
        switch (action.kind()) {
          case RESOURCE -> action.operation().equals("cancel") ? "cancel " + what : what;
          case PSEUDO -> what + " (point)";
          case CLUSTER -> what + fencing(action);
        };
    return action.node() == null ? name : name + " on " + action.node();
  }

  private static String fencing(GraphAction action) {
    var how = action.meta("stonith_action");
    var delay = action.meta("priority-fencing-delay");
    return (how == null ? "" : " (" + how + ")")
        + (delay == null ? "" : " delayed by " + delay + "s");
  }

  private static List<String> messages(WorkingSet cluster) {
    var lines = new ArrayList<String>();
    for (var message : cluster.messages()) {
      if (message.severity() != Message.Severity.INFO
          && message.severity() != Message.Severity.NOTICE) {
        lines.add(message.severity() + ": " + message.text());
      }
    }
    return lines;
  }

  /// The schema the input claims to follow.
  String schema() throws IOException, XmlException {
    Element cib = XmlReader.parse(Files.readAllBytes(file));
    return cib.get("validate-with", "");
  }
}
