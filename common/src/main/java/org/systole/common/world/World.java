package org.systole.common.world;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// What a daemon may ask of the outside.
public interface World {
  /// The time of day, for what people and the CIB see. It may jump; never measure with it.
  Instant now();

  /// The machine's time zone, for times that people write without one.
  ZoneId zone();

  /// Monotonic nanoseconds since an arbitrary origin; only differences mean anything.
  long nanoTime();

  /// As [#nanoTime], but it goes on while the machine is suspended, as far as the system can tell.
  /// What others count on after a while is to be measured with it. Not to be mixed with the other.
  long elapsedNanos();

  /// Names this run of the machine's system, from its start to its end: what ran on the machine
  /// under another name runs no more. The same for all runs where the system has no such name.
  String boot();

  /// Runs `task` in the loop after what was posted before it.
  void post(Runnable task);

  /// Runs `task` in the loop once `delay` has passed; a zero or negative delay still means later.
  Timer after(Duration delay, Runnable task);

  /// The daemon's only source of chance.
  RandomGenerator random();

  Log log();

  /// For [#setDebug]: what the host's options say.
  String DEBUG_AS_CONFIGURED = "default";

  /// What the supervisor says to a daemon on its standard input: this, and a value for [#setDebug].
  String DEBUG_COMMAND = "debug ";

  /// Chooses the daemons whose debugging messages are logged from now on.
  ///
  /// @param daemons `yes`, `no`, a list of daemons, or [#DEBUG_AS_CONFIGURED]
  void setDebug(String daemons);

  /// Tells the machine's service manager how far this process is, as `sd_notify(3)` has it. Nobody
  /// is told where no service manager asks for it.
  ///
  /// @param state assignments, one a line, such as `READY=1`
  void tellServiceManager(String state);

  /// Serves a local socket of this node.
  ///
  /// @param name the socket's name without directory or suffix, such as `cib`
  /// @param access who may open it
  /// @return the server; closing it closes its connections
  Server listen(String name, Access access, ServerHandler handler);

  /// Looks up the groups of a user; `done` is told in the loop. A user who is not known has none.
  void groupsOf(String user, Consumer<List<String>> done);

  /// Opens a connection to a local socket of this node. The outcome arrives at `handler`: either
  /// [ConnectionHandler#opened] or [ConnectionHandler#closed].
  void connect(String name, ConnectionHandler handler);

  /// The daemon's durable files.
  Store store();

  /// The node's files with values that are kept out of the CIB.
  SecretStore secrets();

  Processes processes();

  /// The machine's message bus.
  SystemBus systemBus();

  /// How busy the machine is at present.
  Load load();

  /// Gives back to the machine what memory this daemon holds and does not use. That takes up to some tenths of a second.
  void giveBackMemory();

  /// Calls `request` in the loop when the process is asked to end (SIGTERM). A daemon that never
  /// calls this ends at once, with status 0.
  void onTerminate(Runnable request);

  /// Ends this daemon. No callback arrives any more.
  ///
  /// @param status the exit status, as the supervisor understands it
  void exit(int status, String why);

  /// A pending [#after]; cancelling one that has fired or was cancelled does nothing.
  @FunctionalInterface
  interface Timer {
    void cancel();
  }

  /// Who may open a local socket: its owner and root only, or the cluster's group too.
  enum Access {
    OWNER,
    GROUP
  }
}
