package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;
import org.systole.cts.local.LocalNode;

/// The watchdogs of the lab's nodes: a file for each stands for the device. Who is armed and not fed
/// in time has its power cut, as a machine would be reset, whatever its processes do.
final class WatchdogKeeper implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final int DISARMED = 'V';

  private final Lab lab;
  private final Duration timeout;
  private final Map<String, Long> cuts = new ConcurrentSkipListMap<>();
  private final Thread thread;
  private volatile boolean closed;

  /// @param timeout of all watchdogs
  WatchdogKeeper(Lab lab, Duration timeout) throws IOException {
    this.lab = lab;
    this.timeout = timeout;
    for (var node : lab.nodes()) {
      Files.write(device(node), new byte[0]);
    }
    this.thread = Thread.ofPlatform().daemon().name("watchdogs").start(this::keep);
  }

  static Path device(LocalNode node) {
    return node.dir().resolve("watchdog");
  }

  /// Whether the node's watchdog counts now.
  boolean isArmed(LocalNode node) {
    try {
      var content = Files.readAllBytes(device(node));
      return content.length > 0 && content[0] != DISARMED;
    } catch (IOException e) {
      return false;
    }
  }

  /// Whether the node was reset since this keeper began.
  boolean hasCut(LocalNode node) {
    return cuts.containsKey(node.name());
  }

  private void keep() {
    while (!closed) {
      for (var node : lab.nodes()) {
        try {
          look(node);
        } catch (IOException e) {
          System.out.println("The watchdog of " + node.name() + " cannot be looked at: " + e);
        }
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  private void look(LocalNode node) throws IOException {
    var fed = Files.getLastModifiedTime(device(node)).toMillis();
    if (isArmed(node) && System.currentTimeMillis() - fed > timeout.toMillis()) {
      var processes = LabProcesses.freeze(node);
      Files.write(device(node), new byte[0]);
      LabProcesses.kill(processes);
      lab.evidence().dead(node.name());
      cuts.put(node.name(), System.nanoTime());
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
