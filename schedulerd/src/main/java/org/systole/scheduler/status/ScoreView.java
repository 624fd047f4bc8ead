package org.systole.scheduler.status;

import java.util.List;
import java.util.Map;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.HashOrder;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ScoreLine;

/// Shows scores and utilization as they were in the course of planning.
public final class ScoreView {
  private ScoreView() {}

  /// Shows each as an item of the current list.
  public static void show(Output out, List<ScoreLine> lines) {
    for (var line : lines) {
      if (line instanceof ScoreLine.Note(var note)) {
        out.info(note);
        continue;
      }
      switch (out) {
        case TextOutput text -> text.item(text(line));
        case XmlOutput xml -> add(xml, line);
      }
    }
  }

  private static String text(ScoreLine line) {
    return switch (line) {
      case ScoreLine.Allocation it ->
          it.step()
              + ": "
              + it.resource()
              + " allocation score on "
              + it.node()
              + ": "
              + Score.format(it.score());
      case ScoreLine.Promotion it ->
          it.resource()
              + " promotion score "
              + (it.node() == null ? "(inactive)" : "on " + it.node())
              + ": "
              + Score.format(it.score());
      case ScoreLine.Capacity it ->
          it.when() + ": " + it.node() + " capacity:" + values(it.values());
      case ScoreLine.Use it ->
          it.step()
              + ": "
              + it.resource()
              + " utilization on "
              + it.node()
              + ":"
              + values(it.values());
      case ScoreLine.Note it -> it.text();
    };
  }

  private static String values(Map<String, String> values) {
    var text = new StringBuilder();
    HashOrder.of(values.keySet())
        .forEach(name -> text.append(' ').append(name).append('=').append(values.get(name)));
    return text.toString();
  }

  private static void add(XmlOutput out, ScoreLine line) {
    switch (line) {
      case ScoreLine.Allocation it ->
          out.add("node_weight", "function", it.step(), "node", it.node())
              .attr("score", Score.format(it.score()))
              .attr("id", it.resource());
      case ScoreLine.Promotion it ->
          out.add("promotion_score", "id", it.resource(), "score", Score.format(it.score()))
              .attr("node", it.node());
      case ScoreLine.Capacity it -> {
        out.open("capacity", "node", it.node(), "comment", it.when());
        HashOrder.of(it.values().keySet())
            .forEach(name -> out.addText(name, it.values().get(name)));
        out.close();
      }
      case ScoreLine.Use it -> {
        out.open(
            "utilization", "resource", it.resource(), "node", it.node(), "function", it.step());
        HashOrder.of(it.values().keySet())
            .forEach(name -> out.addText(name, it.values().get(name)));
        out.close();
      }
      case ScoreLine.Note it -> out.info(it.text());
    }
  }
}
