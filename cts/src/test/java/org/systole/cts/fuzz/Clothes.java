package org.systole.cts.fuzz;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// Makes a thread somebody else: the kernel keeps user and groups for each thread, and tells the
/// other end of a local socket who the connecting thread was.
///
/// Bare system calls: the C library would change all threads of the process. There is no way back.
final class Clothes {
  private static final long SETRESUID = byArchitecture(117, 147);
  private static final long SETRESGID = byArchitecture(119, 149);
  private static final long SETGROUPS = byArchitecture(116, 159);

  @SuppressWarnings("restricted") // of all arguments only an empty list is memory
  private static final MethodHandle SYSCALL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("syscall").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG));

  private Clothes() {}

  private static long byArchitecture(long amd64, long others) {
    return System.getProperty("os.arch").equals("amd64") ? amd64 : others;
  }

  /// The calling thread, a platform thread of root's, is that user from now on, and has that one
  /// group.
  static void put(int user, int group) {
    try (var arena = Arena.ofConfined()) {
      var none = arena.allocate(ValueLayout.JAVA_INT).address();
      call(SETGROUPS, 0, none, 0);
      call(SETRESGID, group, group, group);
      call(SETRESUID, user, user, user);
    }
  }

  private static void call(long number, long first, long second, long third) {
    long outcome;
    try {
      outcome = (long) SYSCALL.invokeExact(number, first, second, third);
    } catch (Throwable e) {
      throw new IllegalStateException("a system call cannot be made", e);
    }
    if (outcome != 0) {
      throw new IllegalStateException("system call " + number + " is refused");
    }
  }
}
