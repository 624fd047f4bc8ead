package org.systole.common.real;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;

/// A disk with SBD's slots. Sectors are read and written as a whole, past the machine's cache, as
/// other machines read and write them too. A plain file can stand for a disk.
///
/// Every call waits for the disk, for ever if that hangs: it belongs on a thread that nobody waits
/// for without a deadline. Not safe for use by several threads.
public final class SbdDisk implements AutoCloseable {
  private static final long GET_SECTOR_SIZE = 0x1268L; // BLKSSZGET
  private static final int SECTOR_OF_FILE = 512;
  private static final int SECTOR_MAX = 64 << 10;
  private static final int TRIES = 3;

  private final Arena arena = Arena.ofShared();
  private final String device;
  private final NativeFile file;
  private final int sectorSize;
  private final MemorySegment buffer;

  private SbdDisk(String device, boolean plain) throws IOException {
    this.device = device;
    var direct = plain ? 0 : NativeFile.DIRECT;
    this.file = NativeFile.open(device, NativeFile.READ_WRITE | NativeFile.SYNCED | direct);
    if (!file.isOpen()) {
      arena.close();
      throw new IOException(device + " cannot be opened for reading and writing");
    }
    this.sectorSize = plain ? SECTOR_OF_FILE : askSectorSize();
    if (sectorSize < SECTOR_OF_FILE || sectorSize > SECTOR_MAX) {
      close();
      throw new IOException(device + " is neither a disk nor a file: it does not say its sectors");
    }
    this.buffer = arena.allocate(sectorSize, sectorSize);
  }

  /// @throws IOException with one line, if it is not there or is no disk
  public static SbdDisk open(String device) throws IOException {
    var path = Path.of(device);
    if (!Files.exists(path)) {
      throw new IOException(device + " is not there");
    }
    return new SbdDisk(device, Files.isRegularFile(path));
  }

  private int askSectorSize() {
    var word = arena.allocate(JAVA_INT);
    return file.control(GET_SECTOR_SIZE, word) < 0 ? 0 : word.get(JAVA_INT, 0);
  }

  public int sectorSize() {
    return sectorSize;
  }

  private byte[] read(long sector) throws IOException {
    if (file.readAt(sector * sectorSize, buffer) != sectorSize) {
      throw new IOException("%s: sector %d cannot be read".formatted(device, sector));
    }
    return buffer.toArray(JAVA_BYTE);
  }

  private void write(long sector, byte[] content) throws IOException {
    MemorySegment.copy(content, 0, buffer, JAVA_BYTE, 0, sectorSize);
    if (file.writeAt(sector * sectorSize, buffer) != sectorSize) {
      throw new IOException("%s: sector %d cannot be written".formatted(device, sector));
    }
  }

  /// Reads the header.
  ///
  /// @throws IOException also if there is none
  public DiskFormat.Header header() throws IOException {
    var header = DiskFormat.header(read(0));
    if (header == null) {
      throw new IOException(
          "%s has no SBD header for sectors of %d bytes; sbd -d %s create makes one"
              .formatted(device, sectorSize, device));
    }
    return header;
  }

  /// Makes the disk anew: what it holds is lost.
  public void create(DiskFormat.Header header) throws IOException {
    write(0, DiskFormat.header(header));
    var empty = new byte[sectorSize];
    for (var slot = 0; slot < header.slots(); slot++) {
      write(DiskFormat.ownerSector(slot), empty);
      write(DiskFormat.mailSector(slot), empty);
    }
  }

  /// The owner of a slot, null if nobody owns it.
  public @Nullable String owner(int slot) throws IOException {
    return DiskFormat.owner(read(DiskFormat.ownerSector(slot)));
  }

  public void own(int slot, String name) throws IOException {
    write(DiskFormat.ownerSector(slot), DiskFormat.owner(sectorSize, name));
  }

  /// The slot a node owns, -1 if it has none. Names differ by more than the case of letters.
  public int slotOf(String name, int slots) throws IOException {
    for (var slot = 0; slot < slots; slot++) {
      if (name.equalsIgnoreCase(owner(slot))) {
        return slot;
      }
    }
    return -1;
  }

  /// A slot that nobody owns, -1 if there is none.
  public int freeSlot(int slots) throws IOException {
    for (var slot = 0; slot < slots; slot++) {
      if (owner(slot) == null) {
        return slot;
      }
    }
    return -1;
  }

  public DiskFormat.Mail mail(int slot) throws IOException {
    return DiskFormat.mail(read(DiskFormat.mailSector(slot)));
  }

  /// Writes a message and reads it back; again where the slot's owner has cleared it meanwhile, who answered what was
  /// there before.
  public void mail(int slot, DiskMessage message, String from) throws IOException {
    for (var tries = TRIES; tries > 0; tries--) {
      write(DiskFormat.mailSector(slot), DiskFormat.mail(sectorSize, message, from));
      if (mail(slot).message() == message) {
        return;
      }
    }
    throw new IOException("%s: the message in slot %d is not what was written".formatted(device, slot));
  }

  /// Clears a slot. What another node writes at that moment may be lost, or stand there after it: see [SbdDisks#taken].
  public void clear(int slot) throws IOException {
    write(DiskFormat.mailSector(slot), DiskFormat.mail(sectorSize, DiskMessage.CLEAR, ""));
  }

  @Override
  public String toString() {
    return device;
  }

  @Override
  public void close() {
    file.close();
    arena.close();
  }
}
