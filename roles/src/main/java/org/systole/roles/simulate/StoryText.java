package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// What a story's elements say in plain lines.
public final class StoryText {
  private StoryText() {}

  /// The steps of a story, numbered, each with what came of it.
  public static List<String> lines(List<Element> steps) {
    var lines = new ArrayList<String>();
    var number = 0;
    for (var step : steps) {
      lines.add(++number + ". " + head(step));
      step.children().forEach(it -> lines(it, "   ", lines));
    }
    return lines;
  }

  private static String head(Element step) {
    var head = new StringBuilder(step.get("do", ""));
    for (var at = 0; at < step.attributeCount(); at++) {
      if (!step.attributeName(at).equals("do")) {
        head.append(' ').append(step.attributeName(at)).append('=').append(step.attributeValue(at));
      }
    }
    return head.toString();
  }

  /// The lines of one view.
  public static List<String> lines(Element view) {
    var lines = new ArrayList<String>();
    lines(view, "", lines);
    return lines;
  }

  private static void lines(Element of, String indent, List<String> into) {
    switch (of.name()) {
      case "refused" -> into.add(indent + "refused: " + of.text());
      case "event" ->
          into.add(
              indent + "event " + of.get("name") + " " + of.get("subject") + with(": ", of.get("trouble", "")));
      case "change" ->
          into.add(
              "%s%s: %s -> %s%s"
                  .formatted(
                      indent,
                      of.get("of"),
                      of.get("from"),
                      of.get("to"),
                      with(": ", of.get("cause", ""))));
      case "pass" -> {
        into.add(indent + "pass");
        of.children().forEach(it -> lines(it, indent + "  ", into));
      }
      case "run" -> into.add(indent + run(of));
      case "ended" ->
          into.add(
              "%send of run %s of %s%s"
                  .formatted(
                      indent,
                      of.get("run"),
                      of.get("noderole"),
                      of.get("taken", "").equals("true") ? "" : ": not under way, ignored"));
      default -> view(of, indent, into);
    }
  }

  private static String with(String before, String text) {
    return text.isEmpty() ? "" : before + text;
  }

  private static String run(Element run) {
    var what =
        switch (run.get("kind", "")) {
          case "done_before" -> "no run of " + run.get("noderole") + ", which is done once and was";
          case "ask" -> "no run of " + run.get("noderole") + ", which is done once and was begun";
          default -> "run " + run.get("run") + " of " + run.get("noderole");
        };
    return what
        + ": "
        + run.get("state", "gone")
        + with(": ", run.get("cause", ""))
        + with(", wall ", run.get("wall", ""));
  }

  private static void view(Element of, String indent, List<String> into) {
    switch (of.name()) {
      case "graph" -> {
        for (var noderole : of.children()) {
          var parents =
              noderole.children().stream()
                  .map(it -> it.get("noderole", ""))
                  .collect(Collectors.joining(", "));
          into.add(
              "%s%s %s%s%s"
                  .formatted(
                      indent,
                      noderole.id(),
                      noderole.get("state"),
                      with(", on ", parents),
                      with(": ", noderole.get("cause", ""))));
        }
      }
      case "waits" -> {
        of.children().forEach(it -> into.add(indent + it.get("text")));
        if (of.childCount() == 0) {
          into.add(indent + "nothing waits");
        }
      }
      case "attributes" -> {
        into.add(indent + of.get("noderole") + " sees " + of.get("merged"));
        of.children().forEach(it -> into.add(indent + "  " + it.get("at") + " from " + it.get("from")));
      }
      case "data" ->
          into.add(
              "%s%s user %s, system %s, wall %s, %s"
                  .formatted(
                      indent,
                      of.get("noderole"),
                      of.get("user"),
                      of.get("system"),
                      of.get("wall"),
                      lastRun(of.get("run", "0"))));
      case "nodes", "snapshots", "audit" ->
          of.children().forEach(it -> into.add(indent + line(it)));
      case "groups" -> of.children().forEach(it -> group(it, indent, into));
      case "unbound" -> of.children().forEach(it -> into.add(indent + it.get("id")));
      case "inventory" -> inventory(of, indent, into);
      case "difference" -> difference(of, indent, into);
      case "dot" -> String.valueOf(of.text()).lines().forEach(it -> into.add(indent + it));
      default -> XmlWriter.pretty(of).lines().forEach(it -> into.add(indent + it));
    }
  }

