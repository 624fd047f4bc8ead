package org.systole.execd.client.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Addresses of names. Where no name server answers, the machine's own library waits for that as long as it likes, and
/// keeps one of the few threads that virtual ones run on: whoever asks does not wait that long, and only so many names
/// are asked for at a time.
final class NameLookup {
  /// Who knows the address of a name.
  @FunctionalInterface
  interface Directory {
    InetAddress find(String name) throws UnknownHostException;
  }

  static final NameLookup OF_THE_MACHINE = new NameLookup(InetAddress::getByName);

  static final int AT_A_TIME = 64;

  private final Directory directory;
  private final Semaphore places = new Semaphore(AT_A_TIME);

  NameLookup(Directory directory) {
    this.directory = directory;
  }

  /// The address, also where the name is one. Blocks.
  ///
  /// @throws IOException with one line that says why there is none
  InetAddress find(String name, Duration within) throws IOException {
    try {
      return InetAddress.ofLiteral(name);
    } catch (IllegalArgumentException _) {
      return ask(name, within);
    }
  }

  private InetAddress ask(String name, Duration within) throws IOException {
    var until = System.nanoTime() + within.toNanos();
    try {
      if (!places.tryAcquire(within.toNanos(), TimeUnit.NANOSECONDS)) {
        throw unanswered();
      }
      var answer = new CompletableFuture<InetAddress>();
      Thread.ofVirtual().name("name-" + name).start(() -> ask(name, answer));
      return answer.get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      throw unanswered();
    } catch (ExecutionException _) {
      throw new IOException("there is no address for this name");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void ask(String name, CompletableFuture<InetAddress> answer) {
    try {
      answer.complete(directory.find(name));
    } catch (UnknownHostException | RuntimeException e) {
      answer.completeExceptionally(e);
    } finally {
      places.release();
    }
  }

  private static IOException unanswered() {
    return new IOException("nobody says in time which address this name has; does its name server (DNS) answer?");
  }
}
