package org.systole.cibd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.Protocol;
import org.systole.common.xml.XmlText;

/// What the CIB managers of a cluster say to each other in the group `cib`.
///
/// A term is the number of a takeover: a counter in the upper half, the primary's node id in the
/// lower.
sealed interface CibPeerMessage {
  Protocol<CibPeerMessage> PROTOCOL =
      Protocol.of("cib peers", 1, CibPeerMessage.class, new CibPeerShortForm());
  String GROUP = "cib";

  /// To all: the sender is taking over. A node that answers accepts no more changes of an earlier
  /// term.
  record Collect(long term, long epoch) implements CibPeerMessage {}

  /// Answer to [Collect]: where the sender's copy stands.
  ///
  /// @param history the terms that the line has gone through
  /// @param live it has been that of nodes with a quorum since it was read from disk, see [CibCopy#isLive()]
  /// @param roles true if it has roles, false if they are lost; null if it has none, or does not tell
  /// @param made requests of the sender's clients about the configuration that are not answered and whose changes are on the
  ///     line; null if there are none, or it does not tell
  record Position(
      long term,
      Line line,
      List<Line.Span> history,
      boolean live,
      CibVersion version,
      long hash,
      @Nullable Boolean roles,
      @Nullable List<String> made)
      implements CibPeerMessage {
    Position(
        long term, Line line, List<Line.Span> history, boolean live, CibVersion version, long hash) {
      this(term, line, history, live, version, hash, null, null);
    }

    /// Of two equal copies one that has the status is better than one that was just read from disk. The same
    /// holds for two nodes that went on apart: the one without the status was fenced or has restarted
    /// meanwhile.
    ///
    /// @param mayPart whether each of the two may have had a quorum by itself
    boolean isNewerThan(Position other, boolean mayPart) {
      if (live != other.live
          && mayPart
          && !line.sharesLineWith(history, other.line, other.history)) {
        return live;
      }
      var order = line.compareTo(other.line);
      order = order != 0 ? order : Boolean.compare(live, other.live);
      return order != 0 ? order > 0 : version.compareTo(other.version) > 0;
    }
  }

  /// Answer to [Collect] or [Announce]: the sender has promised itself to a later term, or refuses
  /// for a better claim.
  ///
  /// @param promised the latest term the sender has promised itself to
  /// @param primaryHere whether the sender is itself a primary with a better claim
  record Refuse(long term, long promised, boolean primaryHere) implements CibPeerMessage {}

  /// To all, from the primary: it is the primary, and its copy is at change `sequence` of the term.
  ///
  /// @param established whether nodes with a quorum took part in the takeover and are there still
  /// @param roles as in [Position]
  /// @param membership in which the primary says so; null from a build that does not tell
  record Announce(
      long term,
      long epoch,
      boolean established,
      long sequence,
      Line line,
      long hash,
      @Nullable Boolean roles,
      @Nullable Long membership)
      implements CibPeerMessage {
    Announce(long term, long epoch, boolean established, long sequence, Line line, long hash) {
      this(term, epoch, established, sequence, line, hash, null, null);
    }

    /// Whether a primary without quorum goes on without changes that a node has and that a quorum has acknowledged: it has not
    /// chosen from this node's copy, and has to take over again. What was promised to it tells nothing: it may have asked, and begun before it
    /// was answered.
    ///
    /// @param copy where the node's copy stands
    boolean isWithout(Line copy) {
      return !established && copy.quorate().compareTo(line.quorate()) > 0;
    }
  }

  /// To all, from a primary that gives up its office without a successor; to one node that takes
  /// the sender for a primary it is not.
  record Resign(long term) implements CibPeerMessage {}

  /// Asks for [Whole].
  ///
  /// @param roles true if the sender has roles, and so has to be told if the receiver has none
  record AskWhole(long term, @Nullable Boolean roles) implements CibPeerMessage {
    AskWhole(long term) {
      this(term, null);
    }
  }

  /// @param done the latest requests whose changes are in it
  record Whole(
      long term, long sequence, Line line, List<Line.Span> history, String xml, List<String> done)
      implements CibPeerMessage {}

  /// Comes just before the [Whole] of that change, where all members know roles and one of the two
  /// has any: the cluster's roles.
  ///
  /// @param xml null if it has none
  record RolesWhole(long term, long sequence, @Nullable String xml) implements CibPeerMessage {}

  /// To all, from the primary: one or more requests' changes, of the CIB or (see [RolesPatch]) of
  /// the roles.
  ///
  /// @param before the content hash of what the patchset applies to
  /// @param after the content hash of the result
  record Change(
      long term,
      long sequence,
      XmlText patch,
      long before,
      long after,
      Line line,
      boolean configuration,
      List<String> done)
      implements CibPeerMessage {}

  /// To the primary: the sender holds every change up to `memory`, and has on disk every
  /// configuration change up to `disk`.
  record Ack(long term, long memory, long disk) implements CibPeerMessage {}

  /// To the primary: a client's request. In another term it is ignored, and the sender sends it
  /// again.
  ///
  /// @param id unique in the cluster; the same request sent again has the same
  /// @param groups of the user, as the node knows them; null for an unrestricted user
  record Forward(long term, String id, CibMessage.Update update, @Nullable List<String> groups)
      implements CibPeerMessage {
    CibUser user() {
      return new CibUser(update.user(), groups);
    }
  }

  /// Answer to [Forward], once the change is committed or refused. The client is answered when its
  /// node's copy has reached change `sequence` of the term.
  record Outcome(
      String id,
      Rc rc,
      String why,
      @Nullable String xml,
      CibVersion version,
      long term,
      long sequence)
      implements CibPeerMessage {}
}
