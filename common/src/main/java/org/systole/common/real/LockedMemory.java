package org.systole.common.real;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/// Keeps a process in memory once it is there. Pages are locked as they are first used: a Java
/// process has reserved far more than it uses.
final class LockedMemory {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final String LIMIT = "Max locked memory";
  private static final int PRESENT_FUTURE_ON_FAULT = 1 | 2 | 4;

  private LockedMemory() {}

  /// Under a limit the process would be refused memory later, and end.
  static boolean isUnlimited() {
    try {
      return Files.readString(LIMITS)
          .lines()
          .anyMatch(it -> it.startsWith(LIMIT) && it.strip().split(" +")[3].equals("unlimited"));
    } catch (IOException e) {
      return false;
    }
  }

  /// @return whether the kernel does it
  static boolean lock() {
    var type = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    try {
      return (int) Native.function("mlockall", type).invokeExact(PRESENT_FUTURE_ON_FAULT) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException("mlockall(2) cannot be called", e);
    }
  }
}
