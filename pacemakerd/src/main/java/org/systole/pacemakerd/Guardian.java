package org.systole.pacemakerd;

import java.time.Duration;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.wire.RpcClient.Answer;
import org.systole.common.world.MessageDisks;
import org.systole.common.world.Watchdog;
import org.systole.common.world.World;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.pacemakerd.client.PacemakerdMessage.Permit;

/// Keeps the machine's watchdog: feeds it once for each permit of the supervisor, and never without
/// one. A process of its own, small and kept in memory: no collection of garbage and no paging holds
/// it up for as long as the watchdog waits.
///
/// A permit is counted from the moment it was asked for, so it is worth no more than the supervisor
/// meant by it, however long either process stood still. Silence feeds nothing.
final class Guardian {
  /// The exit status that says that there is no device to keep.
  static final int CANNOT_ARM = 78;

  /// How often it asks within the time of the watchdog: nine questions may come to nothing.
  static final int ASKS = 10;

  private static final Duration DISKS = Duration.ofSeconds(50);
  private static final Duration ASK_MIN = Duration.ofMillis(100);
  private static final Duration ASK_MAX = Duration.ofMillis(500);

  /// What must be left of a permit: feeding takes less.
  private static final Duration ENOUGH = Duration.ofMillis(50);

  private final World world;
  private final SbdSettings settings;
  private final Watchdog watchdog;
  private final MessageDisks onDisk;
  private final String owner;
  private final Disks disks;
  private final Duration pause;
  private final RpcClient<PacemakerdMessage.Request, PacemakerdMessage.Reply, NoEvent> supervisor;
  private boolean armed;
  private boolean asking;
  private boolean over;
  private boolean hungry; // the last question came to nothing
  private long fedNanos;

  /// @param owner its name on the disks, unless the settings have another
  Guardian(
      World world, SbdSettings settings, String owner, Watchdog watchdog, MessageDisks onDisk) {
    this.world = world;
    this.settings = settings;
    this.owner = owner;
    this.watchdog = watchdog;
    this.onDisk = onDisk;
    this.disks = new Disks(world, settings, new FromDisks());
    this.pause = pause(settings.timeout());
    this.supervisor =
        new RpcClient<>(
            world,
            PacemakerdMessage.SOCKET,
            PacemakerdMessage.PROTOCOL,
            new FromSupervisor());
  }

  private final class FromSupervisor implements RpcClient.Listener<NoEvent> {
    @Override
    public void connected() {
      if (!asking) {
        asking = true;
        ask();
      }
    }
  }

  private static Duration pause(Duration timeout) {
    var pause = timeout.dividedBy(ASKS);
    if (pause.compareTo(ASK_MIN) < 0) {
      return ASK_MIN;
    }
    return pause.compareTo(ASK_MAX) > 0 ? ASK_MAX : pause;
  }

  /// Waits for the disks, if there are any.
  void start() {
    if (settings.disks().isEmpty()) {
      arm();
      return;
    }
    var named = settings.name();
    world.after(
        DISKS,
        () -> {
          if (!asking) {
            world.exit(CANNOT_ARM, "not enough disks answer of " + disks.named());
          }
        });
    disks.begin(onDisk, named == null ? owner : named);
  }

  /// The node is stopped before the device counts. Once it does, the guardian ends when the supervisor says so, or is gone.
  void terminate() {
    if (!armed) {
      world.exit(0, "asked to end before the watchdog was armed");
    }
  }

  private final class FromDisks implements Disks.Owner {
    @Override
    public void ready() {
      onDisk.begun();
      arm();
    }

    @Override
    public void unusable(String why) {
      if (!armed) {
        world.exit(CANNOT_ARM, why);
      } else {
        world.log().critical(why);
      }
    }

    @Override
    public void fenced(DiskMessage message, String from) {
      if (armed && !over) {
        reset(
            "%s says so by a disk (%s)".formatted(from, message.word()),
            switch (message) {
              case OFF -> SbdSettings.Action.OFF;
              case CRASHDUMP -> SbdSettings.Action.CRASHDUMP;
              default -> SbdSettings.Action.REBOOT;
            });
      }
    }
  }

  /// Arms the device; ends the process if that cannot be done.
  private void arm() {
    var device = settings.device();
    var why = device == null ? "no device is named" : watchdog.arm(device, settings.timeout());
    if (why != null) {
      world.exit(CANNOT_ARM, "no watchdog: " + why);
      return;
    }
    world
        .log()
        .notice(
            "Watchdog %s is armed: it resets this machine %d s after it was last fed"
                .formatted(device, settings.timeout().toSeconds()));
    armed = true;
    fedNanos = world.elapsedNanos();
    supervisor.open();
  }

  private void ask() {
    if (over) {
      return;
    }
    var asked = world.elapsedNanos();
    supervisor.call(
        new PacemakerdMessage.MayFeed(disks.answer()),
        settings.timeout(),
        answer -> answered(asked, answer));
    world.after(pause, this::ask);
  }

  private void answered(long asked, Answer<PacemakerdMessage.Reply> answer) {
    if (over) {
      return;
    }
    if (!(answer instanceof Answer.Got<PacemakerdMessage.Reply>(Permit(var millis, var order)))) {
      starve("the supervisor gives no answer");
      return;
    }
    switch (order) {
      case FEED -> feed(asked + Duration.ofMillis(millis).toNanos());
      case WAIT -> starve("the supervisor gives no permit");
      case RESET -> reset("the supervisor says so");
      case DISARM -> disarm();
    }
  }

  private void feed(long until) {
    if (until - world.elapsedNanos() < ENOUGH.toNanos()) {
      starve("the permit came too late");
      return;
    }
    var why = watchdog.feed();
    if (world.elapsedNanos() - until > 0) {
      reset("this process stood still while it fed: others may count on its end already");
    } else if (why != null) {
      starve(why);
    } else {
      fedNanos = world.elapsedNanos();
      if (hungry) {
        hungry = false;
        world.log().notice("The watchdog is fed again");
      }
    }
  }

  private void starve(String why) {
    var left = settings.timeout().toNanos() - (world.elapsedNanos() - fedNanos);
    if (!hungry) {
      hungry = true;
      world
          .log()
          .warning(
              "The watchdog is not fed: %s; it resets this machine in %d ms"
                  .formatted(why, Math.max(0, left) / 1_000_000));
    }
    if (left < -settings.timeout().toNanos()) {
      reset("the watchdog was to reset it long ago");
    }
  }

  private void reset(String why) {
    reset(why, settings.action());
  }

  private void reset(String why, SbdSettings.Action how) {
    over = true;
    world.log().critical("Resetting this machine: " + why);
    watchdog.reset(how);
  }

  private void disarm() {
    over = true;
    var why = watchdog.disarm();
    if (why == null) {
      world.exit(0, "the watchdog is disarmed");
    } else {
      world.exit(1, why);
    }
  }
}
