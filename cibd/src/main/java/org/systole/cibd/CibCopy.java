package org.systole.cibd;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.xml.Element;

/// This node's copy of the CIB, and where in the cluster's history it stands.
final class CibCopy {
  private static final int DONE_MAX = 4096;

  private Element cib;
  private @Nullable Element roles;
  private boolean rolesLost;
  private Line line;
  private boolean live;
  private List<Line.Span> history;
  private final ArrayDeque<String> done =
      new ArrayDeque<>(); // requests that are in it, latest last
  private final Set<String> doneLookup = new HashSet<>();
  private final Set<String> strayed = new HashSet<>(); // those of them that are not on the quorate line

  /// @param roles the cluster's roles; null if it uses none
  CibCopy(Element cib, @Nullable Element roles, Line line, List<Line.Span> history) {
    this.cib = cib;
    this.roles = roles;
    this.line = line;
    this.history = List.copyOf(history);
  }

  Element cib() {
    return cib;
  }

  /// The cluster's roles; null if it uses none.
  @Nullable Element roles() {
    return roles;
  }

  /// Whether it has no roles because they could not be read from disk, here or where it was taken from: to
  /// have none is not what the cluster has agreed on then.
  boolean rolesLost() {
    return rolesLost && roles == null;
  }

  void rolesLost(boolean are) {
    rolesLost = are;
  }

  /// True if there are roles, false if they are lost, null if there are none.
  @Nullable Boolean rolesKnown() {
    return roles != null ? Boolean.TRUE : rolesLost ? Boolean.FALSE : null;
  }

  /// 0 if there are none.
  long rolesHash() {
    return roles == null ? 0 : roles.contentHash();
  }

  Line line() {
    return line;
  }

  List<Line.Span> history() {
    return history;
  }

  /// Whether this copy has been that of nodes with a quorum since it was read from disk. Until then its
  /// status section is empty, or what one without quorum has made up for itself, although its line may
  /// be the newest.
  boolean isLive() {
    return live;
  }

  /// Of all there is. A build that knows no roles takes another one for another CIB, and fetches
  /// the whole.
  long hash() {
    return cib.contentHash() ^ rolesHash();
  }

  void advance(Element now, Line nowAt) {
    cib = now;
    moveTo(nowAt);
  }

  void advanceRoles(@Nullable Element now, Line nowAt) {
    roles = now;
    moveTo(nowAt);
  }

  void replaceRoles(@Nullable Element now) {
    roles = now;
  }

  /// A change of the roles by the primary.
  ///
  /// @return false if it does not fit what is here
  boolean applyToRoles(Element patch, CibPeerMessage.Change it) {
    var after = rolesHash() == it.before() ? RolesPatch.apply(roles(), patch) : null;
    if (after == null || after.contentHash() != it.after()) {
      return false;
    }
    advanceRoles(after, it.line());
    return true;
  }

  /// The same content, at another place of the history.
  void moveTo(Line nowAt) {
    live |= nowAt.stray() == 0;
    line = nowAt;
    history = nowAt.appendTo(history);
    if (nowAt.stray() == 0) {
      strayed.clear();
    }
  }

  /// This node is the primary from here on. What others know to be made may be missing in what was read from disk.
  ///
  /// @param positions of those who took part
  void lead(Line nowAt, Collection<CibPeerMessage.Position> positions) {
    moveTo(nowAt);
    for (var it : positions) {
      if (it.made() != null && it.line().isKnownPartOf(history)) {
        it.made().forEach(this::note);
      }
    }
  }

  /// Where it stands, for a primary to be.
  ///
  /// @param outstanding the requests of this node's clients that are not answered
  CibPeerMessage.Position position(long term, Collection<String> outstanding) {
    var made = made(outstanding);
    return new CibPeerMessage.Position(
        term, line, history, live, CibVersion.of(cib), hash(), rolesKnown(), made.isEmpty() ? null : made);
  }

  /// @param outstanding the requests of this node's clients that are not answered, and may be known here only
  void replace(
      Element now, Line nowAt, List<Line.Span> nowHistory, List<String> nowDone, Collection<String> outstanding) {
    cib = now;
    var reached = nowAt.appendTo(nowHistory);
    // whoever read the other copy from disk does not know of these
    var kept = line.isKnownPartOf(reached) ? made(outstanding) : List.<String>of();
    live |= nowAt.stray() == 0;
    line = nowAt;
    history = reached;
    done.clear();
    doneLookup.clear();
    strayed.clear();
    kept.forEach(this::keep); // before the others, which are the later ones: the oldest are forgotten first
    nowDone.forEach(this::note);
  }

  /// Those of some requests that are on the quorate line.
  private List<String> made(Collection<String> requests) {
    return requests.stream().filter(it -> has(it) && !strayed.contains(it)).toList();
  }

  CibPeerMessage.AskWhole askWhole(long term) {
    return new CibPeerMessage.AskWhole(term, roles == null ? null : true);
  }

  /// Remembers that a request is in this copy.
  void note(String request) {
    if (keep(request) && line.stray() > 0) {
      strayed.add(request);
    }
  }

  /// As [#note], of one that is on the quorate line.
  private boolean keep(String request) {
    var isNew = doneLookup.add(request);
    if (isNew) {
      done.add(request);
      if (done.size() > DONE_MAX) {
        var oldest = done.remove();
        doneLookup.remove(oldest);
        strayed.remove(oldest);
      }
    }
    return isNew;
  }

  boolean has(String request) {
    return doneLookup.contains(request);
  }

  List<String> done() {
    return List.copyOf(done);
  }
}
