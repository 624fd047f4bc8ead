package org.systole.common.values;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// MD5 digests as Pacemaker writes them: they find changes and damage, and protect from nobody.
public final class Md5 {
  // Whoever needs one copies it: to look for who provides it takes longer than a short text's digest.
  private static final MessageDigest FRESH = fresh();

  private Md5() {}

  private static MessageDigest fresh() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no MD5", e);
    }
  }

  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String of(byte[] content) {
    try {
      return HexFormat.of().formatHex(((MessageDigest) FRESH.clone()).digest(content));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("this Java's MD5 cannot be copied", e);
    }
  }
}
