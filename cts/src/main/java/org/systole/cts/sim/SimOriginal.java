package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// The configuration a cluster began with, and what has been asked for that says otherwise: what runs
/// well is known only for the first.
final class SimOriginal {
  private final TreeMap<String, CibOp> putBack = new TreeMap<>();

  /// A change is asked for.
  void asked(@Nullable Element original, CibOp change) {
    var section = change.section();
    if (original == null || section == null) {
      return;
    }
    if (change.byXPath()) {
      takenAway(original, section);
    }
    if (change.byXPath() || change.xml() == null) {
      return;
    }
    try {
      var asked = XmlReader.parse(change.xml());
      var was = original.find(it -> it.is(asked.name()) && asked.id() != null && asked.id().equals(it.id()));
      if (was != null && differs(was, asked)) {
        putBack.put(section + " " + was.id(), CibOp.put(section, was));
      }
    } catch (XmlException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// A resource is deleted, as if its path said so.
  private void takenAway(Element original, String xpath) {
    var was =
        original.find(
            it -> it.is("primitive") && xpath.endsWith("//primitive[@id=%s]".formatted(CibXPath.literal(it.get("id", "")))));
    if (was != null) {
      putBack.put("resources " + was.id(), CibOp.put("resources", was));
      var disabled = "//meta_attributes[@id=%s]".formatted(CibXPath.literal(SimRemovalFault.OFF + was.id()));
      putBack.put("then " + was.id(), CibOp.deleteAllXPath(disabled)); // where it was not deleted after all
    }
  }

  private static boolean differs(Element was, Element asked) {
    for (var at = 0; at < asked.attributeCount(); at++) {
      var before = was.get(asked.attributeName(at));
      if (before != null && !before.equals(asked.attributeValue(at))) {
        return true;
      }
    }
    return asked.children().stream()
        .anyMatch(
            it -> {
              var same = it.id() == null ? was.first(it.name()) : was.first(it.name(), it.id());
              return same != null && differs(same, it);
            });
  }

  /// What puts all of that back.
  List<CibOp> putBack() {
    return new ArrayList<>(putBack.values());
  }
}
