package org.systole.common.output;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The text for people as a web page, written when the command ends.
///
/// Lists become headings with lists below them. What text tells by words, a page may also tell by
/// the look of a part of a line: see [Span].
public final class HtmlOutput extends TextOutput {
  /// A part of a line.
  ///
  /// @param look a class of the style sheet; null for none
  public record Span(String text, @Nullable String look) {
    public static Span of(String text) {
      return new Span(text, null);
    }
  }

  /// What the user may want of the page as a whole.
  ///
  /// @param cgi whether the header of an answer of a web server comes first
  /// @param stylesheet the address of a style sheet that adds to ours; null for none
  /// @param title null for the command line
  /// @param refresh after how many seconds a browser is to read it again; 0 for never
  public record Page(
      boolean cgi, @Nullable String stylesheet, @Nullable String title, long refresh) {}

  /// How a class of lines looks, in the order of the style sheet.
  private static final String STYLE =
      """
      .bold { font-weight: bold }
      .online { color: green }
      .offline { color: red }
      .maint { color: blue }
      .standby { color: blue }
      .health_red { color: red }
      .health_yellow { color: GoldenRod }
      .rsc-failed { color: red }
      .rsc-failure-ignored { color: DarkGreen }
      .rsc-managed { color: blue }
      .rsc-multiple { color: orange }
      .rsc-ok { color: green }
      .warning { color: red; font-weight: bold }""";

  private final PrintStream out;
  private final String request;
  private final Page page;
  private final HtmlNode html = new HtmlNode("html").attr("lang", "en");
  private final HtmlNode body = html.add("body");
  private final Deque<HtmlNode> open = new ArrayDeque<>(List.of(body));
  private final List<String> errors = new ArrayList<>();

  /// @param request the command line, the title of the page if it has no other
  public HtmlOutput(PrintStream out, PrintStream err, String request, Page page) {
    super(out, err);
    this.out = out;
    this.request = request;
    this.page = page;
    setFancy(true);
  }

  /// An item whose parts differ in their looks.
  public void item(List<Span> parts) {
    addSpans(current().add("li"), parts);
  }

  /// Begins an item that has a line and can have lists, until [#endItem].
  public void beginItem(List<Span> parts) {
    var item = current().add("li");
    addSpans(item, parts);
    open.push(item);
  }

  public void endItem() {
    open.pop();
  }

  private HtmlNode current() {
    return open.element();
  }

  private static void addSpans(HtmlNode to, List<Span> parts) {
    for (var part : parts) {
      to.add("span").attr("class", part.look()).text(part.text());
    }
  }

  @Override
  public void begin(@Nullable String singular, @Nullable String plural, @Nullable String title) {
    var nested = current() != body;
    if (nested) {
      open.push(current().add("li"));
    }
    if (title != null) {
      current().add(nested ? "h3" : "h2").text(title);
    }
    open.push(current().add("ul"));
  }

  @Override
  public void item(@Nullable String name, String text) {
    current().add("li").attr("class", name).text(text);
  }

  @Override
  public void countItem() {}

  @Override
  public void end() {
    open.pop();
    if (current() != body) {
      open.pop();
    }
  }

  @Override
  public void print(String text) {
    current().add("pre").text(text);
  }

  @Override
  public void indented(String text) {
    item(null, text.strip());
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
    current().add("pre").attr("lang", "xml").text(text);
  }

  @Override
  public void subprocess(int status, @Nullable String stdout, @Nullable String stderr) {
    current().add("h2").text("Command Output");
    current().add("div").text("Return code: " + status);
    addStream("Stdout", stdout);
    addStream("Stderr", stderr);
  }

  private void addStream(String title, @Nullable String text) {
    if (text != null) {
      current().add("div").text(title);
      current().add("div").attr("class", "output").text(text);
    }
  }

  @Override
  public void version() {
    current().add("h2").text("Version Information");
    current().add("div").text("Program: Pacemaker");
    current().add("div").text("Version: " + Product.COMPATIBLE_VERSION);
    current().add("div").text("Author: the Systole project contributors");
    current().add("div").text("Build: systole");
  }

  @Override
  public void finish(int exitStatus) {
    var head = html.insert("head");
    head.add("title").text(page.title() == null ? request : page.title());
    head.add("meta").attr("charset", "utf-8");
    if (page.refresh() > 0) {
      head.add("meta").attr("http-equiv", "refresh").attr("content", Long.toString(page.refresh()));
    }
    head.add("style").text(STYLE);
    if (page.stylesheet() != null) {
      head.add("link").attr("rel", "stylesheet").attr("href", page.stylesheet());
    }
    if (!errors.isEmpty()) {
      begin("Errors");
      errors.forEach(this::item);
      end();
    }
    var text = new StringBuilder(page.cgi() ? "Content-Type: text/html\n\n" : "");
    text.append("<!DOCTYPE html>\n");
    html.write(null, true, text);
    out.print(text.append('\n'));
    out.flush();
  }
}
