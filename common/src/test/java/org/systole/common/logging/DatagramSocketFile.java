package org.systole.common.logging;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A Unix-domain datagram socket as a system log daemon has it; Java has none of its own.
public final class DatagramSocketFile implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final short AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int ADDRESS_SIZE = 110;

  private final int descriptor;

  private DatagramSocketFile(int descriptor) {
    this.descriptor = descriptor;
  }

  @SuppressWarnings("restricted")
  private static MethodHandle function(String name, FunctionDescriptor type) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type);
  }

  public static DatagramSocketFile bind(Path path) {
    try (var arena = Arena.ofConfined()) {
      var socket = function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
      var bind = function("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
      var descriptor = (int) socket.invokeExact((int) AF_UNIX, SOCK_DGRAM, 0);
      var address = arena.allocate(ADDRESS_SIZE);
      address.set(ValueLayout.JAVA_SHORT, 0, AF_UNIX);
      address.setString(2, path.toString());
      if ((int) bind.invokeExact(descriptor, address, ADDRESS_SIZE) != 0) {
        throw new IllegalStateException("cannot bind " + path);
      }
      return new DatagramSocketFile(descriptor);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /// Waits for the next datagram.
  public String receive() {
    try (var arena = Arena.ofConfined()) {
      var receive =
          function("recv", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG, INT));
      MemorySegment buffer = arena.allocate(8192);
      var length = (long) receive.invokeExact(descriptor, buffer, 8192L, 0);
      var bytes = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
      return new String(bytes, StandardCharsets.UTF_8).strip();
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      var _ =
          (int) function("close", FunctionDescriptor.of(INT, INT)).invokeExact(descriptor);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
