package org.systole.controld;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeId;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// How this node leaves the cluster in good order: it asks the DC, which has everything moved away
/// and then lets it go.
public final class Leaving {
  private static final Duration LAST_WRITE = Duration.ofSeconds(10);
  private static final Duration REMIND = Duration.ofSeconds(60);

  /// How long a controller that is still starting waits for the other daemons of its node.
  private static final Duration STARTING = Duration.ofSeconds(30);

  /// What leaving needs of the controller.
  interface Host {
    State state();

    void offer(Input input);

    void send(NodeId node, PeerMessage message);

    @Nullable NodeId dcId();

    boolean isDc();

    ClusterOptions options();

    /// Whether the executor has told what runs here.
    boolean knowsResources();

    /// The resources that run here as far as is known.
    List<ResourceId> activeResources();

    /// Whether something may run here that this controller has not seen.
    boolean isUnsure();

    /// Keeps what still runs, for the controller that comes after.
    void keepLeftRunning(Runnable done);

    /// Records that this DC is about to leave in good order.
    void recordLeaving(Runnable done);

    @Nullable Element cib();
  }

  private final World world;
  private final Host host;
  private final NodeId self;
  private boolean wanted;
  private World.@Nullable Timer escalation;
  private World.@Nullable Timer reminder;

  Leaving(World world, Host host, NodeId self) {
    this.world = world;
    this.host = host;
    this.self = self;
  }

  boolean isWanted() {
    return wanted;
  }

  void ask(String why) {
    if (!wanted) {
      wanted = true;
      world.log().notice("Shutting down: " + why);
      escalation =
          world.after(
              host.options().shutdownEscalation(),
              () -> end("the cluster did not let this node go in time"));
    }
    var dc = host.dcId();
    if (host.state() == State.STARTING) {
      askStarting();
    } else if (dc != null) {
      host.send(dc, new PeerMessage.LeaveRequest());
      if (reminder != null) {
        reminder.cancel();
      }
      reminder =
          world.after(REMIND, () -> host.offer(new Input.ShutdownRequested("still waiting")));
    } else if (host.state() == State.PENDING && nothingRuns()) {
      host.offer(new Input.StopNow("no DC, and nothing runs here"));
    }
  }

  /// An earlier controller may have left resources running here; they are moved away first.
  private void askStarting() {
    if (host.knowsResources() && nothingRuns()) {
      host.offer(new Input.StopNow("nothing runs here"));
      return;
    }
    world.after(
        STARTING,
        () -> {
          if (host.state() == State.STARTING) {
            end("this controller could not start");
          }
        });
  }

  private void end(String why) {
    host.offer(new Input.EndNow(why));
  }

  private boolean nothingRuns() {
    return host.activeResources().isEmpty()
        && !host.isUnsure();
  }

  /// The controller has started, so what runs here is known.
  void ready() {
    if (wanted && nothingRuns()) {
      host.offer(new Input.StopNow("nothing runs here"));
    }
  }

  /// The DC has moved everything away from here.
  void letGo() {
    if (!wanted) {
      world.log().warning("The cluster lets this node go without having been asked");
    }
    host.offer(new Input.StopNow("the cluster lets this node go"));
  }

  void leave(String why) {
    if (escalation != null) {
      escalation.cancel();
    }
    var left = host.activeResources();
    if (!left.isEmpty()) {
      world.log().error("Leaving while resources still run here: " + names(left));
      world.after(LAST_WRITE, () -> end(why));
    }
    host.keepLeftRunning(() -> lastWords(why));
  }

  private static String names(List<ResourceId> resources) {
    return resources.stream().map(ResourceId::text).collect(Collectors.joining(", "));
  }

  private void lastWords(String why) {
    if (!host.isDc()) {
      end(why);
      return;
    }
    // the next DC must not take this node for lost
    host.recordLeaving(() -> end(why));
    world.after(LAST_WRITE, () -> end(why));
  }

  /// Whether an earlier controller of this node had asked to leave.
  boolean wasWanted() {
    var now = host.cib();
    return now != null && isMarked(now, self);
  }

  /// Whether a CIB says that a node is to leave.
  static boolean isMarked(Element cib, NodeId node) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", node.toString());
    var set = state == null ? null : state.path("transient_attributes", "instance_attributes");
    return set != null
        && set.children("nvpair").stream()
            .anyMatch(it -> "shutdown".equals(it.get("name")) && !"0".equals(it.get("value", "0")));
  }
}
