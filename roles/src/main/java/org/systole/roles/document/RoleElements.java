package org.systole.roles.document;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.data.Retries;
import org.systole.roles.model.JigId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleEvent;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;

/// A role as an element, both ways.
final class RoleElements {
  private RoleElements() {}

  static @Nullable Role role(Element at, Parts parts) {
    var id = parts.id(at, "id", RoleId::of);
    var jig = parts.id(at, "jig", JigId::of);
    if (id == null || jig == null) {
      return null;
    }
    return new Role(
        id,
        at.get("description", ""),
        jig,
        flags(at),
        names(at, "requires", "role", parts),
        names(at, "conflicts", "role", parts),
        names(at, "provides", "name", parts),
        parts.data(at.first("data"), "role " + id),
        events(at, "role " + id, parts),
        time(at, "timeout", Role.TIMEOUT_MILLIS, 1, parts),
        new Role.Check(
            time(at, "check-interval", 0, Role.Check.INTERVAL_MIN_MILLIS, parts),
            at.get("check-then", "").strip().equals("redo")));
  }

  private static long time(Element at, String name, long otherwise, long least, Parts parts) {
    var text = at.get(name);
    if (text == null) {
      return otherwise;
    }
    var millis = Interval.read(text.strip());
    if (millis == null || millis < least || millis > Role.TIMEOUT_MAX_MILLIS) {
      parts.fault(
          at,
          "role %s has %s=\"%s\": it has to be a time %sup to one day"
              .formatted(
                  at.get("id", ""), name, text, least > 1 ? "from " + least / 1000 + " s " : ""));
      return otherwise;
    }
    return millis;
  }

  static EnumSet<RoleFlag> flags(Element at) {
    var flags = EnumSet.noneOf(RoleFlag.class);
    for (var flag : RoleFlag.values()) {
      if (Parts.yes(at, flag.word(), false)) {
        flags.add(flag);
      }
    }
    return flags;
  }

  private static SortedSet<RoleId> names(Element at, String name, String attribute, Parts parts) {
    var names = new TreeSet<RoleId>();
    for (var element : at.children(name)) {
      var id = parts.id(element, attribute, RoleId::of);
      if (id != null && !names.add(id)) {
        parts.fault(
            element, "role " + at.get("id", "") + " says <" + name + "> " + id + " twice");
      }
    }
    return names;
  }

  private static Map<RoleEvent, Json.Obj> events(Element at, String where, Parts parts) {
    var on = new EnumMap<RoleEvent, Json.Obj>(RoleEvent.class);
    for (var element : at.children("on")) {
      var event = RoleEvent.of(element.get("event", "").strip());
      if (event == null) {
        parts.fault(element, where + ": there is no event " + element.get("event", ""));
      } else if (on.put(event, parts.data(element, where)) != null) {
        parts.fault(element, where + " answers " + event.word() + " twice");
      }
    }
    return on;
  }

  /// Notes what a role may not answer events with. A document that has it from before is read all the same.
  static void checkAnswers(Role role, Element at, Parts parts) {
    for (var element : at.children("on")) {
      var answer = role.on().get(RoleEvent.of(element.get("event", "").strip()));
      if (answer != null && Retries.isIn(answer, role.id().text())) {
        parts.fault(element, Retries.fault(role.id().text(), element.get("event", "").strip()));
      }
    }
  }

  static Element element(Role role) {
    var element =
        Element.builder("role")
            .attr("id", role.id().text())
            .attr("jig", role.jig().text())
            .attr("description", role.description().isEmpty() ? null : role.description())
            .attr(
                "timeout",
                role.timeoutMillis() == Role.TIMEOUT_MILLIS
                    ? null
                    : role.timeoutMillis() + "ms")
            .attr(
                "check-interval",
                role.check().isNone() ? null : role.check().intervalMillis() + "ms")
            .attr("check-then", role.check().redo() ? "redo" : null);
    for (var flag : RoleFlag.values()) {
      element.attr(flag.word(), role.is(flag) ? "true" : null);
    }
    role.requires().forEach(it -> element.add(Element.of("requires", "role", it.text())));
    role.conflicts().forEach(it -> element.add(Element.of("conflicts", "role", it.text())));
    role.provides().forEach(it -> element.add(Element.of("provides", "name", it.text())));
    data("data", role.data()).forEach(element::add);
    role.on()
        .forEach(
            (event, data) ->
                element.add(Element.of("on", "event", event.word()).withText(data.toString())));
    return element.build();
  }

  /// The element that holds data; none where there are none.
  static List<Element> data(String name, Json.Obj data) {
    var elements = new ArrayList<Element>();
    if (!data.isEmpty()) {
      elements.add(Element.of(name).withText(data.toString()));
    }
    return elements;
  }
}
