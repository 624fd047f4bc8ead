package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.View;

/// The time a link is first in one view of the transport.
final class Reign {
  /// What an address last answered, and when.
  record Heard(LinkPeerMessage.Pong pong, long at) {
    long round() {
      return pong.round();
    }
  }

  /// A ping whose answers still count.
  record Round(long at, TreeSet<NodeId> answered) {}

  final View view;
  final long since;
  final Map<Address, Heard> heard = new LinkedHashMap<>();
  @Nullable Round open;
  @Nullable Attempt attempt;

  Reign(View view, long since) {
    this.view = view;
    this.since = since;
  }

  /// Whether all members have the view: each has answered in it.
  boolean isFollowed() {
    return heard.keySet().containsAll(view.members());
  }

  boolean hasAnswered(Address address, long round) {
    var it = heard.get(address);
    return it != null && it.round() == round;
  }

  /// Whether an address was heard of within a token time.
  boolean isLive(Address address, long now, LinkTiming timing) {
    var it = heard.get(address);
    return it != null && now - it.at() <= timing.token().toNanos();
  }

  /// The pairs of members that do not hear each other, as they have reported.
  List<LinkPeerMessage.Pair> apart(Epoch epoch) {
    var pairs = new ArrayList<LinkPeerMessage.Pair>();
    for (var member : epoch.members()) {
      var it = heard.get(member.address());
      if (it != null) {
        it.pong.unheard().forEach(id -> pairs.add(new LinkPeerMessage.Pair(member.nodeId(), id)));
      }
    }
    return pairs;
  }

  /// How far processes are, by their last answers.
  List<LinkPeerMessage.Reached> reached(Collection<Address> addresses) {
    var reached = new ArrayList<LinkPeerMessage.Reached>();
    for (var address : addresses) {
      var it = heard.get(address);
      var number = it == null ? 0 : it.pong.number();
      reached.add(new LinkPeerMessage.Reached(address, number, it == null ? 0 : it.pong.delivered()));
    }
    return reached;
  }

  /// Whether a membership is of these processes, and none of them needs another one.
  ///
  /// @param made the last round before it was made: answers up to that tell nothing about it
  boolean agree(Epoch epoch, Map<NodeId, Address> targets, long made) {
    for (var member : epoch.members()) {
      var it = heard.get(member.address());
      if (!member.address().equals(targets.get(member.nodeId())) || it == null) {
        return false;
      }
      if (it.round() > made && (it.pong().number() != epoch.number() || it.pong().astray())) {
        return false;
      }
    }
    return true;
  }

  /// What every member has delivered, as far as they have said in this membership.
  ///
  /// @param made the last round before the membership was made
  long stable(@Nullable Epoch epoch, long made) {
    var least = Long.MAX_VALUE;
    for (var member : epoch == null ? List.<LinkPeerMessage.Place>of() : epoch.members()) {
      var it = heard.get(member.address());
      if (it == null || it.pong.number() != epoch.number() || it.round() <= made) {
        return 0;
      }
      least = Math.min(least, it.pong.delivered());
    }
    return least == Long.MAX_VALUE ? 0 : least;
  }
}
