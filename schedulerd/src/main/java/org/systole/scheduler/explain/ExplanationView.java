package org.systole.scheduler.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.explain.Answer.OfActions;
import org.systole.scheduler.explain.Answer.OfNode;
import org.systole.scheduler.explain.Answer.Planned;
import org.systole.scheduler.explain.Explanation.Condition;
import org.systole.scheduler.explain.Explanation.Contribution;
import org.systole.scheduler.explain.Explanation.Decision;
import org.systole.scheduler.explain.Explanation.Place;
import org.systole.scheduler.explain.Explanation.Step;

/// Shows explanations.
public final class ExplanationView {
  private ExplanationView() {}

  public static void show(Output out, Answer answer) {
    switch (out) {
      case TextOutput text -> {
        switch (answer) {
          case Explanation resource -> resource.decisions().forEach(it -> show(text, it));
          case OfNode node -> show(text, node);
          case OfActions actions -> actions.actions().forEach(it -> show(text, it));
        }
      }
      case XmlOutput xml ->
          xml.add(
              switch (answer) {
                case Explanation resource -> element(resource);
                case OfNode node -> element(node);
                case OfActions actions -> element(actions);
              });
    }
  }

  private static void show(TextOutput text, OfNode node) {
    text.print(node.node() + (node.usable() ? " can run resources\n" : " cannot take resources\n"));
    node.conditions().forEach(it -> text.print("  * " + line(it) + "\n"));
    node.steps().forEach(it -> show(text, it));
    for (var each : node.resources()) {
      text.print("  %s %s: %s\n".formatted(each.resource(), each.what(), each.reason()));
    }
  }

  private static void show(TextOutput text, Planned action) {
    text.print(
        "%s %s%s: %s\n"
            .formatted(action.action(), on(action.node()), action.state(), action.reason()));
    action.after().forEach(it -> text.print("  waits for " + it + "\n"));
    action.before().forEach(it -> text.print("  comes before " + it + "\n"));
  }

  private static void show(TextOutput text, Step step) {
    text.print(
        "  %s %s%s: %s\n".formatted(step.action(), on(step.node()), step.state(), step.reason()));
  }

  private static String on(@Nullable String node) {
    return node == null ? "" : "on " + node + " ";
  }

  private static Element element(OfNode node) {
    var root =
        Element.builder("explanation").attr("node", node.node()).attr("usable", node.usable());
    node.conditions().forEach(it -> root.add(element("condition", it)));
    node.steps().forEach(it -> root.add(element(it)));
    for (var each : node.resources()) {
      root.add(
          Element.builder("presence")
              .attr("resource", each.resource())
              .attr("what", each.what())
              .attr("reason", each.reason()));
    }
    return root.build();
  }

  private static Element element(OfActions actions) {
    var root = Element.builder("explanation").attr("action", actions.key());
    for (var each : actions.actions()) {
      var element =
          Element.builder("action")
              .attr("key", each.action())
              .attr("node", each.node())
              .attr("state", each.state())
              .attr("reason", each.reason());
      each.after().forEach(it -> element.add(Element.builder("after").attr("action", it)));
      each.before().forEach(it -> element.add(Element.builder("before").attr("action", it)));
      root.add(element);
    }
    return root.build();
  }

  private static Element element(Step step) {
    return Element.builder("action")
        .attr("key", step.action())
        .attr("node", step.node())
        .attr("state", step.state())
        .attr("reason", step.reason())
        .build();
  }

  private static void show(TextOutput text, Decision decision) {
    var place = decision.chosen() == null ? "nowhere" : "on " + decision.chosen();
    text.print(
        "%s will be %s (%s): %s\n"
            .formatted(decision.resource(), place, decision.role(), decision.reason()));
    decision.conditions().forEach(it -> text.print("  * " + line(it) + "\n"));
    decision.places().forEach(it -> show(text, it));
    decision.steps().forEach(it -> show(text, it));
  }

  private static void show(TextOutput text, Place place) {
    text.print(
        "  %s%s: %s\n"
            .formatted(
                place.node(),
                place.chosen() ? " (chosen)" : "",
                place.score() == null ? "not allowed" : "score " + Score.format(place.score())));
    place.obstacles().forEach(it -> text.print("    * " + line(it) + "\n"));
    for (var each : place.contributions()) {
      text.print(
          "    %s%s %s%s\n"
              .formatted(
                  each.score() > 0 ? "+" : "",
                  Score.format(each.score()),
                  each.promotion() ? "for promotion: " + each.text() : each.text(),
                  ids(each.sources(), each.text())));
    }
    if (!place.change().isEmpty()) {
      text.print("    would have to change: " + place.change() + "\n");
    }
  }

  private static String line(Condition condition) {
    return condition.text() + ids(condition.sources(), condition.text());
  }

  private static String ids(List<String> sources, String text) {
    var rest = sources.stream().filter(it -> !text.contains(it)).toList();
    return rest.isEmpty() ? "" : " [" + String.join(", ", rest) + "]";
  }

  private static Element element(Explanation explanation) {
    var root =
        Element.builder("explanation")
            .attr("resource", explanation.resource())
            .attr("node", explanation.node());
    for (var decision : explanation.decisions()) {
      root.add(element(decision));
    }
    return root.build();
  }

  private static Element element(Decision decision) {
    var element =
        Element.builder("decision")
            .attr("resource", decision.resource())
            .attr("node", decision.chosen())
            .attr("role", decision.role())
            .attr("reason", decision.reason());
    decision.conditions().forEach(it -> element.add(element("condition", it)));
    decision.places().forEach(it -> element.add(element(it)));
    decision.steps().forEach(it -> element.add(element(it)));
    return element.build();
  }

  private static Element element(String name, Condition condition) {
    return Element.builder(name)
        .attr("kind", condition.kind())
        .attr("source", source(condition.sources()))
        .attr("text", condition.text())
        .build();
  }

  private static Element element(Place place) {
    var element =
        Element.builder("place")
            .attr("node", place.node())
            .attr("chosen", place.chosen())
            .attr("score", place.score() == null ? null : Score.format(place.score()))
            .attr("change", place.change().isEmpty() ? null : place.change());
    place.obstacles().forEach(it -> element.add(element("obstacle", it)));
    place.contributions().forEach(it -> element.add(element(it)));
    return element.build();
  }

  private static Element element(Contribution each) {
    return Element.builder("cause")
        .attr("kind", each.kind())
        .attr("score", Score.format(each.score()))
        .attr("source", source(each.sources()))
        .attr("promotion", each.promotion() ? "true" : null)
        .attr("text", each.text())
        .build();
  }

  private static @Nullable String source(List<String> sources) {
    return sources.isEmpty() ? null : String.join(" ", sources);
  }
}
