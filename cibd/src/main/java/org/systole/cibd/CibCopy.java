package org.systole.cibd;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.systole.common.xml.Element;

/// This node's copy of the CIB, and where in the cluster's history it stands.
final class CibCopy {
  private static final int DONE_MAX = 4096;

  private Element cib;
  private Line line;
  private boolean live;
  private List<Line.Span> history;
  private final ArrayDeque<String> done =
      new ArrayDeque<>(); // requests that are in it, latest last
  private final Set<String> doneLookup = new HashSet<>();

  CibCopy(Element cib, Line line, List<Line.Span> history) {
    this.cib = cib;
    this.line = line;
    this.history = List.copyOf(history);
  }

  Element cib() {
    return cib;
  }

  Line line() {
    return line;
  }

  List<Line.Span> history() {
    return history;
  }

  /// Whether this copy has been a primary's, or equal to one, since it was read from disk. Until
  /// then its status section is empty, although its line may be the newest.
  boolean isLive() {
    return live;
  }

  long hash() {
    return cib.contentHash();
  }

  void advance(Element now, Line nowAt) {
    cib = now;
    moveTo(nowAt);
  }

  /// The same content, at another place of the history.
  void moveTo(Line nowAt) {
    live = true;
    line = nowAt;
    history = nowAt.appendTo(history);
  }

  void replace(Element now, Line nowAt, List<Line.Span> nowHistory, List<String> nowDone) {
    cib = now;
    live = true;
    line = nowAt;
    history = nowAt.appendTo(nowHistory);
    done.clear();
    doneLookup.clear();
    nowDone.forEach(this::note);
  }

  /// Remembers that a request is in this copy.
  void note(String request) {
    if (doneLookup.add(request)) {
      done.add(request);
      if (done.size() > DONE_MAX) {
        doneLookup.remove(done.remove());
      }
    }
  }

  boolean has(String request) {
    return doneLookup.contains(request);
  }

  List<String> done() {
    return List.copyOf(done);
  }
}
