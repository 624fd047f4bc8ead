package org.systole.common.sbd;

import org.jspecify.annotations.Nullable;

/// What one node tells another by a disk.
public enum DiskMessage {
  CLEAR(0, "clear"),
  TEST(1, "test"),
  RESET(2, "reset"),
  OFF(3, "off"),
  EXIT(4, "exit"),
  CRASHDUMP(5, "crashdump");

  private final int code;
  private final String word;

  DiskMessage(int code, String word) {
    this.code = code;
    this.word = word;
  }

  /// The byte that stands for it on the disk.
  public byte code() {
    return (byte) code;
  }

  /// As the command `sbd` has it.
  public String word() {
    return word;
  }

  /// Whether its receiver is to be gone.
  public boolean isFencing() {
    return this == RESET || this == OFF || this == CRASHDUMP;
  }

  /// Null for a byte that stands for nothing.
  public static @Nullable DiskMessage of(byte code) {
    for (var it : values()) {
      if (it.code() == code) {
        return it;
      }
    }
    return null;
  }

  /// Null for a word that is none.
  public static @Nullable DiskMessage of(String word) {
    for (var it : values()) {
      if (it.word.equals(word)) {
        return it;
      }
    }
    return null;
  }
}
