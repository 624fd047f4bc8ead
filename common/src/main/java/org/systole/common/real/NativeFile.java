package org.systole.common.real;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// A device or file held by its descriptor, for what Java's files cannot do: controls, and reads
/// and writes from memory that is there already. Calls block as the system's do. After an open that
/// failed only [#isOpen] may be called.
final class NativeFile implements DeviceFile {
  static final int WRITE_ONLY = 1;
  static final int READ_WRITE = 2;
  static final int NO_WAIT = 0x800; // O_NONBLOCK
  static final int SYNCED = 0x101000; // O_SYNC
  static final int DIRECT =
      System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000; // O_DIRECT

  private static final int NOT_INHERITED = 0x80000; // O_CLOEXEC

  private static final MethodHandle OPEN =
      Native.function(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle IOCTL =
      Native.function(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle WRITE =
      Native.function("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle READ_AT = placed("pread");
  private static final MethodHandle WRITE_AT = placed("pwrite");
  private static final MethodHandle CLOSE =
      Native.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private final int descriptor;

  private NativeFile(int descriptor) {
    this.descriptor = descriptor;
  }

  private static MethodHandle placed(String name) {
    return Native.function(
        name, FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  }

  /// @param how the flags of this class; programs that are started never inherit it
  static NativeFile open(String path, int how) {
    try (var arena = Arena.ofConfined()) {
      return new NativeFile(
          (int) OPEN.invokeExact(arena.allocateFrom(path), how | NOT_INHERITED, 0));
    } catch (Throwable e) {
      throw new IllegalStateException("open(2) cannot be called", e);
    }
  }

  boolean isOpen() {
    return descriptor >= 0;
  }

  @Override
  public int control(long request, MemorySegment argument) {
    try {
      return (int) IOCTL.invokeExact(descriptor, request, argument);
    } catch (Throwable e) {
      throw new IllegalStateException("ioctl(2) cannot be called", e);
    }
  }

  /// @return how many bytes were read, less than 0 after an error
  long readAt(long position, MemorySegment into) {
    try {
      return (long) READ_AT.invokeExact(descriptor, into, into.byteSize(), position);
    } catch (Throwable e) {
      throw new IllegalStateException("pread(2) cannot be called", e);
    }
  }

  @Override
  public long writeAt(long position, MemorySegment from) {
    try {
      return (long) WRITE_AT.invokeExact(descriptor, from, from.byteSize(), position);
    } catch (Throwable e) {
      throw new IllegalStateException("pwrite(2) cannot be called", e);
    }
  }

  @Override
  public long write(MemorySegment from) {
    try {
      return (long) WRITE.invokeExact(descriptor, from, from.byteSize());
    } catch (Throwable e) {
      throw new IllegalStateException("write(2) cannot be called", e);
    }
  }

  @Override
  public void close() {
    try {
      var _ = (int) CLOSE.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new IllegalStateException("close(2) cannot be called", e);
    }
  }
}
