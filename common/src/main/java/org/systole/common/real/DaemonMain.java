package org.systole.common.real;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.logging.DaemonLog;
import org.systole.common.values.NodeName;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;

/// What the main methods of all daemons have in common.
public final class DaemonMain {
  /// Set by the supervisor for its children: its process id. A daemon whose supervisor is gone ends
  /// by itself.
  public static final String SUPERVISOR = "SYSTOLE_SUPERVISOR";

  private static final int USAGE = 64;
  private static final int FATAL = 100;
  private static final String NOBODY = "localhost";

  /// What only a command line says: nobody's environment may have a daemon of a cluster do it.
  private static final List<String> BY_HAND =
      List.of(StandAlone.VARIABLE, DaemonLog.MORE_FILES, RealWorld.STATE, RealWorld.STATE_WRITES);
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
  /// @param options what it takes where it is started by hand
  public record Single(String socket, String instance, List<DaemonOption> options) {}

  private DaemonMain() {}

  /// Runs a daemon, or answers the arguments that only ask it something. With a running daemon it does not
  /// return. Who starts another one by hand is told so: it would take the socket and the cluster from the
  /// one that is there, and end the agents that run.
  ///
  /// @param name the program's name, such as `cibd`
  /// @param stateName its directory of durable files, such as `cib`
  /// @param metadata what `NAME metadata` prints
  /// @return the exit status
  public static int run(
      String name,
      String stateName,
      Single single,
      String[] args,
      Supplier<String> metadata,
      Starter starter) {
    DaemonArguments arguments;
    try {
      arguments = DaemonArguments.parse(List.of(args), single.options());
      var asked = new DaemonAnswer(called(name), single.options(), args, System.out, System.err);
      var status = asked.give(arguments, metadata);
      if (status != null) {
        return status;
      }
    } catch (DaemonArguments.Misused e) {
      System.err.println(misused(called(name), String.valueOf(e.getMessage())));
      return USAGE;
    }
    var inherited = System.getenv();
    if (!inherited.containsKey(SUPERVISOR)) {
      var why = whyNot(single, inherited);
      if (why != null) {
        System.err.println(called(name) + ": " + why);
        return 0;
      }
    }
    try {
      return start(name, stateName, environment(stateName, arguments, inherited), starter);
    } catch (CannotStart e) {
      System.err.println(called(name) + ": " + e.getMessage());
      return e.status();
    }
  }

  /// The name by which administrators know a daemon, and start it by hand.
  public static String called(String name) {
    return name.equals("cibd") ? "pacemaker-based" : "pacemaker-" + name;
  }

  /// What is said of a command line that cannot be understood.
  ///
  /// @param called the daemon's name, as administrators know it
  public static String misused(String called, String why) {
    return "%1$s: %2$s; try %1$s --help".formatted(called, why);
  }

  /// What the daemon is started with.
  ///
  /// @throws CannotStart if it cannot be what the arguments ask for
  static Map<String, String> environment(
      String stateName, DaemonArguments arguments, Map<String, String> inherited) {
    var environment = ofCluster(inherited);
    if (arguments.has(DaemonOption.STAND_ALONE)) {
      environment.put(StandAlone.VARIABLE, nodeName(inherited));
    }
    var directory = arguments.value(DaemonOption.CIB_ROOT);
    if (directory != null) {
      if (directory.isEmpty() || !Files.isDirectory(Path.of(directory))) {
        throw new CannotStart(
            "%s '%s': there is no such directory".formatted(DaemonOption.CIB_ROOT.longName(), directory), FATAL);
      }
      environment.put(RealWorld.STATE, directory);
    }
    if (arguments.has(DaemonOption.STAND_ALONE) && arguments.has(DaemonOption.DISK_WRITES)) {
      checkOwner(directory == null ? Layout.of(inherited).state(stateName) : Path.of(directory));
    } else if (arguments.has(DaemonOption.STAND_ALONE)) {
      environment.put(RealWorld.STATE_WRITES, "no");
    }
    if (arguments.has(DaemonOption.LOG_FILE)) {
      environment.put(DaemonLog.MORE_FILES, String.join("\n", arguments.values(DaemonOption.LOG_FILE)));
    }
    if (arguments.has(DaemonOption.VERBOSE)) {
      environment.put("PCMK_debug", "yes");
    }
    return environment;
  }

  /// What one user writes there the other one, the daemon of a cluster, could not read.
  private static void checkOwner(Path directory) {
    try {
      var us = System.getProperty("user.name");
      var owner = Files.isDirectory(directory) ? Files.getOwner(directory).getName() : us;
      if (!owner.equals(us)) {
        throw new CannotStart(
            "%s: %s is user %s's: run this as that user, as by runuser -u %s"
                .formatted(DaemonOption.DISK_WRITES.longName(), directory, owner, owner),
            FATAL);
      }
    } catch (IOException e) {
      throw new CannotStart("Cannot look at " + CannotStart.reason(e), FATAL);
    }
  }

  /// What the only node is called: as this machine, unless it cannot be.
  private static String nodeName(Map<String, String> inherited) {
    try {
      var given = inherited.get(Layout.NODE);
      var text = given == null ? Files.readString(Path.of("/proc/sys/kernel/hostname")).strip() : given;
      return NodeName.of(text) == null ? NOBODY : text;
    } catch (IOException e) {
      return NOBODY;
    }
  }

  /// Why one that is started by hand does not start; null if it may.
  static @Nullable String whyNot(Single single, Map<String, String> environment) {
    return isServed(Layout.of(environment), single.socket())
        ? "Aborting start-up because %s is already active".formatted(single.instance())
        : null;
  }

  /// Whether a daemon serves a socket of that name, if only by hanging.
  public static boolean isServed(Layout layout, String name) {
    var socket = UnixDomainSocketAddress.of(layout.socket(name));
    var served = new CompletableFuture<Boolean>();
    Thread.ofPlatform().daemon().name("look").start(() -> served.complete(isServed(socket)));
    served.completeOnTimeout(true, CONNECT_SECONDS, TimeUnit.SECONDS); // with all it can take waiting
    return served.join();
  }

  private static boolean isServed(UnixDomainSocketAddress socket) {
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(socket);
      return true;
    } catch (IOException e) {
      return false; // nobody is there
    }
  }

  /// What a daemon that nobody has started by hand takes from the environment it was started in.
  static Map<String, String> ofCluster(Map<String, String> inherited) {
    var environment = new LinkedHashMap<>(inherited);
    environment.keySet().removeAll(BY_HAND);
    return environment;
  }

  /// Runs a daemon whose arguments were read already.
  ///
  /// @return the exit status, if it could not start
  public static int run(
      String name, String stateName, Map<String, String> environment, Starter starter) {
    return start(name, stateName, ofCluster(environment), starter);
  }

  private static int start(
      String name, String stateName, Map<String, String> environment, Starter starter) {
    try {
      var layout = Layout.of(environment);
      var world = RealWorld.createAsAsked(layout, environment, name, stateName);
      watchSupervisor(environment, world);
      world.run(
          () -> {
            world.log().notice("Starting " + name);
            starter.start(world, layout, environment);
          });
      return 1;
    } catch (CannotStart e) {
      System.err.println(called(name) + ": " + e.getMessage());
      return e.status();
    }
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
