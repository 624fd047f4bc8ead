package org.systole.common.real;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.logging.DaemonLog;
import org.systole.common.world.World;

/// The signals by which an administrator has a running daemon tell more: SIGUSR1 and SIGUSR2 switch
/// its debugging messages on and back, SIGTRAP has it tell what all its threads are doing as well.
///
/// Without this the virtual machine would end at SIGUSR1 and SIGTRAP.
final class DebugSignals {
  private final DaemonLog log;

  DebugSignals(DaemonLog log) {
    this.log = log;
  }

  /// Takes the signals over for the whole process. What is done about one is done on a thread that
  /// the virtual machine makes for it.
  void handle() {
    var actions =
        Map.<String, Runnable>of(
            "USR1", () -> log.setDebug("yes"),
            "USR2", () -> log.setDebug(World.DEBUG_AS_CONFIGURED),
            "TRAP", this::tellAll);
    new TreeMap<>(actions).forEach(this::handle);
  }

  /// The class for signals is everywhere, but javac takes its use for a mistake: it is found by its
  /// name.
  private void handle(String signal, Runnable action) {
    try {
      var signals = Class.forName("sun.misc.Signal");
      var handlers = Class.forName("sun.misc.SignalHandler");
      InvocationHandler handler =
          (_, _, _) -> {
            action.run();
            return null;
          };
      var proxy =
          Proxy.newProxyInstance(handlers.getClassLoader(), new Class<?>[] {handlers}, handler);
      signals
          .getMethod("handle", signals, handlers)
          .invoke(null, signals.getConstructor(String.class).newInstance(signal), proxy);
    } catch (ReflectiveOperationException e) {
      log.warning("SIG%s ends this process: it cannot be handled (%s)".formatted(signal, e));
    }
  }

  private void tellAll() {
    log.setDebug("yes");
    log.notice("SIGTRAP: what the threads of this process are doing follows");
    var threads = new TreeMap<String, StackTraceElement[]>();
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> threads.put(thread.getName() + " " + thread.threadId(), stack));
    threads.forEach(
        (name, stack) -> {
          log.debug("Thread " + name);
          for (var frame : stack) {
            log.debug("  at " + frame);
          }
        });
  }
}
