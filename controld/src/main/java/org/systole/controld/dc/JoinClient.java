package org.systole.controld.dc;

import java.util.Map;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.Input;
import org.systole.controld.io.PeerMessage;

/// Joining, from the side of the joining node: it answers the DC's offer, and confirms that it was
/// let in by reporting what it runs.
public final class JoinClient {
  /// What joining needs of the controller.
  public interface Host {
    void offer(Input input);

    void send(NodeId node, PeerMessage message);

    NodeName nodeName(NodeId id);

    /// What this node calls the members that it sees.
    Map<NodeId, NodeName> memberNames();

    /// This node's `node_state` with what it runs.
    Element resources();

    /// Brings this node into the state in which it is to start.
    void start(Runnable then);

    /// Whether this node is to leave.
    boolean isLeaving();

    /// Records the feature set of this node's build, for administrators of a cluster with several
    /// builds.
    void tellFeatureSet();

    /// Withdraws the request to leave that an earlier controller of this node made, if one did.
    void stay();
  }

  private final World world;
  private final Host host;
  private final Election election;
  private final DcWatch watch;
  private final Admissions admissions;

  public JoinClient(
      World world, Host host, Election election, DcWatch watch, Admissions admissions) {
    this.world = world;
    this.host = host;
    this.election = election;
    this.watch = watch;
    this.admissions = admissions;
  }

  public void answer(Input.Offered offer) {
    election.cancel();
    watch.follow(offer.from(), offer.epoch());
    host.send(
        offer.from(),
        new PeerMessage.Request(offer.joinId(), Product.FEATURE_SET, host.memberNames()));
  }

  public void confirm(Input.JoinAccepted result) {
    if (!watch.is(result.from())) {
      return;
    }
    if (!watch.isOwn()) {
      world.log().notice("Joined the cluster with DC " + host.nodeName(result.from()));
    }
    host.start(() -> sendConfirmation(result));
  }

  private void sendConfirmation(Input.JoinAccepted result) {
    host.tellFeatureSet();
    host.send(
        result.from(),
        new PeerMessage.Confirm(
            result.joinId(), XmlWriter.compact(host.resources()), admissions.hasSelf()));
    if (host.isLeaving()) {
      host.send(result.from(), new PeerMessage.LeaveRequest());
    } else {
      host.stay();
    }
  }

  public void refused(Input.JoinRefused result) {
    if (watch.is(result.from())) {
      host.offer(new Input.TurnedDown("the DC turned this node down: " + result.why()));
    }
  }
}
