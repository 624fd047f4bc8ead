package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.logging.DaemonLog;
import org.systole.common.logging.LocalZone;
import org.systole.common.world.CannotStart;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Delays;
import org.systole.common.world.Load;
import org.systole.common.world.Processes;
import org.systole.common.world.SecretStore;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.SystemBus;
import org.systole.common.world.World;

/// The world of a daemon that runs for real.
///
/// An exception that no task caught means that something the daemon relies on no longer holds: it
/// is logged and the process ends at once, for the supervisor to start it afresh.
public final class RealWorld implements World {
  /// The environment variable with the directory of durable files that the command line names.
  static final String STATE = "SYSTOLE_STATE";

  /// The environment variable that keeps a daemon from changing them, where it is `no`.
  static final String STATE_WRITES = "SYSTOLE_STATE_WRITES";

  private static final int BROKEN = 1;
  private static final long HEAP_AT_REST_MAX = 64L << 20; // bytes

  /// Daemons whose programs must not go on without them.
  private static final Set<String> ALONE = Set.of("execd", "fenced", "remoted");

  private static final String SUPERVISOR = "pacemakerd";

  /// Those that a service manager starts. The others are children of the supervisor, and speak of themselves to it alone.
  private static final Set<String> SERVICES = Set.of(SUPERVISOR, "remoted");

  /// Daemons without whose signs of life the node is lost: on a machine that pages they do not wait
  /// for its disk.
  private static final Set<String> IN_MEMORY = Set.of(SUPERVISOR, "controld", "guardian");

  private static final long TERMINATION_SECONDS = 40 * 60;

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /// How long an ending process waits for its log to be written.
  private static final Duration LAST_WORDS = Duration.ofMillis(500);

  private final ElapsedTime elapsed = ElapsedTime.ofMachine();
  private final EventLoop loop = new EventLoop();
  private final RandomGenerator random = new java.security.SecureRandom();
  private final DaemonLog log;
  private final Directories directories;
  private final Sockets sockets;
  private final Store store;
  private final SecretStore secrets;
  private final Programs programs;
  private final SystemBus systemBus;
  private final String boot = nameOfBoot();
  private final LocalZone zone = new LocalZone(System.getenv());
  private final boolean alone;
  private final ServiceManager serviceManager;
  private final boolean locksMemory;
  private @Nullable Runnable onTerminate;

  private RealWorld(
      DaemonLog log,
      Layout layout,
      Map<String, String> environment,
      Directories directories,
      String stateName,
      String daemon) {
    this.log = log;
    this.directories = directories;
    this.sockets = new Sockets(layout, directories, loop, log);
    var chosen = environment.get(STATE);
    var disk =
        new FileStore(
            chosen == null ? layout.state(stateName) : Path.of(chosen), directories, modeOf(stateName), loop);
    this.store = "no".equals(environment.get(STATE_WRITES)) ? new UnwrittenStore(disk, loop::post) : disk;
    this.secrets = new LoopSecrets(new SecretFiles(layout), loop);
    this.programs = new Programs(loop, owner(layout, daemon));
    this.systemBus = new RealBus(loop, environment);
    this.alone = ALONE.contains(daemon);
    this.serviceManager =
        new ServiceManager(SERVICES.contains(daemon) ? environment.get("NOTIFY_SOCKET") : null);
    this.locksMemory = IN_MEMORY.contains(daemon) && layout.rootForChildren() == null;
  }

  /// @param daemon the name in the log
  /// @param stateName the directory of durable files, such as `cib`
  /// @throws CannotStart if the node's directories cannot be made
  public static RealWorld create(
      Layout layout, Map<String, String> environment, String daemon, String stateName) {
    return createAsAsked(layout, DaemonMain.ofCluster(environment), daemon, stateName);
  }

  /// The same for a daemon that may have been started by hand.
  ///
  /// @param environment with what its command line has asked for
  static RealWorld createAsAsked(
      Layout layout, Map<String, String> environment, String daemon, String stateName) {
    var directories = Directories.prepare(layout, environment, stateName);
    var log = DaemonLog.open(layout, environment, daemon, directories::grantLog);
    if (ALONE.contains(daemon) || daemon.equals(SUPERVISOR)) {
      var leftovers = new Leftovers(owner(layout, daemon));
      var ended = daemon.equals(SUPERVISOR) ? leftovers.endUnlessWatched() : leftovers.end(false);
      if (!ended.isEmpty()) {
        log.warning("Killed processes %s, left by an earlier %s".formatted(ended, daemon));
      }
    }
    return new RealWorld(log, layout, environment, directories, stateName, daemon);
  }

