package org.systole.pacemakerd.jgroups;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels.Allegiance;
import org.systole.common.world.World;

/// Keeps a process that follows a leader from being taken into the views of other leaders, as
/// JGroups would do at once: there any process that finds another one in a different view may merge
/// it into its own. Two that do not hear each other would take a third one in turns.
///
/// A view of a fellow member, which may rightly succeed a lost leader, is held for a moment,
/// because JGroups does not repeat it. Invitations of strangers are repeated, so they are dropped
/// here.
///
/// Stands just below GMS. Threading: JGroups' threads come with messages, the link's loop says whom
/// it follows.
final class LoyaltyProtocol extends Protocol {
  private static final long LOOK_MILLIS = 10;
  private static final int HELD_MAX = 64;
  private static final int STRANGERS_MAX = 64;

  private record Bond(Allegiance to, long since) {
    boolean lasts(Duration time, long now) {
      return now - since < time.toNanos();
    }
  }

  private record Held(Message message, long since) {}

  private final World world;
  private final Consumer<Runnable> later;
  private final Consumer<Runnable> pool;
  private final short views = ClassConfigurator.getProtocolId(GMS.class);
  private final Deque<Held> held = new ArrayDeque<>();
  private final Set<Address> strangers = new HashSet<>();
  private volatile @Nullable Bond bond;

  LoyaltyProtocol(World world) {
    this.world = world;
    this.later =
        task -> getTransport().getTimer().schedule(task, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    this.pool = task -> getTransport().getThreadPool().execute(task);
  }

  /// @param later runs a task a moment later
  /// @param pool runs a task on another thread
  LoyaltyProtocol(World world, Consumer<Runnable> later, Consumer<Runnable> pool) {
    this.world = world;
    this.later = later;
    this.pool = pool;
  }

  void follow(@Nullable Allegiance allegiance) {
    bond = allegiance == null ? null : new Bond(allegiance, world.nanoTime());
  }

  @Override
  public @Nullable Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      var present = bond;
      if (present != null && !present.to.leader().equals(JGroupsChannel.address(view.getCoord()))) {
        bond = null; // its leader has taken this process into another view
      }
    }
    return down_prot.down(event);
  }

  @Override
  public @Nullable Object up(Message message) {
    return passes(message) ? up_prot.up(message) : null;
  }

  @Override
  public void up(MessageBatch batch) {
    for (var it = batch.iterator(); it.hasNext(); ) {
      if (!passes(it.next())) {
        it.remove();
      }
    }
    if (!batch.isEmpty()) {
      up_prot.up(batch);
    }
  }

  private boolean passes(Message message) {
    var header = message.<GMS.GmsHeader>getHeader(views);
    return header == null || isWelcome(message, header.getType()) && !isHandedOver(message);
  }

  private boolean isWelcome(Message message, byte type) {
    var present = bond;
    if (present == null || message.getSrc().equals(local_addr)) {
      return true;
    }
    return switch (type) {
      case GMS.GmsHeader.VIEW -> passes(message, present);
      case GMS.GmsHeader.MERGE_REQ, GMS.GmsHeader.JOIN_RSP -> !isStranger(message, present);
      default -> true;
    };
  }

  /// Who reads a peer's messages does not wait for it, as GMS may.
  private boolean isHandedOver(Message message) {
    if (!InReader.isThis()) {
      return false;
    }
    pool.accept(() -> up_prot.up(message));
    return true;
  }

  private boolean passes(Message view, Bond present) {
    var from = JGroupsChannel.address(view.getSrc());
    if (!present.to.fellows().contains(from)) {
      return !isStranger(view, present);
    }
    if (!present.lasts(present.to.succession(), world.nanoTime())) {
      return true;
    }
    hold(view);
    return false;
  }

  private boolean isStranger(Message message, Bond present) {
    var from = message.getSrc();
    if (present.to.leader().equals(JGroupsChannel.address(from))
        || !present.lasts(present.to.others(), world.nanoTime())) {
      return false;
    }
    synchronized (strangers) {
      if (strangers.size() < STRANGERS_MAX && strangers.add(from)) {
        world.post(() -> world.log().info("Staying with the leader, not going with " + from));
      }
    }
    return true;
  }

  private void hold(Message view) {
    synchronized (held) {
      if (held.size() >= HELD_MAX) {
        return;
      }
      held.add(new Held(view, world.nanoTime()));
      if (held.size() == 1) {
        later.accept(this::look);
      }
    }
  }

  /// Decides about the view that waits: the leader is gone by now, or has proved to be there.
  private void look() {
    var passed = new ArrayDeque<Message>();
    synchronized (held) {
      var present = bond;
      var now = world.nanoTime();
      held.removeIf(
          it -> {
            if (present == null || !present.lasts(present.to.succession(), now)) {
              passed.add(it.message);
              return true;
            }
            return now - it.since > present.to.others().toNanos();
          });
      if (!held.isEmpty()) {
        later.accept(this::look);
      }
    }
    passed.forEach(up_prot::up);
  }
}
