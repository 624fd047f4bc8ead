package org.systole.controld.dc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.Input;

/// Nodes and controllers that come and go: keeps the [NodeBook] up to date and tells the other
/// parts.
public final class Members {
  /// How long a member's lost controller is waited for before the node counts as failed.
  private static final Duration COMEBACK = Duration.ofSeconds(20);

  /// What membership changes are reported to.
  public interface Host {
    void offer(Input input);

    /// A node is `member` or `lost`.
    void alert(NodeId node, NodeName name, String what);

    /// Controllers have come into the group.
    void controllersCame(List<NodeId> nodes);

    /// A controller has left the group.
    void controllerGone(NodeId node, NodeName name);

    /// The membership or the group has changed.
    void changed();

    /// The quorum that was about to come is there, or will not come.
    void quorumDecided();
  }

  private final World world;
  private final Host host;
  private final NodeId self;
  private final NodeBook book;
  private final Dc dc;
  private final Election election;
  private final DcWatch watch;
  private final Admissions admissions;
  private final Map<NodeId, World.Timer> comebacks = new TreeMap<>();
  private @Nullable Membership membership;
  private boolean inGroup;
  private boolean hadQuorum;
  private boolean quorumDue;
  private boolean quorumAwaited; // before the present membership
  private long bornOn;

  public Members(
      World world,
      Host host,
      NodeId self,
      NodeBook book,
      Dc dc,
      Election election,
      DcWatch watch,
      Admissions admissions) {
    this.world = world;
    this.host = host;
    this.self = self;
    this.book = book;
    this.dc = dc;
    this.election = election;
    this.watch = watch;
    this.admissions = admissions;
  }

  /// Whether this node knows its membership and is in the group of the controllers.
  public boolean isComplete() {
    return membership != null && inGroup;
  }

  public boolean quorate() {
    return membership != null && membership.quorate();
  }

  /// Whether this node has had quorum since its controller began, and has it no more.
  public boolean hasLostQuorum() {
    return hadQuorum && !quorate();
  }

  /// Whether the members are about to have quorum: nothing may be begun, and nothing needs to be stopped for want of it.
  public boolean isQuorumDue() {
    return quorumDue;
  }

  /// Told just before each membership.
  public void quorumDue(boolean now) {
    quorumAwaited = quorumDue;
    quorumDue = now;
  }

  public long membershipNumber() {
    return membership == null ? 0 : membership.number();
  }

  /// The number of the membership in which this node's present stay began.
  public long bornOn() {
    return bornOn;
  }

  public void membership(Membership now) {
    membership = now;
    hadQuorum |= now.quorate();
    var own = now.byId(self);
    if (own != null) {
      bornOn = bornOn == 0 ? now.number() : Math.max(bornOn, own.sinceNumber());
    }
    var known = book.ids().stream().filter(book::isMember).toList();
    var losses = book.membership(now, world.now().getEpochSecond());
    for (var member : now.members()) {
      if (!known.contains(member.id())) {
        host.alert(member.id(), member.name(), "member");
      }
    }
    losses.forEach(this::left);
    book.missing().stream().filter(id -> !known.contains(id)).forEach(this::awaitComeback);
    election.voters(book.online());
    if (watch.isOwn()) {
      dc.records().restoreCluster(); // a node that is new in the list belongs into the CIB now
      for (var member : now.members()) {
        dc.records().recordNodeIfNew(member.id());
        if (!known.contains(member.id())) {
          dc.came(member.id());
        }
      }
      dc.records().recordQuorum(false);
    }
    now.members().forEach(it -> dc.returned(it.id()));
    host.changed();
    if (quorumAwaited && !quorumDue) {
      host.quorumDecided();
    }
  }

  private void left(NodeBook.Lost gone) {
    admissions.left(gone.id());
    if (dc.records().isRecordedDown(gone.id())) {
      book.leftInGoodOrder(gone.id());
    } else if (!book.isExpectedDown(gone.id())) {
      dc.lost(gone.id());
    }
    host.alert(gone.id(), book.name(gone.id()), "lost");
    if (gone.wasOnline()) {
      controllerGone(gone.id());
    } else if (watch.isOwn()) {
      dc.leftMembership(gone.id());
    }
  }

  public void group(List<NodeId> nodeIds) {
    var before = book.online();
    var gone = book.group(nodeIds, world.now().getEpochSecond());
    inGroup = nodeIds.contains(self);
    watch.left(gone);
    gone.forEach(this::awaitComeback);
    gone.forEach(this::controllerGone);
    election.voters(nodeIds);
    var came = book.online().stream().filter(it -> !before.contains(it)).toList();
    if (!came.isEmpty()) {
      host.controllersCame(came);
      watch.came(came);
    }
    host.changed();
  }

  private void controllerGone(NodeId node) {
    var name = book.name(node);
    host.controllerGone(node, name);
    if (node.equals(self)) {
      host.offer(new Input.Broken("the cluster has dropped this node"));
      return;
    }
    if (watch.isOwn()) {
      dc.left(node);
    }
    watch.lost(node, name);
  }

  /// The supervisor of a member starts a lost controller again; only if that fails is the node
  /// lost.
  private void awaitComeback(NodeId node) {
    var before = comebacks.put(node, world.after(COMEBACK, () -> comebackOver(node)));
    if (before != null) {
      before.cancel();
    }
  }

  private void comebackOver(NodeId node) {
    comebacks.remove(node);
    var hoped = watch.isOwn() && dc.awaited().contains(node);
    book.giveUp(node);
    if (hoped && !book.isOnline(node)) {
      dc.left(node);
    } else if (watch.isOwn()) {
      dc.checkIntegrated();
    }
  }
}
