package org.systole.scheduler.corpus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.systole.common.output.TextOutput;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.sim.Injections;
import org.systole.scheduler.sim.Simulation;

/// One input, run as the reference suite runs it: once for what is shown to people, once for
/// scores, graph and drawing.
final class CorpusCase {
  /// The kinds of results.
  static final List<String> KINDS = List.of("summary", "dot", "exp", "scores");

  private static final String EXEMPT =
      "Schema validation of configuration is disabled (support for validate-with set to \"none\" is"
          + " deprecated and will be removed in a future release)\n";

  private final Corpus corpus;
  private final String name;
  private final Simulation.Planner planner;
  private final Map<String, String> results = new LinkedHashMap<>();

  CorpusCase(Corpus corpus, String name, Simulation.Planner planner) {
    this.corpus = corpus;
    this.name = name;
    this.planner = planner;
  }

  /// What came of it, by kind; a text that says what went wrong if something did.
  Map<String, String> results() {
    return results;
  }

  /// The kinds of results that are as expected.
  Set<String> run() throws IOException {
    try {
      var input = input();
      results.put("summary", show(input));
      plan(input);
    } catch (XmlException | RuntimeException | StackOverflowError e) {
      var text = new java.io.StringWriter();
      e.printStackTrace(new java.io.PrintWriter(text));
      for (var kind : KINDS) {
        results.putIfAbsent(kind, text.toString());
      }
    }
    var good = new TreeSet<String>();
    for (var kind : KINDS) {
      var expected = normal(kind, corpus.expected(kind, name));
      if (expected.equals(normal(kind, results.getOrDefault(kind, "")))) {
        good.add(kind);
      }
    }
    return good;
  }

  private Element input() throws IOException, XmlException {
    var cib = XmlReader.parse(corpus.input(name));
    var result = SchemaUpgrade.toCurrent(cib);
    if (!result.isOk()) {
      throw new IllegalStateException(String.join("\n", result.problems()));
    }
    var current = result.cib();
    return current.first("status") == null ? current.plus(Element.of("status")) : current;
  }

  private Simulation simulation(TextOutput out, boolean scores, Simulation.Sinks sinks) {
    var options = new Simulation.Options(true, true, scores, false, true, false, false, Set.of());
    var now = IsoTime.of(Instant.parse("2026-11-21T00:00:00Z"), ZoneOffset.UTC);
    return new Simulation(out, planner, options, sinks, corpus.date(name), now, ZoneOffset.UTC);
  }

  private String show(Element input) {
    var bytes = new ByteArrayOutputStream();
    var stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    if ("none".equals(input.get("validate-with"))) {
      stream.print(EXEMPT);
    }
    var out = new TextOutput(stream, stream);
    out.setFancy(true);
    simulation(out, false, Simulation.Sinks.NONE).run(input, Injections.NONE);
    out.finish(0);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private void plan(Element input) {
    var bytes = new ByteArrayOutputStream();
    var stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    var out = new TextOutput(stream, stream);
    out.setQuiet(true);
    var sinks =
        new Simulation.Sinks(
            null,
            graph -> results.put("exp", graph.toString()),
            drawing -> results.put("dot", drawing));
    simulation(out, true, sinks).run(input, Injections.NONE);
    out.finish(0);
    results.put("scores", bytes.toString(StandardCharsets.UTF_8));
  }

  /// Lines without white space, in the order that counts for the kind.
  static List<String> normal(String kind, String text) {
    var lines = new ArrayList<String>();
    for (var line : text.lines().toList()) {
      var plain = line;
      if (kind.equals("exp")) {
        plain =
            plain
                .replaceAll("crm_feature_set=\"[^\"]*\"", "")
                .replaceAll("batch-limit=\"[0-9]*\"", "");
      }
      plain = plain.replaceAll("\\s+", "");
      if (!plain.isEmpty()) {
        lines.add(plain);
      }
    }
    if (kind.equals("scores")) {
      Collections.sort(lines);
    } else if (kind.equals("dot") && lines.size() > 2) {
      var inner = new TreeSet<>(lines.subList(1, lines.size() - 1));
      var sorted = new ArrayList<String>();
      sorted.add(lines.getFirst());
      sorted.addAll(inner);
      sorted.add(lines.getLast());
      return sorted;
    }
    return lines;
  }
}
