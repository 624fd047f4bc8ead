package org.systole.common.real;

import java.lang.foreign.MemorySegment;

/// A device that was opened, as the system offers it. Calls block as the system's do.
interface DeviceFile {
  /// @return less than 0 if the device does not take it
  int control(long request, MemorySegment argument);

  /// @return how many bytes were written, less than 0 after an error
  long write(MemorySegment from);

  /// As [#write], at a place of a plain file.
  long writeAt(long position, MemorySegment from);

  void close();
}