  private static String line(Element of) {
    return switch (of.name()) {
      case "snapshot" ->
          "%s %s, %s noderoles".formatted(of.get("id"), of.get("state"), of.get("noderoles"));
      case "did" ->
          "%s %s on %s (%s): %s"
              .formatted(
                  of.get("when"), of.get("user"), of.get("node"), of.get("client"), of.get("what"));
      default ->
          "%s in %s, %s%s: %s"
              .formatted(
                  of.get("name"),
                  of.get("deployment"),
                  of.get("alive", "").equals("true") ? "alive" : "not there",
                  of.get("available", "").equals("true") ? "" : ", not available",
                  of.get("roles", "").isEmpty() ? "no roles" : of.get("roles"));
    };
  }

  private static void group(Element group, String indent, List<String> into) {
    into.add(
        "%s%s %s on %s: %s"
            .formatted(
                indent,
                group.get("deployment"),
                group.get("role"),
                group.get("nodes", "").equals("1") ? "1 node" : group.get("nodes") + " nodes",
                group.get("counts")));
    for (var line : group.children()) {
      into.add(
          indent
              + "  "
              + (line.is("more")
                  ? "and " + line.get("failed") + " more"
                  : line.get("node") + ": " + line.get("cause")));
    }
  }

  private static void difference(Element of, String indent, List<String> into) {
    into.add(indent + "from " + of.get("from") + " to " + of.get("to"));
    if (of.has("missing")) {
      into.add(indent + "  there is no snapshot " + of.get("missing"));
    }
    if (of.childCount() == 0 && !of.has("missing")) {
      into.add(indent + "  they want the same");
    }
    for (var change : of.children()) {
      into.add(
          change.has("at")
              ? "%s  %s %s: %s -> %s"
                  .formatted(
                      indent,
                      change.get("subject"),
                      change.get("at"),
                      change.get("before", "none"),
                      change.get("after", "none"))
              : "%s%s %s".formatted(indent, change.has("after") ? "+" : "-", change.get("subject")));
    }
  }

  private static void inventory(Element of, String indent, List<String> into) {
    var nodes = of.get("nodes", "");
    into.add(indent + (nodes.isEmpty() ? "no node has told of its agents" : "of " + nodes));
    for (var line : of.children()) {
      switch (line.name()) {
        case "agents" -> agents(line, indent, into);
        case "needed" ->
            into.add(
                "%sresources use %s, which is missing on %s"
                    .formatted(indent, line.get("agent"), line.get("missing")));
        case "untold" ->
            into.add("%s%s does not tell: %s".formatted(indent, line.get("node"), line.get("why")));
        default -> versions(line, indent, into);
      }
    }
  }

  private static void agents(Element line, String indent, List<String> into) {
    var all = line.get("everywhere", "");
    into.add(indent + line.get("kind") + ": " + (all.isEmpty() ? "none everywhere" : all));
    for (var it : line.children()) {
      into.add("%s  %s is missing on %s".formatted(indent, it.get("agent"), it.get("missing")));
    }
  }

  private static void versions(Element line, String indent, List<String> into) {
    var versions =
        line.children().stream()
            .map(it -> it.get("node") + " " + it.get("is"))
            .collect(Collectors.joining(", "));
    into.add(
        "%spackage %s: %s"
            .formatted(
                indent,
                line.get("name"),
                versions.isEmpty() ? line.get("version") : "differs: " + versions));
  }

  private static String lastRun(String number) {
    return number.equals("0") ? "no run so far" : "last run " + number;
  }
}
