package org.systole.common.sbd;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// SBD's format on disk: a header in the first sector, then for each slot a sector with the name of
/// the node that owns it, and one with the message for that node. Numbers are in network order.
public final class DiskFormat {
  /// How long a node's name may be, in bytes.
  public static final int NAME_MAX = 63;

  public static final int SLOTS = 255;

  private static final byte[] MAGIC = "SBD_SBD_".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 2;
  private static final int MINOR_VERSION = 1;
  private static final int VERSION_AT = 8;
  private static final int SLOTS_AT = 9;
  private static final int SECTOR_SIZE_AT = 12;
  private static final int WATCHDOG_AT = 16;
  private static final int ALLOCATE_AT = 20;
  private static final int LOOP_AT = 24;
  private static final int MSGWAIT_AT = 28;
  private static final int MINOR_AT = 32;
  private static final int UUID_AT = 33;
  private static final int UUID_SIZE = 16;

  private DiskFormat() {}

  /// What a disk is made for. Times are in seconds.
  ///
  /// @param watchdog of the nodes that use it
  /// @param allocate pause after a slot was taken, in which another node may have taken it too
  /// @param loop between two looks at one's own slot
  /// @param msgwait after which a message is taken for received
  public record Times(int watchdog, int allocate, int loop, int msgwait) {
    /// What SBD has without options.
    public static final Times USUAL = new Times(5, 2, 1, 10);
  }

  /// @param slots how many there are
  /// @param uuid 16 bytes; empty for a disk of version 2.0
  public record Header(int minor, int slots, int sectorSize, Times times, byte[] uuid) {
    /// As `VERSION.MINOR`.
    public String version() {
      return VERSION + "." + minor;
    }

    /// In the usual form with dashes; empty for a disk without one.
    public String uuidText() {
      var text = new StringBuilder();
      for (var at = 0; at < uuid.length; at++) {
        text.append(at == 4 || at == 6 || at == 8 || at == 10 ? "-" : "");
        text.append("%02x".formatted(uuid[at]));
      }
      return text.toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Header it
          && it.minor == minor
          && it.slots == slots
          && it.sectorSize == sectorSize
          && it.times.equals(times)
          && Arrays.equals(it.uuid, uuid);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(uuid);
    }
  }

  /// What stands in a node's mailbox.
  ///
  /// @param message null if the byte stands for nothing
  /// @param from the node that wrote it
  public record Mail(@Nullable DiskMessage message, String from) {}

  /// The sector with the name of a slot's owner.
  public static long ownerSector(int slot) {
    return 1 + 2L * slot;
  }

  /// The sector with the message for a slot's owner.
  public static long mailSector(int slot) {
    return 2 + 2L * slot;
  }

  public static byte[] header(Header header) {
    var sector = ByteBuffer.allocate(header.sectorSize());
    sector.put(0, MAGIC);
    sector.put(VERSION_AT, (byte) VERSION);
    sector.put(SLOTS_AT, (byte) header.slots());
    sector.putInt(SECTOR_SIZE_AT, header.sectorSize());
    sector.putInt(WATCHDOG_AT, header.times().watchdog());
    sector.putInt(ALLOCATE_AT, header.times().allocate());
    sector.putInt(LOOP_AT, header.times().loop());
    sector.putInt(MSGWAIT_AT, header.times().msgwait());
    sector.put(MINOR_AT, (byte) header.minor());
    sector.put(UUID_AT, header.uuid());
    return sector.array();
  }

  /// A header for a new disk.
  ///
  /// @param uuid 16 bytes by chance
  public static Header newHeader(int sectorSize, Times times, byte[] uuid) {
    uuid[6] = (byte) (uuid[6] & 0x0f | 0x40);
    uuid[8] = (byte) (uuid[8] & 0x3f | 0x80);
    return new Header(MINOR_VERSION, SLOTS, sectorSize, times, uuid);
  }

  /// Reads a header; null if the sector is none for this size of sectors.
  public static @Nullable Header header(byte[] bytes) {
    var sector = ByteBuffer.wrap(bytes);
    if (!Arrays.equals(Arrays.copyOf(bytes, MAGIC.length), MAGIC)
        || sector.get(VERSION_AT) != VERSION
        || sector.getInt(SECTOR_SIZE_AT) != bytes.length) {
      return null;
    }
    var minor = Byte.toUnsignedInt(sector.get(MINOR_AT));
    var uuid =
        minor == 0 ? new byte[0] : Arrays.copyOfRange(bytes, UUID_AT, UUID_AT + UUID_SIZE);
    var times =
        new Times(
            sector.getInt(WATCHDOG_AT),
            sector.getInt(ALLOCATE_AT),
            sector.getInt(LOOP_AT),
            sector.getInt(MSGWAIT_AT));
    return new Header(
        minor, Byte.toUnsignedInt(sector.get(SLOTS_AT)), bytes.length, times, uuid);
  }

  public static byte[] owner(int sectorSize, String name) {
    var sector = new byte[sectorSize];
    sector[0] = 1;
    name(name, sector);
    return sector;
  }

  /// The name of a slot's owner, null if nobody owns it.
  public static @Nullable String owner(byte[] sector) {
    return sector[0] == 0 ? null : name(sector);
  }

  public static byte[] mail(int sectorSize, DiskMessage message, String from) {
    var sector = new byte[sectorSize];
    sector[0] = message.code();
    name(from, sector);
    return sector;
  }

  public static Mail mail(byte[] sector) {
    return new Mail(DiskMessage.of(sector[0]), name(sector));
  }

  private static void name(String name, byte[] sector) {
    var bytes = name.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, sector, 1, Math.min(bytes.length, NAME_MAX));
  }

  private static String name(byte[] sector) {
    var end = 1;
    while (end <= NAME_MAX && sector[end] != 0) {
      end++;
    }
    return new String(sector, 1, end - 1, StandardCharsets.UTF_8);
  }
}
