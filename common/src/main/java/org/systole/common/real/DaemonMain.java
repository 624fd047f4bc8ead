package org.systole.common.real;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.Product;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;

/// What the main methods of all daemons have in common.
public final class DaemonMain {
  /// Set by the supervisor for its children: its process id. A daemon whose supervisor is gone ends
  /// by itself.
  public static final String SUPERVISOR = "SYSTOLE_SUPERVISOR";

  private static final int USAGE = 64;
  private static final long PARENT_CHECK_MILLIS = 200;
  private static final int CONNECT_SECONDS = 5;

  /// Starts a daemon's logic.
  @FunctionalInterface
  public interface Starter {
    /// Called in the loop. What cannot work is a [CannotStart].
    void start(World world, Layout layout, Map<String, String> environment);
  }

  /// A daemon of which a node has one.
  ///
  /// @param socket the name of the socket that it serves
  /// @param instance what it is called where there is one already
  public record Single(String socket, String instance) {}

  private DaemonMain() {}

  /// Runs a daemon, or answers one of the few arguments it has. With a running daemon it does not
  /// return.
  ///
  /// @param name the program's name, such as `cibd`
  /// @param stateName its directory of durable files, such as `cib`
  /// @param metadata what `NAME metadata` prints
  /// @return the exit status
  public static int run(
      String name, String stateName, String[] args, Supplier<String> metadata, Starter starter) {
    return args.length > 0
        ? argument(name, args, metadata, System.out, System.err)
        : run(name, stateName, System.getenv(), starter);
  }

  /// The same for a daemon of which a node has one. Who starts another one by hand is told so: it would take the
  /// socket and the cluster from the one that is there, and end the agents that run.
  public static int run(
      String name,
      String stateName,
      Single single,
      String[] args,
      Supplier<String> metadata,
      Starter starter) {
    var environment = System.getenv();
    if (args.length == 0 && !environment.containsKey(SUPERVISOR)) {
      var why = whyNot(single, environment);
      if (why != null) {
        System.err.println(name + ": " + why);
        return 0;
      }
    }
    return run(name, stateName, args, metadata, starter);
  }

  /// Why one that is started by hand does not start; null if it may.
  static @Nullable String whyNot(Single single, Map<String, String> environment) {
    var socket = UnixDomainSocketAddress.of(Layout.of(environment).socket(single.socket()));
    var served = new CompletableFuture<Boolean>();
    Thread.ofPlatform().daemon().name("look").start(() -> served.complete(isServed(socket)));
    served.completeOnTimeout(true, CONNECT_SECONDS, TimeUnit.SECONDS); // it hangs, with all it can take waiting
    return served.join()
        ? "Aborting start-up because %s is already active".formatted(single.instance())
        : null;
  }

  private static boolean isServed(UnixDomainSocketAddress socket) {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(socket);
      return true;
    } catch (IOException e) {
      return false; // nobody is there
    }
  }

  /// Runs a daemon whose arguments were read already.
  ///
  /// @return the exit status, if it could not start
  public static int run(
      String name, String stateName, Map<String, String> environment, Starter starter) {
    try {
      var layout = Layout.of(environment);
      var world = RealWorld.create(layout, environment, name, stateName);
      watchSupervisor(environment, world);
      world.run(
          () -> {
            world.log().notice("Starting " + name);
            starter.start(world, layout, environment);
          });
      return 1;
    } catch (CannotStart e) {
      System.err.println(name + ": " + e.getMessage());
      return e.status();
    }
  }

  private static int argument(
      String name, String[] args, Supplier<String> metadata, PrintStream out, PrintStream errors) {
    switch (args[0]) {
      case "metadata" -> out.println(metadata.get().stripTrailing());
      case "--version", "-$" -> out.println("Pacemaker " + Product.COMPATIBLE_VERSION);
      case "version" -> out.println("CRM Version: " + Product.COMPATIBLE_VERSION + " (systole)");
      case "--help", "-?", "-h" ->
          out.println(
              """
              %1$s - daemon of the cluster, started by pacemakerd

              Usage:
                %1$s [metadata]

              metadata         print the cluster options it reads, as OCF metadata
              --version, -$    print the version
              --help, -?       print this text"""
                  .formatted(name));
      default -> {
        errors.printf("%s: unknown argument '%s'; try %s --help%n", name, args[0], name);
        return USAGE;
      }
    }
    return 0;
  }

  /// A daemon must not outlive its supervisor: nothing would stop or watch it. The
  /// supervisor holds the other end of the standard input, which the system closes with it. Runs on
  /// a thread of its own so that a busy loop cannot hide the loss.
  private static void watchSupervisor(Map<String, String> environment, RealWorld world) {
    var supervisor = environment.get(SUPERVISOR);
    if (supervisor == null) {
      return;
    }
    Thread.ofPlatform()
        .daemon()
        .name("supervisor")
        .start(
            () -> {
              try {
                if (supervisor.equals(Long.toString(parent()))) {
                  hear(System.in, world);
                }
                while (supervisor.equals(Long.toString(parent()))) {
                  Thread.sleep(PARENT_CHECK_MILLIS); // it ends just now, or gave no input
                }
                world.exit(1, "the supervisor, process " + supervisor + ", is gone");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /// Does what the supervisor says until it says no more.
  private static void hear(InputStream input, RealWorld world) {
    try (var lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(World.DEBUG_COMMAND)) {
          world.setDebug(line.substring(World.DEBUG_COMMAND.length()));
        }
      }
    } catch (IOException e) {
      return; // an input that cannot be read tells nothing
    }
  }

  private static long parent() {
    return ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
  }
}
