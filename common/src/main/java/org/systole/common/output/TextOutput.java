package org.systole.common.output;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Plain text for people.
public sealed class TextOutput extends Output permits HtmlOutput {
  private static final class Open {
    final @Nullable String singular;
    final @Nullable String plural;
    int items;

    Open(@Nullable String singular, @Nullable String plural) {
      this.singular = singular;
      this.plural = plural;
    }
  }

  private final PrintStream out;
  private final PrintStream err;
  private final Deque<Open> lists = new ArrayDeque<>();
  private boolean fancy;

  public TextOutput(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /// Whether lists have titles and their items are indented behind a bullet.
  public void setFancy(boolean newFancy) {
    this.fancy = newFancy;
  }

  public boolean isFancy() {
    return fancy;
  }

  /// Writes the text as it is.
  public void print(String text) {
    out.print(text);
  }

  /// Writes the text behind the indentation of the current list.
  public void indented(String text) {
    if (fancy) {
      for (var level = 0; level < lists.size(); level++) {
        out.print("  ");
      }
      if (!lists.isEmpty()) {
        out.print("* ");
      }
    }
    out.print(text);
  }

  @Override
  public void begin(@Nullable String singular, @Nullable String plural, @Nullable String title) {
    if (fancy && title != null) {
      indented(title + ":\n");
    }
    lists.push(new Open(singular, plural));
  }

  @Override
  public void item(@Nullable String name, String text) {
    indented((fancy && name != null ? name + ": " : "") + text + "\n");
    countItem();
  }

  @Override
  public void countItem() {
    if (!lists.isEmpty()) {
      lists.element().items++;
    }
  }

  @Override
  public void end() {
    var list = lists.pop();
    if (list.singular != null && list.plural != null) {
      indented(list.items + " " + (list.items == 1 ? list.singular : list.plural) + " found\n");
    }
  }

  @Override
  public void spacer() {
    out.print("\n");
  }

  @Override
  public boolean info(String text) {
    if (isQuiet()) {
      return false;
    }
    out.print(text + "\n");
    return true;
  }

  @Override
  public void error(String text) {
    out.flush();
    err.print(text + "\n");
  }

  @Override
  public void xml(String name, String text) {
    indented(text);
  }

  @Override
  public void subprocess(int status, @Nullable String stdout, @Nullable String stderr) {
    if (stdout != null) {
      out.print(stdout + "\n");
    }
    if (stderr != null) {
      out.print(stderr + "\n");
    }
  }

  @Override
  public void version() {
    out.print(
        "Pacemaker "
            + Product.COMPATIBLE_VERSION
            + "\nWritten by the Systole project contributors\n");
  }

  @Override
  public void finish(int exitStatus) {
    out.flush();
  }
}
