package org.systole.pacemakerd;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.Processes.Running;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.pacemakerd.client.PacemakerdMessage.Order;
import org.systole.pacemakerd.client.PacemakerdMessage.Permit;

/// The supervisor's side of the watchdog: runs the guardian, and says when it may feed the device.
///
/// It may while the node may run resources: while it has a share in the quorum, and no longer than
/// that lasts, its daemons run and its disk answers. Until the node has been in a quorum once
/// nothing runs on it, so it may as well. A supervisor that did not end in good order leaves
/// resources behind that others count as gone; the next one on the same boot of the machine says
/// that it is to be reset.
final class Guard {
  /// What it needs to know of its node.
  interface Node {
    /// Zero without quorum.
    Duration quorumLeft();

    /// How long a share in the quorum lasts, by the token time that is in force.
    Duration lease();

    /// Why the node cannot look after resources, null if it can.
    @Nullable String unfit();
  }

  /// Of whom a run that was in a quorum is remembered, by the boot of the machine.
  static final String MARK = "watchdog-armed";

  private static final Duration ARMING = Duration.ofSeconds(60);
  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final Duration DISARMING = Duration.ofSeconds(3);
  private static final Duration QUORUM_CHECK = Duration.ofMillis(100);
  private static final Duration DISK_CHECK = Duration.ofSeconds(5);
  private static final Duration DISK_SILENCE = Duration.ofSeconds(30);
  private static final String DISK_FILE = "watchdog-disk";

  private final World world;
  private final SbdSettings settings;
  private final Map<String, String> environment;
  private final Node node;
  private final List<Runnable> whenDisarmed = new ArrayList<>();
  private @Nullable Runnable whenArmed;
  private @Nullable Running guardian;
  private World.@Nullable Timer arming;
  private boolean armed;
  private boolean disarming;
  private boolean again; // the next guardian is about to be started
  private boolean unmarked; // the mark is off the disk
  private boolean hadQuorum;
  private boolean marked;
  private long unmarkedNanos;
  private @Nullable String doom;
  private @Nullable String toldWhy;
  private Duration checkedLease = Duration.ZERO;
  private long diskNanos;

  /// @param environment handed on to the guardian
  Guard(World world, Map<String, String> environment, Node node) {
    this.world = world;
    this.environment = environment;
    this.node = node;
    this.settings = SbdSettings.of(environment).settings();
  }

  /// Whether the machine is to be reset before anything is done here. To be asked before [#start].
  ///
  /// @throws CannotStart if nobody knows. A reset would be followed by the next, as a disk does not get well by it; and where the
  ///     supervisor before this one left the device counting, that resets the machine as nobody feeds it any more
  boolean isDoomed() {
    if (settings.isWanted() && doom == null && wasLeftArmed()) {
      doom = "the supervisor before this one did not end in good order; what it ran may run on";
      world.log().critical("This machine is to be reset: " + doom);
    }
    return doom != null;
  }

  /// Arms the watchdog, if the node is to have one.
  ///
  /// @param ready called once it is armed, or at once without one: resources may be started. Not
  ///     called on a machine that is to be reset
  void start(Runnable ready) {
    if (!settings.isWanted()) {
      ready.run();
      return;
    }
    whenArmed = ready;
    var delay = settings.isDelayOnDisk() ? SbdSettings.DELAY_MAX : settings.delayOf(null);
    arming = world.after(ARMING.plus(delay), () -> cannotArm("it does not answer"));
    begin();
  }

  private boolean wasLeftArmed() {
    try {
      var mark = world.store().read(MARK);
      return mark != null && Arrays.equals(mark, mark());
    } catch (Store.StoreException e) {
      throw new CannotStart(
          ("cannot read whether the supervisor before this one has left resources behind: %s. Mend the disk, or have the machine"
                  + " start anew and remove the file %s")
              .formatted(e.getMessage(), MARK),
          PacemakerdDaemon.CONFIGURATION);
    }
  }

  private byte[] mark() {
    return world.boot().getBytes(StandardCharsets.UTF_8);
  }

  private void begin() {
    again = false;
    var home = Path.of(environment.getOrDefault(Layout.HOME, "/usr"));
    var command = List.of(home.resolve("libexec/systole/guardian").toString());
    var its = new LinkedHashMap<>(environment);
    if (armed) {
      its.put(SbdSettings.AGAIN, "yes");
    }
    guardian = world.processes().start(new Program(command, its, "", null, 0), this::ended);
  }

  /// A guardian that ends leaves the device counting; the next one goes on feeding it.
  private void ended(Exit exit) {
    guardian = null;
    if (disarming) {
      endWell();
    } else if (!armed
        && exit instanceof Exit.Exited(var status, _, _, _, _)
        && status == Guardian.CANNOT_ARM) {
      cannotArm("see its log");
    } else {
      world.log().error("The guardian of the watchdog ended (%s); starting it again".formatted(exit));
      again = true;
      world.after(AGAIN, this::begin);
    }
  }

  private void cannotArm(String why) {
    world.exit(
        PacemakerdDaemon.CONFIGURATION,
        ("the watchdog %s cannot be armed: %s. This host's file of SBD settings asks for it"
                + " (SBD_WATCHDOG_DEV)")
            .formatted(settings.device(), why));
  }

  /// What the daemons inherit: they are started once the watchdog is armed.
  Map<String, String> environmentOfDaemons() {
    if (!settings.isWanted()) {
      return environment;
    }
    var all = new LinkedHashMap<>(environment);
    // With disks a node without quorum goes on until a message tells it to be gone.
    var millis = settings.disks().isEmpty() ? settings.timeout().toMillis() : 0;
    all.put(SbdSettings.ARMED, Long.toString(millis));
    return all;
  }

