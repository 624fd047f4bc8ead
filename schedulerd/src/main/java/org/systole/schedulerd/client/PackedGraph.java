package org.systole.schedulerd.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;

/// A transition graph in which each long value stands once. Every action of a resource has all its
/// parameters: on seven nodes a long one is there seven times and more, and the plan would be many
/// times as long as the configuration. So packed it is hardly longer than that.
///
/// ```
/// <packed-graph><value text="..."/>... <transition_graph>... name="@@0" ...</transition_graph></packed-graph>
/// ```
public final class PackedGraph {
  /// Shorter plans go as they are.
  private static final int PLAIN_MAX = 1 << 20;

  private static final int LONG = 256;
  private static final String PACKED = "packed-graph";
  private static final String VALUE = "value";
  private static final String TEXT = "text";
  private static final String MARK = "@@";

  /// Comes after the mark where a value begins with it itself.
  private static final String ITSELF = "=";

  private PackedGraph() {}

  /// The graph itself if it is short.
  public static Element pack(Element graph) {
    if (graph.textLength() <= PLAIN_MAX) {
      return graph;
    }
    var places = new LinkedHashMap<String, Integer>();
    var packed = packed(graph, places);
    var whole = Element.builder(PACKED);
    places.keySet().forEach(it -> whole.add(Element.of(VALUE, TEXT, it)));
    return whole.add(packed).build();
  }

  private static Element packed(Element element, Map<String, Integer> places) {
    var made = Element.builder(element.name()).text(element.text());
    for (var at = 0; at < element.attributeCount(); at++) {
      var value = element.attributeValue(at);
      var instead =
          value.length() >= LONG
              ? MARK + places.computeIfAbsent(value, _ -> places.size())
              : value.startsWith(MARK) ? MARK + ITSELF + value : value;
      made.attr(element.attributeName(at), instead);
    }
    element.children().forEach(it -> made.add(packed(it, places)));
    return made.build();
  }

  /// The graph as it was; equal values are one object.
  ///
  /// @throws XmlException if it is no graph that was packed
  public static Element unpack(Element packed) throws XmlException {
    if (!packed.is(PACKED)) {
      return packed;
    }
    var values = new ArrayList<String>();
    packed.children(VALUE).forEach(it -> values.add(it.get(TEXT, "")));
    for (var child : packed.children()) {
      if (!child.is(VALUE)) {
        return unpacked(child, values);
      }
    }
    throw new XmlException("a packed plan without a graph", 0);
  }

  private static Element unpacked(Element element, List<String> values) throws XmlException {
    var made = Element.builder(element.name()).text(element.text());
    for (var at = 0; at < element.attributeCount(); at++) {
      made.attr(element.attributeName(at), value(element.attributeValue(at), values));
    }
    for (var child : element.children()) {
      made.add(unpacked(child, values));
    }
    return made.build();
  }

  private static String value(String packed, List<String> values) throws XmlException {
    if (!packed.startsWith(MARK)) {
      return packed;
    }
    var named = packed.substring(MARK.length());
    if (named.startsWith(ITSELF)) {
      return named.substring(ITSELF.length());
    }
    try {
      return values.get(Integer.parseInt(named));
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw new XmlException("a packed plan names a value that is not there: " + packed, 0);
    }
  }
}
