package org.systole.pacemakerd;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.MessageDisks;
import org.systole.common.world.World;

/// The disks by which this node can be told to be gone: which of them answer, and what they say.
///
/// Of three disks two have to answer, of one or two one, as in SBD: whoever fences writes to more
/// than half of them. A disk answers as of when it was asked: an answer that was under way for long
/// does not know of a message that was written meanwhile.
final class Disks implements MessageDisks.Listener {
  /// How long one look may take. A disk that was not seen for this and its pause does not answer.
  static final Duration IO = Duration.ofSeconds(3);

  /// How long the node waits at its start for disks that say nothing. Each disk that answers before
  /// the node runs has old messages cleared; on a later one they count.
  static final Duration GRACE = Duration.ofSeconds(10);

  /// What the guardian does of it.
  interface Owner {
    /// Enough disks answer, and the others have had the time to, for the first time.
    void ready();

    /// The disks cannot be used as they are: the node must not start.
    void unusable(String why);

    /// This node is to be gone.
    void fenced(DiskMessage message, String from);
  }

  private final World world;
  private final SbdSettings settings;
  private final Owner owner;
  private final Map<String, Long> seen = new TreeMap<>();
  private final Set<String> contradicting = new TreeSet<>();
  private Duration pause = Duration.ofSeconds(1);
  private final Set<String> tried = new TreeSet<>(); // they answered, or failed
  private boolean patient = true;
  private boolean ready;

  Disks(World world, SbdSettings settings, Owner owner) {
    this.world = world;
    this.settings = settings;
    this.owner = owner;
  }

  void begin(MessageDisks disks, String name) {
    disks.watch(settings.disks(), name, settings.cleanStart(), this);
    world.after(
        GRACE,
        () -> {
          patient = false;
          look();
        });
  }

  /// Whether enough of them answer; false if there are none.
  boolean answer() {
    var latest = IO.plus(pause).toNanos();
    var now = world.elapsedNanos();
    var good = seen.values().stream().filter(it -> now - it <= latest).count();
    return good > (settings.disks().size() > 2 ? settings.disks().size() / 2 : 0);
  }

  @Override
  public void seen(String disk, DiskFormat.Times times, long beganNanos) {
    tried.add(disk);
    var why = contradiction(disk, times);
    if (why != null) {
      if (contradicting.add(disk)) {
        owner.unusable(why);
      }
      return;
    }
    if (seen.put(disk, beganNanos) == null) {
      pause = Duration.ofSeconds(times.loop());
      world.log().notice("Disk %s has a slot for this node".formatted(disk));
    }
    look();
  }

  private void look() {
    if (!ready && answer() && (!patient || tried.containsAll(settings.disks()))) {
      ready = true;
      owner.ready();
    }
  }

  /// The times of a disk were given when it was made; nodes that have others contradict it.
  private @Nullable String contradiction(String disk, DiskFormat.Times times) {
    var own = settings.timeout().toSeconds();
    if (times.watchdog() != own) {
      return "%s is made for watchdogs of %d s, and this node's has %d s: set SBD_WATCHDOG_TIMEOUT=%d"
          .formatted(disk, times.watchdog(), own, times.watchdog());
    }
    var needed = own + IO.toSeconds() + times.loop();
    if (times.msgwait() <= needed) {
      return ("%s: msgwait has to be longer than the watchdog's time, a look at the disk and the pause"
              + " between two: %d > %d + %d + %d does not hold; make it anew with sbd -4 %d")
          .formatted(
              disk, times.msgwait(), own, IO.toSeconds(), times.loop(), Math.max(2 * own, needed + 1));
    }
    return null;
  }

  @Override
  public void message(String disk, DiskMessage message, String from, boolean old) {
    if (message.isFencing() && old) {
      owner.unusable(
          ("%s: %s has left the message '%s' for this node, and SBD_STARTMODE is clean: see why, and"
                  + " clear it with sbd -d %s message LOCAL clear")
              .formatted(disk, from, message.word(), disk));
    } else if (message.isFencing()) {
      owner.fenced(message, from);
    }
  }

  @Override
  public void failed(String disk, String why) {
    seen.remove(disk);
    tried.add(disk);
    world.log().error("Disk for messages: " + why);
    look();
  }

  /// For a person.
  String named() {
    return String.join(", ", List.copyOf(settings.disks()));
  }
}