  /// Whether this node was in a quorum since this supervisor was started.
  boolean hadQuorum() {
    return hadQuorum;
  }

  /// What the guardian may do now.
  ///
  /// @param disks whether most disks for messages answer
  Permit permit(boolean disks) {
    if (!armed && !disarming) {
      armed();
    }
    checkLease();
    if (doom != null) {
      return new Permit(0, Order.RESET);
    }
    if (disarming) {
      return new Permit(0, Order.DISARM);
    }
    var left = node.quorumLeft();
    var why = unfit(left, disks);
    if (why != null) {
      tell(why);
      return new Permit(0, Order.WAIT);
    }
    tell(null);
    var enough = settings.timeout().dividedBy(2);
    var time = hadQuorum && !disks ? left : enough;
    return new Permit(Math.min(time.toMillis(), enough.toMillis()), Order.FEED);
  }

  private @Nullable String unfit(Duration quorumLeft, boolean disks) {
    var why = node.unfit();
    if (why != null) {
      return why;
    }
    if (hadQuorum && quorumLeft.isZero() && !disks) {
      return "the node has lost quorum";
    }
    if (hadQuorum && !marked && isLongAgo(unmarkedNanos)) {
      return "the disk does not take the note that the watchdog is armed";
    }
    return isLongAgo(diskNanos)
        ? "the disk has taken nothing for " + DISK_SILENCE.toSeconds() + " s"
        : null;
  }

  private boolean isLongAgo(long nanos) {
    return world.elapsedNanos() - nanos > DISK_SILENCE.toNanos();
  }

  /// Where the leader of a membership falls silent, all its members are without quorum until that is noticed: for half the token
  /// time, and what the next membership takes. Disks that answer have them fed meanwhile.
  private void checkLease() {
    var lease = node.lease();
    if (lease.equals(checkedLease)) {
      return;
    }
    checkedLease = lease;
    if (settings.disks().isEmpty() && settings.timeout().compareTo(lease) <= 0) {
      world
          .log()
          .critical(
              ("SBD_WATCHDOG_TIMEOUT has to be longer than three quarters of the token time: %d ms > %d ms does not hold, and if one"
                      + " node is lost the watchdogs of all may reset them; set SBD_WATCHDOG_TIMEOUT=%d on all nodes, or token in corosync.conf"
                      + " to %d at most")
                  .formatted(
                      settings.timeout().toMillis(),
                      lease.toMillis(),
                      lease.toSeconds() + 1,
                      settings.timeout().toMillis() * 4 / 3 - 1));
    }
  }

  private void tell(@Nullable String why) {
    if (why != null && toldWhy == null) {
      world
          .log()
          .critical(
              "%s: unless that ends, the watchdog resets this machine in %d s"
                  .formatted(why, settings.timeout().toSeconds()));
    } else if (why == null && toldWhy != null) {
      world.log().notice("No longer so: " + toldWhy);
    }
    toldWhy = why;
  }

  private void armed() {
    armed = true;
    if (arming != null) {
      arming.cancel();
    }
    if (doom == null && whenArmed != null) {
      diskNanos = world.elapsedNanos();
      checkDisk();
      checkQuorum();
      whenArmed.run();
    }
  }

  private void checkQuorum() {
    if (node.quorumLeft().isPositive()) {
      hadQuorum = true;
      unmarkedNanos = world.elapsedNanos();
      writeMark();
    } else {
      world.after(QUORUM_CHECK, this::checkQuorum);
    }
  }

  private void writeMark() {
    world
        .store()
        .change(
            List.of(new Store.Change.Write(MARK, mark())),
            why -> {
              marked = why == null;
              if (!marked && !disarming) {
                world.log().error("Cannot note that the watchdog is armed: " + why);
                world.after(DISK_CHECK, this::writeMark);
              }
            });
  }

  /// A disk that is full or broken answers; one that hangs does not.
  private void checkDisk() {
    var change = new Store.Change.Write(DISK_FILE, mark());
    world
        .store()
        .change(
            List.of(change),
            _ -> {
              diskNanos = world.elapsedNanos();
              world.after(DISK_CHECK, this::checkDisk);
            });
  }

  /// The node can no longer be trusted: the machine is to be reset as soon as can be.
  void reset(String why) {
    if (settings.isWanted() && doom == null && !disarming) {
      doom = why;
      world.log().critical("The watchdog is to reset this machine: " + why);
    }
  }

  /// Nothing runs here that others must not run as well: the watchdog is not needed any more.
  ///
  /// @param done called once it is disarmed, or at once without one
  void disarm(Runnable done) {
    if (!settings.isWanted() || doom != null || isGone() && (unmarked || !armed)) {
      done.run();
      return;
    }
    whenDisarmed.add(done);
    if (!disarming) {
      disarming = true;
      if (guardian != null && !armed) {
        guardian.terminate(); // one that has armed the device, and has not said so yet, asks nevertheless
      }
      world
          .store()
          .change(
              List.of(new Store.Change.Delete(MARK)),
              _ -> {
                unmarked = true;
                endWell();
              });
      world.after(DISARMING, this::disarmed);
    }
  }

  /// Whether no guardian is left that could have armed the device.
  private boolean isGone() {
    return guardian == null && !again;
  }

  /// The next supervisor of this boot finds no mark, or it would have the machine reset.
  private void endWell() {
    if (isGone() && unmarked) {
      disarmed();
    }
  }

  private void disarmed() {
    var waiting = List.copyOf(whenDisarmed);
    whenDisarmed.clear();
    waiting.forEach(Runnable::run);
  }
}
