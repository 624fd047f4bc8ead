package org.systole.cibd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.Protocol;

/// What the CIB managers of a cluster say to each other in the group `cib`.
///
/// A term is the number of a takeover: a counter in the upper half, the primary's node id in the
/// lower.
sealed interface CibPeerMessage {
  Protocol<CibPeerMessage> PROTOCOL =
      Protocol.of("cib peers", 1, CibPeerMessage.class, new CibPeerShortForm());
  String GROUP = "cib";

  /// To all: the sender is taking over. Whoever answers takes no changes of an earlier term any
  /// more.
  record Collect(long term, long epoch) implements CibPeerMessage {}

  /// Answer to [Collect]: the copy the sender has.
  ///
  /// @param history what the line came by
  /// @param live it has been in step with a primary; one only read from disk has no status
  record Position(
      long term, Line line, List<Line.Span> history, boolean live, CibVersion version, long hash)
      implements CibPeerMessage {}

  /// Answer to [Collect] or [Announce]: not with that term.
  ///
  /// @param promised the latest term the sender has promised itself to
  /// @param primaryHere whether the sender is itself a primary with a better claim
  record Refuse(long term, long promised, boolean primaryHere) implements CibPeerMessage {}

  /// To all, from the primary: it is the primary, and its copy has come to change `sequence` of the
  /// term.
  ///
  /// @param established whether nodes with a quorum took part in the takeover and are there still
  record Announce(long term, long epoch, boolean established, long sequence, Line line, long hash)
      implements CibPeerMessage {}

  /// To all, from one that is no longer the primary, and no other took over from it.
  record Resign(long term) implements CibPeerMessage {}

  /// Asks for [Whole].
  record AskWhole(long term) implements CibPeerMessage {}

  /// @param done the requests that are in it, the latest
  record Whole(
      long term, long sequence, Line line, List<Line.Span> history, String xml, List<String> done)
      implements CibPeerMessage {}

  /// To all, from the primary: one or more requests' changes.
  ///
  /// @param before the content hash of the CIB the patchset applies to
  /// @param after the content hash of the result
  record Change(
      long term,
      long sequence,
      String patch,
      long before,
      long after,
      Line line,
      boolean configuration,
      List<String> done)
      implements CibPeerMessage {}

  /// To the primary: the sender has everything up to change `memory`, and on disk what
  /// configuration there is up to change `disk`.
  record Ack(long term, long memory, long disk) implements CibPeerMessage {}

  /// To the primary: a client's request. In another term it counts for nothing; the sender sends it
  /// again.
  ///
  /// @param id unique in the cluster; the same request sent again has the same
  /// @param groups of the user who asks, as the node knows them; null for one who may do everything
  record Forward(long term, String id, CibMessage.Update update, @Nullable List<String> groups)
      implements CibPeerMessage {
    CibUser user() {
      return new CibUser(update.user(), groups);
    }
  }

  /// Answer to [Forward], once the change is safe. The client hears of it when this node's copy has
  /// come to change `sequence` of the term.
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
