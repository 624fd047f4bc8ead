package org.systole.common.output;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// A result as one XML document, or as JSON made from it, written when the command ends.
public final class XmlOutput extends Output {
  /// How the document is written.
  public enum Syntax {
    XML,
    JSON
  }

  private static final Map<String, String> LIST_NAMES =
      Map.ofEntries(
          Map.entry("Active Resources", "resources"),
          Map.entry("Assignment Scores", "allocations"),
          Map.entry("Assignment Scores and Utilization Information", "allocations_utilizations"),
          Map.entry("Cluster Summary", "summary"),
          Map.entry("Current cluster status", "cluster_status"),
          Map.entry("Executing Cluster Transition", "transition"),
          Map.entry("Failed Resource Actions", "failures"),
          Map.entry("Fencing History", "fence_history"),
          Map.entry("Full List of Resources", "resources"),
          Map.entry("Inactive Resources", "resources"),
          Map.entry("Migration Summary", "node_history"),
          Map.entry("Negative Location Constraints", "bans"),
          Map.entry("Node Attributes", "node_attributes"),
          Map.entry("Operations", "node_history"),
          Map.entry("Resource Config", "resource_config"),
          Map.entry("Resource Operations", "operations"),
          Map.entry("Revised Cluster Status", "revised_cluster_status"),
          Map.entry("Timings", "timings"),
          Map.entry("Transition Summary", "actions"),
          Map.entry("Utilization Information", "utilizations"));

  /// An element that is still open to change.
  public static final class Node {
    private Element own;
    private final List<Node> children = new ArrayList<>();
    private boolean raw;

    private Node(Element own) {
      this.own = own;
    }

    /// Sets an attribute; a null value sets nothing.
    public Node attr(String name, @Nullable String value) {
      if (value != null) {
        own = own.with(name, value);
      }
      return this;
    }

    public Node attr(String name, long value) {
      return attr(name, Long.toString(value));
    }

    public Node attr(String name, boolean value) {
      return attr(name, Boolean.toString(value));
    }

    private Element build() {
      if (children.isEmpty()) {
        return own;
      }
      var all = new ArrayList<Element>(own.children());
      for (var child : children) {
        all.add(child.build());
      }
      return own.withChildren(all);
    }
  }

  private final PrintStream out;
  private final PrintStream err;
  private final Syntax syntax;
  private final boolean legacy;
  private final Node root;
  private final Deque<Node> open = new ArrayDeque<>();
  private final List<String> errors = new ArrayList<>();
  private boolean listElements;

  /// @param request the command line, as the result repeats it
  /// @param legacy the older form without a status, for scripts written for it
  public XmlOutput(
      PrintStream out, PrintStream err, Syntax syntax, String request, boolean legacy) {
    this.out = out;
    this.err = err;
    this.syntax = syntax;
    this.legacy = legacy;
    this.root =
        new Node(
            legacy
                ? Element.of("crm_mon", "version", Product.COMPATIBLE_VERSION)
                : Element.of(
                    "pacemaker-result", "api-version", Product.API_VERSION, "request", request));
    open.push(root);
  }

  /// Lists become elements named `list` with their title as an attribute.
  public void setListElements(boolean yes) {
    this.listElements = yes;
  }

  /// Adds an element to the current one, without opening it.
  ///
  /// @param attributes names and values in turn; one with a null value is left out
  public Node add(String name, @Nullable String... attributes) {
    var node = new Node(Element.of(name));
    for (var at = 0; at < attributes.length; at += 2) {
      var attribute = attributes[at];
      if (attribute != null) {
        node.attr(attribute, attributes[at + 1]);
      }
    }
    open.element().children.add(node);
    return node;
  }

  /// Adds a finished element to the current one.
  public void add(Element element) {
    open.element().children.add(new Node(element));
  }

  /// Adds an element that holds text.
  public Node addText(String name, String text) {
    var node = add(name);
    node.own = node.own.withText(text);
    return node;
  }

  /// Adds an element and makes it the current one, until [#close].
  public Node open(String name, @Nullable String... attributes) {
    var node = add(name, attributes);
    open.push(node);
    return node;
  }

  public void close() {
    open.pop();
  }

  /// The current element.
  public Node current() {
    return open.element();
  }

  @Override
  public void begin(@Nullable String singular, @Nullable String plural, @Nullable String title) {
    var text = title == null ? "" : title;
    var name = LIST_NAMES.getOrDefault(text, text.toLowerCase(Locale.ROOT));
    if (listElements) {
      open("list", "name", name);
    } else {
      open(name);
    }
  }

  @Override
  public void item(@Nullable String name, String text) {
    addText("item", text).attr("name", name);
  }

  @Override
  public void countItem() {}

  @Override
  public void end() {
    var list = open.pop();
    if (listElements) {
      list.attr("count", list.children.size());
    }
  }

  @Override
  public void spacer() {}

  @Override
  public boolean info(String text) {
    return false;
  }

  @Override
  public void error(String text) {
    errors.add(text);
  }

  @Override
  public void xml(String name, String text) {
    addText(name, text).raw = true;
  }

  @Override
  public void subprocess(int status, @Nullable String stdout, @Nullable String stderr) {
    open("command", "code", Integer.toString(status));
    if (stdout != null) {
      addText("output", stdout).attr("source", "stdout");
    }
    if (stderr != null) {
      addText("output", stderr).attr("source", "stderr");
    }
    // stays the current element: what the caller adds next belongs to it
  }

  @Override
  public void version() {
    add(
        "version",
        "program",
        "Pacemaker",
        "version",
        Product.COMPATIBLE_VERSION,
        "author",
        "the Systole project contributors",
        "build",
        "systole",
        "features",
        "");
  }

  @Override
  public void finish(int exitStatus) {
    if (legacy) {
      if (exitStatus != 0) {
        err.print(ExitStatus.text(exitStatus) + "\n");
      }
      errors.forEach(error -> err.print(error + "\n"));
    } else {
      addStatus(exitStatus);
    }
    switch (syntax) {
      case XML -> {
        var text = new StringBuilder();
        write(root, 0, text);
        out.print(text);
      }
      case JSON -> out.print(JsonWriter.write(root.build()));
    }
    out.flush();
  }

  private void addStatus(int exitStatus) {
    open.clear();
    open.push(root);
    open("status", "code", Integer.toString(exitStatus), "message", ExitStatus.text(exitStatus));
    if (!errors.isEmpty()) {
      open("errors");
      errors.forEach(error -> addText("error", error));
      close();
    }
    close();
  }

  /// The result so far.
  public Element result() {
    return root.build();
  }

  private static void write(Node node, int depth, StringBuilder out) {
    if (node.children.isEmpty() && !node.raw) {
      XmlWriter.pretty(node.own, depth, out);
      return;
    }
    var text = new StringBuilder();
    XmlWriter.compact(node.own.withChildren(List.of()).withText(null), text);
    out.repeat("  ", depth).append(text, 0, text.length() - 2).append('>');
    if (node.raw) {
      out.append("<![CDATA[").append(node.own.text()).append("]]>");
    } else {
      out.append('\n');
      for (var child : node.own.children()) {
        XmlWriter.pretty(child, depth + 1, out);
      }
      for (var child : node.children) {
        write(child, depth + 1, out);
      }
      out.repeat("  ", depth);
    }
    out.append("</").append(node.own.name()).append(">\n");
  }
}
