package org.systole.tools.cib;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// A patchset as text for people, one line a change.
final class PatchText {
  private final List<String> lines = new ArrayList<>();

  private PatchText() {}

  static List<String> of(Element patch) {
    var text = new PatchText();
    text.header(patch);
    patch.children("change").forEach(text::change);
    return text.lines;
  }

  private void header(Element patch) {
    var source = CibPatch.source(patch);
    var target = CibPatch.target(patch);
    var from = source == null ? CibVersion.NONE : source;
    var to = target == null ? CibVersion.NONE : target;
    if (!from.equals(to)) {
      lines.add("Diff: --- " + from + " " + patch.get("format", "(no format)"));
      lines.add("Diff: +++ " + to + " " + patch.get("digest", "(no digest)"));
    } else if (!to.equals(CibVersion.NONE)) {
      lines.add("Local-only Change: " + to);
    }
  }

  private void change(Element change) {
    var path = change.get("path", "");
    switch (change.get("operation", "")) {
      case "create" -> created("++ " + path + ": ", change);
      case "move" -> lines.add("+~ " + path + " moved to offset " + change.get("position", ""));
      case "modify" -> modified(path, change);
      case "delete" -> {
        var position = change.get("position");
        lines.add("-- " + path + (position == null ? "" : " (" + position + ")"));
      }
      default -> {}
    }
  }

  /// The created element's first line stands behind the path, the rest below it.
  private void created(String prefix, Element change) {
    if (change.childCount() == 0) {
      return;
    }
    var below = "++" + " ".repeat(prefix.length() - 2);
    var first = true;
    for (var line : XmlWriter.pretty(change.child(0)).lines().toList()) {
      lines.add((first ? prefix : below) + " " + line);
      first = false;
    }
  }

  private void modified(String path, Element change) {
    var list = change.first("change-list");
    if (list == null) {
      return;
    }
    var set = new ArrayList<String>();
    var unset = new ArrayList<String>();
    for (var attribute : list.children()) {
      var name = attribute.get("name", "");
      switch (attribute.get("operation", "")) {
        case "set" -> set.add("@" + name + "=" + attribute.get("value", ""));
        case "unset" -> unset.add("@" + name);
        default -> {}
      }
    }
    if (!set.isEmpty()) {
      lines.add("+  " + path + ":  " + String.join(", ", set));
    }
    if (!unset.isEmpty()) {
      lines.add("-- " + path + ":  " + String.join(", ", unset));
    }
  }
}
