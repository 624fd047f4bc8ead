package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Everything the cluster did and said, and a hash of it that two runs of the same seed share.
public final class SimTrace {
  private final ArrayList<Line> lines = new ArrayList<>();
  private final ArrayList<String> changes = new ArrayList<>();
  private int linesMax = 200_000;
  private boolean echo;
  private long hash = 0xCBF29CE484222325L;
  private long dropped;
  private @Nullable Predicate<String> awaited;
  private Consumer<String> whenSeen = _ -> {};
  private BiConsumer<String, String> listener = (_, _) -> {};

  /// Older lines go when there are more than this.
  public void keep(int lines) {
    linesMax = lines;
  }

  /// Prints every line as it comes.
  public void echo(boolean on) {
    echo = on;
  }

  /// Runs a task as soon as something is said, once, with the name of the node that says it.
  void once(String part, Consumer<String> task) {
    once(text -> text.contains(part), task);
  }

  void once(Predicate<String> said, Consumer<String> task) {
    awaited = said;
    whenSeen = task;
  }

  void onceNoMore() {
    awaited = null;
  }

  /// Has somebody told of everything that is said from now on, and by which node.
  void listen(BiConsumer<String, String> to) {
    listener = to;
  }

  void add(long nanos, String node, String process, String text) {
    var line = new Line(nanos, node, process, text);
    hash = hash * 0x100000001B3L + line.hashCode();
    if (lines.size() >= linesMax) {
      var old = Math.max(1, linesMax / 4);
      lines.subList(0, old).clear();
      dropped += old;
    }
    lines.add(line);
    if (echo) {
      System.out.println(line);
    }
    if (awaited != null && awaited.test(text)) {
      awaited = null;
      whenSeen.accept(node);
    }
    listener.accept(node, text);
  }

  /// Formatted only when it is read.
  private record Line(long nanos, String node, String process, String text) {
    @Override
    public int hashCode() {
      return ((Long.hashCode(nanos) * 31 + node.hashCode()) * 31 + process.hashCode()) * 31
          + text.hashCode();
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%11.6f %-6s %-11s %s", nanos / 1e9, node, process, text);
    }
  }

  /// A change of the cluster's state that a scenario tells; also a line of the trace.
  void change(long nanos, String text) {
    changes.add(text);
    add(nanos, "-", "STATE", text);
  }

  /// The same for two runs of the same seed.
  public long hash() {
    return hash;
  }

  public List<String> lines() {
    return lines.stream().map(Line::toString).toList();
  }

  /// The changes of state so far, in order.
  public List<String> changes() {
    return List.copyOf(changes);
  }

  @Override
  public String toString() {
    var all = String.join("\n", lines());
    return dropped == 0 ? all : "(" + dropped + " older lines dropped)\n" + all;
  }
}
