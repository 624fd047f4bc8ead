package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.MessageDisks;
import org.systole.common.world.World;

/// The disks that all simulated machines share, with a slot for each.
final class SimMessageDisks {
  private static final long LOOP = 1_000_000_000L;
  private static final Duration READ = Duration.ofMillis(5);

  private final SimCluster cluster;
  private final Map<String, Map<String, DiskFormat.Mail>> slots = new TreeMap<>();
  private final Set<String> hanging = new TreeSet<>();
  private final Map<String, Long> late = new TreeMap<>();
  private DiskFormat.Times times = DiskFormat.Times.USUAL;
  private boolean fencing;

  SimMessageDisks(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Nodes are fenced by these.
  void fence() {
    fencing = true;
  }

  boolean areFencing() {
    return fencing;
  }

  /// As `fence_sbd` does, on all disks.
  ///
  /// @return whether there is a slot of that name
  boolean write(String to, DiskMessage message, String from) {
    var found = false;
    for (var disk : slots.values()) {
      found |= disk.replace(to, new DiskFormat.Mail(message, from)) != null;
    }
    return found;
  }

  /// A disk answers a node no more, or does again.
  void hang(String node, String disk, boolean on) {
    if (on) {
      hanging.add(node + " " + disk);
    } else {
      hanging.remove(node + " " + disk);
    }
  }

  /// What a node looks for next on a disk comes later, as it is now; after that the disk hangs.
  void answersOnceMoreAfter(String node, String disk, Duration time) {
    late.put(node + " " + disk, time.toNanos());
  }

  /// As a machine's processes see them.
  MessageDisks of(SimNode node, World world) {
    return new OfProcess(node, world);
  }

  private final class OfProcess implements MessageDisks {
    private final SimNode node;
    private final World world;
    private boolean begun;

    OfProcess(SimNode node, World world) {
      this.node = node;
      this.world = world;
    }

    @Override
    public void messageWait(List<String> disks, Duration limit, Consumer<@Nullable Duration> done) {
      var silent = disks.stream().filter(it -> hanging.contains(node.name() + " " + it)).count();
      var wait = silent == disks.size() ? null : SimMessageDisks.this.messageWait();
      world.after(silent > 0 ? limit : READ, () -> done.accept(wait));
    }

    @Override
    public void watch(List<String> disks, String owner, boolean clean, Listener listener) {
      var process = node.process("guardian");
      if (process != null) {
        disks.forEach(it -> new Watch(process, world, it, owner, clean, listener, () -> begun).look());
      }
    }

    @Override
    public void begun() {
      begun = true;
    }
  }

  private final class Watch {
    private final SimProcess process;
    private final World world;
    private final String disk;
    private final String name;
    private final boolean clean;
    private final MessageDisks.Listener listener;
    private final BooleanSupplier running; // whether the node may run resources
    private boolean begun;

    Watch(
        SimProcess process,
        World world,
        String disk,
        String name,
        boolean clean,
        MessageDisks.Listener listener,
        BooleanSupplier running) {
      this.process = process;
      this.world = world;
      this.disk = disk;
      this.name = name;
      this.clean = clean;
      this.listener = listener;
      this.running = running;
    }

    private Map<String, DiskFormat.Mail> mails() {
      return slots.computeIfAbsent(disk, _ -> new TreeMap<>());
    }

    private void begin() {
      begun = true;
      if (running.getAsBoolean()) {
        mails().putIfAbsent(name, new DiskFormat.Mail(DiskMessage.CLEAR, ""));
        return;
      }
      var old = mails().get(name);
      if (clean && old != null && old.message() != null && old.message() != DiskMessage.CLEAR) {
        var message = old.message();
        listener.message(disk, message, old.from(), true);
      }
      mails().put(name, new DiskFormat.Mail(DiskMessage.CLEAR, ""));
    }

    void look() {
      var path = process.node().name() + " " + disk;
      cluster.queue().after(LOOP, process, this::look);
      if (hanging.contains(path)) {
        return;
      }
      if (!begun) {
        begin();
      }
      var now = world.elapsedNanos();
      var later = late.remove(path);
      if (later != null) {
        hanging.add(path);
        cluster
            .queue()
            .after(later, process, () -> listener.seen(disk, times, now));
        return;
      }
      var mail = mails().get(name);
      var message = mail == null ? null : mail.message();
      if (message == DiskMessage.TEST) {
        mails().put(name, new DiskFormat.Mail(DiskMessage.CLEAR, ""));
      } else if (mail != null && message != null && message != DiskMessage.CLEAR) {
        listener.message(disk, message, mail.from(), false);
      }
      listener.seen(disk, times, now);
    }
  }

  /// How long `fence_sbd` waits after it has written.
  Duration messageWait() {
    return Duration.ofSeconds(times.msgwait());
  }

  /// The disks are made with another time.
  void messageWait(Duration time) {
    var usual = DiskFormat.Times.USUAL;
    times = new DiskFormat.Times(usual.watchdog(), usual.allocate(), usual.loop(), (int) time.toSeconds());
  }

  /// Such as `SBD_DEVICE` has it.
  static String named(List<String> disks) {
    return String.join(";", disks);
  }
}
