package org.systole.controld;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;

/// How this node leaves the cluster in good order: it asks the DC, which has everything moved away
/// and then lets it go.
final class Leaving {
  private static final Duration LAST_WRITE = Duration.ofSeconds(10);
  private static final Duration REMIND = Duration.ofSeconds(60);

  /// How long a controller that has not even started waits for the daemons beside it.
  private static final Duration STARTING = Duration.ofSeconds(30);

  private final World world;
  private final Controller controller;
  private boolean wanted;
  private World.@Nullable Timer escalation;
  private World.@Nullable Timer reminder;

  Leaving(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
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
              controller.options().shutdownEscalation(),
              () -> end("the cluster did not let this node go in time"));
    }
    var dc = controller.dcId();
    if (controller.state() == State.STARTING) {
      askStarting();
    } else if (dc != null) {
      controller.send(dc, new PeerMessage.LeaveRequest());
      if (reminder != null) {
        reminder.cancel();
      }
      reminder =
          world.after(REMIND, () -> controller.offer(new Input.ShutdownRequested("still waiting")));
    } else if (controller.state() == State.PENDING && nothingRuns()) {
      controller.offer(new Input.StopNow("no DC, and nothing runs here"));
    }
  }

  /// Resources may run here, left by a controller before this one: they are moved away first.
  private void askStarting() {
    if (controller.knowsResources() && nothingRuns()) {
      controller.offer(new Input.StopNow("nothing runs here"));
      return;
    }
    world.after(
        STARTING,
        () -> {
          if (controller.state() == State.STARTING) {
            end("this controller could not start");
          }
        });
  }

  private void end(String why) {
    controller.offer(new Input.EndNow(why));
  }

  private boolean nothingRuns() {
    return controller.executor().activeResources().isEmpty()
        && !controller.leftRunning().isUnsure();
  }

  /// What is known at the start is known now.
  void ready() {
    if (wanted && nothingRuns()) {
      controller.offer(new Input.StopNow("nothing runs here"));
    }
  }

  /// The DC has moved everything away from here.
  void letGo() {
    if (!wanted) {
      world.log().warning("The cluster lets this node go without having been asked");
    }
    controller.offer(new Input.StopNow("the cluster lets this node go"));
  }

  void leave(String why) {
    if (escalation != null) {
      escalation.cancel();
    }
    var left = controller.executor().activeResources();
    if (!left.isEmpty()) {
      world.log().error("Leaving while resources still run here: " + String.join(", ", left));
      world.after(LAST_WRITE, () -> end(why));
    }
    controller.leftRunning().leave(controller.executor().leftRunning(), () -> lastWords(why));
  }

  private void lastWords(String why) {
    if (!controller.isDc()) {
      end(why);
      return;
    }
    // whoever is DC next must not take this node for lost
    controller.governor().records().recordLeaving(() -> end(why));
    world.after(LAST_WRITE, () -> end(why));
  }

  /// An earlier controller of this node asked to leave and did, or was lost over it.
  boolean wasWanted() {
    var now = controller.cib().cib();
    var status = now == null ? null : now.first("status");
    var mine = status == null ? null : status.first("node_state", controller.nodeId());
    var set = mine == null ? null : mine.path("transient_attributes", "instance_attributes");
    return set != null
        && set.children("nvpair").stream()
            .anyMatch(it -> "shutdown".equals(it.get("name")) && !"0".equals(it.get("value", "0")));
  }
}
