package org.systole.common.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.MessageDisks;
import org.systole.common.world.World;

/// Real disks: each has a thread of its own, which a disk that hangs holds up.
public final class SbdDisks implements MessageDisks {
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private final World world;
  private volatile boolean begun;

  /// @param world in whose loop listeners are told
  public SbdDisks(World world) {
    this.world = world;
  }

  @Override
  public void messageWait(List<String> disks, Duration limit, Consumer<@Nullable Duration> done) {
    var waits = new Waits(disks.size(), done);
    world.after(limit, waits::end);
    for (var disk : disks) {
      Thread.ofPlatform()
          .daemon()
          .name("header of " + disk)
          .start(
              () -> {
                var wait = messageWait(disk);
                world.post(() -> waits.told(wait));
              });
    }
  }

  private static Duration messageWait(String device) {
    try (var disk = SbdDisk.open(device)) {
      return Duration.ofSeconds(disk.header().times().msgwait());
    } catch (IOException e) {
      return Duration.ZERO; // who looks after it says why
    }
  }

  /// Of several disks, some of which may hang. In the loop.
  private static final class Waits {
    private final Consumer<@Nullable Duration> done;
    private Duration longest = Duration.ZERO;
    private int left;

    Waits(int disks, Consumer<@Nullable Duration> done) {
      this.left = disks;
      this.done = done;
    }

    void told(Duration wait) {
      longest = wait.compareTo(longest) > 0 ? wait : longest;
      if (left > 0 && --left == 0) {
        done.accept(longest.isZero() ? null : longest);
      }
    }

    void end() {
      if (left > 0) {
        left = 1;
        told(Duration.ZERO);
      }
    }
  }

  @Override
  public void watch(List<String> disks, String owner, boolean clean, Listener listener) {
    for (var disk : disks) {
      Thread.ofPlatform()
          .daemon()
          .name("disk " + disk)
          .start(new Watcher(disk, owner, clean, listener));
    }
  }

  @Override
  public void begun() {
    begun = true;
  }

  private final class Watcher implements Runnable {
    private final String device;
    private final String owner;
    private final boolean clean;
    private final Listener listener;
    private boolean first = true;
    private boolean failing;

    Watcher(String device, String owner, boolean clean, Listener listener) {
      this.device = device;
      this.owner = owner;
      this.clean = clean;
      this.listener = listener;
    }

    @Override
    public void run() {
      while (true) {
        try (var disk = SbdDisk.open(device)) {
          lookAfter(disk);
        } catch (IOException e) {
          if (!failing) {
            failing = true;
            world.post(() -> listener.failed(device, e.getMessage()));
          }
        }
        sleep(AGAIN);
      }
    }

    private void lookAfter(SbdDisk disk) throws IOException {
      var header = disk.header();
      var slot = slot(disk, header);
      if (first) {
        begin(disk, slot);
        first = false;
      }
      while (true) {
        var now = world.elapsedNanos();
        if (!disk.header().equals(header)) {
          throw new IOException(device + ": its header has changed");
        }
        if (!owner.equalsIgnoreCase(disk.owner(slot))) {
          throw new IOException("%s: slot %d is not this node's any more".formatted(device, slot));
        }
        read(disk, slot, false);
        failing = false;
        world.post(() -> listener.seen(device, header.times(), now));
        sleep(Duration.ofSeconds(Math.max(1, header.times().loop())));
      }
    }

    private int slot(SbdDisk disk, DiskFormat.Header header) throws IOException {
      if (owner.getBytes(StandardCharsets.UTF_8).length > DiskFormat.NAME_MAX) {
        throw new IOException(
            "%s is too long for a name on a disk; give another by SBD_OPTS=\"-n NAME\""
                .formatted(owner));
      }
      while (true) {
        var slot = disk.slotOf(owner, header.slots());
        if (slot >= 0) {
          return slot;
        }
        slot = disk.freeSlot(header.slots());
        if (slot < 0) {
          throw new IOException(device + " has no free slot");
        }
        disk.own(slot, owner);
        sleep(Duration.ofSeconds(header.times().allocate())); // another node may have taken it, too
      }
    }

    private void begin(SbdDisk disk, int slot) throws IOException {
      if (begun) {
        return; // whoever wrote what is there may count on it
      }
      if (clean) {
        read(disk, slot, true);
      } else {
        disk.mail(slot, DiskMessage.CLEAR, "");
      }
    }

    private void read(SbdDisk disk, int slot, boolean old) throws IOException {
      var mail = taken(new Slot(disk, slot));
      var message = mail.message();
      if (message != null && message != DiskMessage.TEST && message != DiskMessage.CLEAR) {
        world.post(() -> listener.message(device, message, mail.from(), old));
      }
    }
  }

  /// Where messages for a node are.
  interface Mailbox {
    DiskFormat.Mail read() throws IOException;

    void clear() throws IOException;
  }

  private record Slot(SbdDisk disk, int number) implements Mailbox {
    @Override
    public DiskFormat.Mail read() throws IOException {
      return disk.mail(number);
    }

    @Override
    public void clear() throws IOException {
      disk.clear(number);
    }
  }

  /// What is in a slot. A test is answered by clearing it; what cannot be read may be half of a message that is being
  /// written, and is cleared too.
  ///
  /// Nobody can lock a disk: another node may write a message between the look and the clearing. So what stands there right before
  /// and right after it counts. A message that comes in the instant between these two is lost here; whoever writes one
  /// that the node has to heed looks again.
  static DiskFormat.Mail taken(Mailbox box) throws IOException {
    var mail = box.read();
    if (isToBeCleared(mail)) {
      mail = box.read();
      if (isToBeCleared(mail)) {
        box.clear();
        mail = box.read();
      }
    }
    return mail;
  }

  private static boolean isToBeCleared(DiskFormat.Mail mail) {
    return mail.message() == null || mail.message() == DiskMessage.TEST;
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
