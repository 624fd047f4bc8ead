package org.systole.cibd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;

/// The content of `cib.meta`: where in the cluster's history the configurations on disk are, each
/// named by its digest, and the latest term this node has promised itself to.
///
/// Files are replaced one after the other, and a crash in between leaves either configuration. So there are the entries of
/// what is there and of what takes its place.
///
/// @param entries the latest last
record CibMeta(long promised, List<Entry> entries) {
  static final CibMeta EMPTY = new CibMeta(0, List.of());

  private static final Pattern PROMISED = Pattern.compile("promised \\d{1,19}");
  private static final Pattern ENTRY = Pattern.compile("entry \\S+( \\d{1,19}){4} (left|on)( \\d{1,19} \\d{1,19})*");

  record Entry(String digest, Line line, List<Line.Span> history) {}

  /// What [#toString] has written; null if a part of that is missing or something else.
  static @Nullable CibMeta parse(String text) {
    if (!text.startsWith("promised ") || !text.endsWith("\n")) {
      return null;
    }
    var promised = 0L;
    var entries = new ArrayList<Entry>();
    for (var row : text.lines().toList()) {
      var words = row.split(" ");
      if (PROMISED.matcher(row).matches()) {
        promised = Numbers.parse(words[1], 0);
      } else if (ENTRY.matcher(row).matches()) {
        entries.add(entry(words[1], words, 2));
      } else {
        return null;
      }
    }
    return new CibMeta(promised, entries);
  }

  /// @param from where the line begins: its five words, and two for each span of the history
  static Entry entry(String digest, String[] words, int from) {
    var line =
        new Line(
            Numbers.parse(words[from], 0),
            Numbers.parse(words[from + 1], 0),
            Numbers.parse(words[from + 2], 0),
            Numbers.parse(words[from + 3], 0),
            words[from + 4].equals("left"));
    var history = new ArrayList<Line.Span>();
    for (var at = from + 5; at + 1 < words.length; at += 2) {
      history.add(new Line.Span(Numbers.parse(words[at], 0), Numbers.parse(words[at + 1], 0)));
    }
    return new Entry(digest, line, history);
  }

  /// Writes what [#entry] reads.
  static void append(StringBuilder text, Line line, List<Line.Span> history) {
    text.append(' ').append(line.term()).append(' ').append(line.index());
    text.append(' ').append(line.strayTerm()).append(' ').append(line.stray());
    text.append(line.left() ? " left" : " on");
    for (var span : history) {
      text.append(' ').append(span.term()).append(' ').append(span.index());
    }
  }

  /// Whether the other one is the same and goes on, as if this were its file cut at the end of a row. What is written has an
  /// entry at its end that what was written before lacks, so an older file never goes on from a newer one.
  boolean isBeginningOf(CibMeta other) {
    return entries.size() < other.entries.size() && other.entries.subList(0, entries.size()).equals(entries);
  }

  /// The same, with a promise of this term where it is later: a promise holds whichever file has it.
  CibMeta promising(long term) {
    return term > promised ? new CibMeta(term, entries) : this;
  }

  boolean isKnown(String digest) {
    return entries.stream().anyMatch(it -> it.digest().equals(digest));
  }

  /// Whether it is the one that was written last.
  boolean isLast(String digest) {
    return !entries.isEmpty() && entries.getLast().digest().equals(digest);
  }

  /// The entry of a configuration; an unknown one counts as older than all others.
  Entry entry(String digest) {
    for (var entry : entries.reversed()) {
      if (entry.digest().equals(digest)) {
        return entry;
      }
    }
    return new Entry(digest, Line.NONE, List.of());
  }

  /// @param there digests of the configurations that the next one takes the place of
  CibMeta with(Collection<String> there, String digest, Line line, List<Line.Span> history, long nowPromised) {
    var kept = new ArrayList<Entry>();
    for (var entry : entries) {
      if (there.contains(entry.digest()) && !entry.digest().equals(digest)) {
        kept.add(entry);
      }
    }
    kept.add(new Entry(digest, line, history));
    return new CibMeta(nowPromised, List.copyOf(kept));
  }

  /// The file's text.
  @Override
  public String toString() {
    var text = new StringBuilder("promised ").append(promised).append('\n');
    for (var entry : entries) {
      text.append("entry ").append(entry.digest());
      append(text, entry.line(), entry.history());
      text.append('\n');
    }
    return text.toString();
  }
}
