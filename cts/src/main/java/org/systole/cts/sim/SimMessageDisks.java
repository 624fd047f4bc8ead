package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.MessageDisks;

/// The disks that all simulated machines share, with a slot for each.
final class SimMessageDisks {
  private static final long LOOP = 1_000_000_000L;

  private final SimCluster cluster;
  private final Map<String, Map<String, DiskFormat.Mail>> slots = new TreeMap<>();
  private final Set<String> hanging = new TreeSet<>();

  SimMessageDisks(SimCluster cluster) {
    this.cluster = cluster;
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

  /// As a machine's processes see them.
  MessageDisks of(SimNode node) {
    return (disks, name, clean, listener) -> {
      var process = node.process("guardian");
      if (process != null) {
        disks.forEach(it -> new Watch(process, it, name, listener).begin(clean));
      }
    };
  }

  private final class Watch {
    private final SimProcess process;
    private final String disk;
    private final String name;
    private final MessageDisks.Listener listener;

    Watch(SimProcess process, String disk, String name, MessageDisks.Listener listener) {
      this.process = process;
      this.disk = disk;
      this.name = name;
      this.listener = listener;
    }

    private Map<String, DiskFormat.Mail> mails() {
      return slots.computeIfAbsent(disk, _ -> new TreeMap<>());
    }

    void begin(boolean clean) {
      var old = mails().get(name);
      if (clean && old != null && old.message() != null && old.message() != DiskMessage.CLEAR) {
        var message = old.message();
        listener.message(disk, message, old.from(), true);
      }
      mails().put(name, new DiskFormat.Mail(DiskMessage.CLEAR, ""));
      look();
    }

    private void look() {
      cluster.queue().after(LOOP, process, this::look);
      if (hanging.contains(process.node().name() + " " + disk)) {
        return;
      }
      var mail = mails().get(name);
      var message = mail == null ? null : mail.message();
      if (message == DiskMessage.TEST) {
        mails().put(name, new DiskFormat.Mail(DiskMessage.CLEAR, ""));
      } else if (mail != null && message != null && message != DiskMessage.CLEAR) {
        listener.message(disk, message, mail.from(), false);
      }
      listener.seen(disk, DiskFormat.Times.USUAL);
    }
  }

  /// How long `fence_sbd` waits after it has written.
  static Duration messageWait() {
    return Duration.ofSeconds(DiskFormat.Times.USUAL.msgwait());
  }

  /// Such as `SBD_DEVICE` has it.
  static String named(List<String> disks) {
    return String.join(";", disks);
  }
}
