package org.systole.controld.hosts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.hostha.Decider;
import org.systole.hostha.Input;

/// What people order about hosts. Who orders is told that it is done once what has to last of it is on record: until
/// then it ends with this DC, and nobody would know of it.
final class PersonsDesk {
  /// How long an answer waits for the record; the command, and a member that passed the order on, wait longer.
  static final Duration PATIENCE = Duration.ofSeconds(15);

  /// An order that is not on record yet.
  private record Waiting(CtlMessage.OrderHost order, Consumer<CtlMessage.Reply> answer, World.Timer timer) {}

  private final World world;
  private final HostHa.Host host;
  private final Decider decider;
  private final Consumer<Input> step;
  private final List<Waiting> waiting = new ArrayList<>();
  private @Nullable String refusal;

  /// @param step has the decider take something
  PersonsDesk(World world, HostHa.Host host, Decider decider, Consumer<Input> step) {
    this.world = world;
    this.host = host;
    this.decider = decider;
    this.step = step;
  }

  /// Nothing comes of what was ordered.
  void refused(String text) {
    refusal = text;
  }

  /// @param answer told once
  void order(CtlMessage.OrderHost it, Consumer<CtlMessage.Reply> answer) {
    refusal = null;
    step.accept(PersonsOrder.input(it));
    var why = refusal;
    if (why != null) {
      answer.accept(new CtlMessage.Refused(CtlMessage.Reason.NOT_NOW, why));
      return;
    }
    if (it.what() == CtlMessage.HostOrder.CHECK || decider.isRecorded(it.host())) {
      answer.accept(new CtlMessage.Done());
      return;
    }
    var late = "not written within %d s".formatted(PATIENCE.toSeconds());
    waiting.add(new Waiting(it, answer, world.after(PATIENCE, () -> giveUp(it, late))));
  }

  /// The decider has taken something: what is on record now is answered.
  void look() {
    for (var one : List.copyOf(waiting)) {
      if (decider.view(one.order().host()) == null) {
        finish(one, new CtlMessage.Refused(CtlMessage.Reason.UNKNOWN, HostHa.noHost(one.order().host())));
      } else if (decider.isRecorded(one.order().host())) {
        finish(one, new CtlMessage.Done());
      }
    }
  }

  /// A record was refused. It is written again; a side that has lost its quorum can wait for long.
  void refused(NodeName name) {
    if (!host.hasQuorum()) {
      for (var one : List.copyOf(waiting)) {
        if (one.order().host().equals(name)) {
          finish(one, mayBeLost(one.order(), HostHa.NO_QUORUM));
        }
      }
    }
  }

  /// This node is DC no more.
  void close() {
    for (var one : List.copyOf(waiting)) {
      finish(one, mayBeLost(one.order(), "%s is no longer DC".formatted(host.nodeName())));
    }
  }

  private void giveUp(CtlMessage.OrderHost order, String why) {
    for (var one : List.copyOf(waiting)) {
      if (one.order() == order) {
        finish(one, mayBeLost(order, host.hasQuorum() ? why : HostHa.NO_QUORUM));
      }
    }
  }

  private CtlMessage.Refused mayBeLost(CtlMessage.OrderHost order, String why) {
    var reason = host.hasQuorum() ? CtlMessage.Reason.NOT_NOW : HostHa.noQuorum(host);
    return new CtlMessage.Refused(
        reason,
        "%s, but it may not be on record (%s): look with crm_hostha --show %s what becomes of it, and order it again if nothing does"
            .formatted(CtlMessage.ORDERED, why, order.host()));
  }

  private void finish(Waiting one, CtlMessage.Reply reply) {
    one.timer().cancel();
    if (waiting.remove(one)) {
      one.answer().accept(reply);
    }
  }
}