  private static String nameOfBoot() {
    try {
      return Files.readString(BOOT).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static String owner(Layout layout, String daemon) {
    return daemon + "@" + layout.run().toAbsolutePath();
  }

  /// The scheduler's inputs are there to be looked at; everything else is the daemon's own.
  private static String modeOf(String stateName) {
    return stateName.equals("pengine") ? "rw-r-----" : "rw-------";
  }

  /// Gives directories of durable files to the account of the daemons that own them, where they
  /// have one.
  ///
  /// @throws CannotStart if that fails
  public void handOver(List<String> stateNames) {
    directories.handOver(stateNames);
  }

  @Override
  public void tellServiceManager(String state) {
    var problem = serviceManager.tell(state);
    if (problem != null) {
      log.warning("Cannot tell the service manager: " + problem);
    }
  }

  /// Runs the daemon on the calling thread until it ends; never returns. The process is its own:
  /// its signals, and what becomes of it when one of its threads ends.
  public void run(Runnable start) {
    Thread.setDefaultUncaughtExceptionHandler(this::threadEnded);
    Runtime.getRuntime().addShutdownHook(new Thread(this::terminated, "terminated"));
    new DebugSignals(log).handle();
    if (locksMemory && LockedMemory.isUnlimited()) {
      log.info("This process stays in memory" + (LockedMemory.lock() ? "" : ": refused"));
    }
    runInProcess(start);
  }

  /// As [#run], in a process that is not its own, such as a test.
  public void runInProcess(Runnable start) {
    loop.post(start);
    try {
      loop.run();
    } catch (CannotStart e) {
      log.critical(e.getMessage());
      System.err.println(e.getMessage());
      log.drain(LAST_WORDS);
      Runtime.getRuntime().halt(e.status());
    } catch (Throwable e) {
      report(e);
      leave();
      Runtime.getRuntime().halt(BROKEN);
    }
  }

  /// A thread that a daemon counts on must not be missing: the process ends with it. The virtual
  /// ones serve a connection each, and what a stranger says there must not end a daemon.
  private void threadEnded(Thread thread, Throwable e) {
    log.critical("The thread " + thread.getName() + " ended");
    report(e);
    if (!thread.isVirtual()) {
      leave();
      Runtime.getRuntime().halt(BROKEN);
    }
  }

  private void leave() {
    if (alone) {
      programs.killAll();
    }
    log.drain(LAST_WORDS);
  }

  /// For an exception in a thread of a library: the same end.
  void report(Throwable e) {
    log.critical("A broken invariant: " + e);
    for (var frame : e.getStackTrace()) {
      log.error("  at " + frame);
    }
    for (var cause = e.getCause(); cause != null; cause = cause.getCause()) {
      log.error("  because of " + cause);
    }
  }

  /// The virtual machine calls this on SIGTERM and SIGINT; the process ends when it returns, or at
  /// [#exit].
  private void terminated() {
    loop.post(
        () -> {
          if (onTerminate != null) {
            onTerminate.run();
          } else {
            exit(0, "asked to end");
          }
        });
    try {
      Thread.sleep(Duration.ofSeconds(TERMINATION_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void onTerminate(Runnable task) {
    onTerminate = task;
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public String boot() {
    return boot;
  }

  @Override
  public ZoneId zone() {
    return zone.get();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long elapsedNanos() {
    return elapsed.nanos();
  }

  @Override
  public void post(Runnable task) {
    loop.post(task);
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    return loop.after(Delays.nanos(delay), task);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public DaemonLog log() {
    return log;
  }

  @Override
  public void setDebug(String daemons) {
    log.setDebug(daemons);
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    Thread.ofVirtual()
        .name("groups")
        .start(
            () -> {
              var groups = directories.groupsOf(user);
              loop.post(() -> done.accept(groups));
            });
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    return sockets.listen(name, access, handler);
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    sockets.connect(name, handler);
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public SecretStore secrets() {
    return secrets;
  }

  @Override
  public Processes processes() {
    return programs;
  }

  @Override
  public SystemBus systemBus() {
    return systemBus;
  }

  /// Heaps that are as small as at rest are left alone.
  @Override
  public void giveBackMemory() {
    if (Runtime.getRuntime().totalMemory() > HEAP_AT_REST_MAX) {
      System.gc();
    }
  }

  @Override
  public Load load() {
    return HostLoad.now();
  }

  @Override
  public void exit(int status, String why) {
    if (status == 0) {
      log.notice("Ending: " + why);
    } else {
      log.error("Ending with status %d: %s".formatted(status, why));
    }
    if (loop.isCurrent()) {
      loop.endTurn(); // what was said before is heard
    }
    leave();
    Runtime.getRuntime().halt(status);
  }
}
