package org.systole.common.real;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// The system calls Java has no method for.
final class Native {
  static final int SIGKILL = 9;

  private static final MethodHandle KILL =
      function(
          "kill",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private Native() {}

  /// A function of the C library.
  @SuppressWarnings("restricted") // who calls it has the right type and memory of its own
  static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type, options);
  }

  /// Sends a signal to every process of a group; that the group has ended already is no error.
  static void killGroup(long group, int signal) {
    if (group <= 1 || group > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("not a process group: " + group);
    }
    try {
      var _ = (int) KILL.invokeExact(-(int) group, signal);
    } catch (Throwable e) {
      throw new IllegalStateException("kill(2) cannot be called", e);
    }
  }
}
