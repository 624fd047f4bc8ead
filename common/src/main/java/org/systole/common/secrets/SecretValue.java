package org.systole.common.secrets;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Md5;
import org.systole.common.world.SecretStore;

/// A secret value as it stands in its two files: `PARAMETER` with the value, `PARAMETER.sign` with
/// its MD5 digest. White space at the end of either does not count. The digest finds damage, it
/// protects from nobody.
public final class SecretValue {
  private static final String NEW_LINE = "\n";

  private final String text;

  private SecretValue(String text) {
    this.text = text;
  }

  /// @return null if the value cannot stand in a file or be given to an agent; see [#mistake]
  public static @Nullable SecretValue of(String text) {
    return mistake(text) == null ? new SecretValue(trimmed(text)) : null;
  }

  /// What is wrong with a value, without the value; null if nothing.
  public static @Nullable String mistake(String text) {
    if (text.indexOf('\0') >= 0) {
      return "a value with a zero byte cannot be given to an agent";
    }
    var bytes = text.getBytes(StandardCharsets.UTF_8).length;
    return bytes < SecretStore.CONTENT_MAX
        ? null
        : "a value of %d bytes is too long, the limit is %d"
            .formatted(bytes, SecretStore.CONTENT_MAX - 1);
  }

  /// What the two files say.
  ///
  /// @param value null if this is no value: then `why` says why not, without any content
  public record Read(@Nullable SecretValue value, String why) {
    private static Read not(String why) {
      return new Read(null, why);
    }
  }

  /// The value of a parameter as the files of its resource have it.
  ///
  /// @param files content by name
  public static Read read(Map<String, byte[]> files, String parameter) {
    return read(files.get(parameter), files.get(parameter + SecretNames.SIGN));
  }

  /// The names of the two files.
  public static List<String> files(String parameter) {
    return List.of(parameter, parameter + SecretNames.SIGN);
  }

  /// What has to be done for a resource to have this value of a parameter.
  ///
  /// @param value null for none
  public static List<SecretStore.Change> changes(
      String holder, String parameter, @Nullable SecretValue value) {
    var sign = parameter + SecretNames.SIGN;
    return value == null
        ? List.of(
            new SecretStore.Change.Delete(holder, parameter),
            new SecretStore.Change.Delete(holder, sign))
        : List.of(
            new SecretStore.Change.Write(holder, parameter, value.content()),
            new SecretStore.Change.Write(holder, sign, value.sign()));
  }

  /// @param content of the file with the value, null if there is none
  /// @param sign of the file with the digest, null if there is none
  public static Read read(byte @Nullable [] content, byte @Nullable [] sign) {
    if (content == null) {
      return Read.not("there is no value");
    }
    if (content.length == 0) {
      return Read.not("the file with the value is empty");
    }
    if (sign == null) {
      return Read.not("there is no digest of the value");
    }
    var trimmed = trimmed(content);
    var digest = new String(trimmed(sign), StandardCharsets.ISO_8859_1);
    if (!Md5.of(trimmed).equalsIgnoreCase(digest)) {
      return Read.not("value and digest do not fit together");
    }
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(trimmed)).toString();
      return text.indexOf('\0') < 0
          ? new Read(new SecretValue(text), "")
          : Read.not("the value has a zero byte");
    } catch (CharacterCodingException e) {
      return Read.not("the value is not UTF-8");
    }
  }

  /// The value itself.
  public String text() {
    return text;
  }

  public String digest() {
    return Md5.of(text);
  }

  /// What is written into the file with the value.
  public byte[] content() {
    return (text + NEW_LINE).getBytes(StandardCharsets.UTF_8);
  }

  /// What is written into the file with the digest.
  public byte[] sign() {
    return (digest() + NEW_LINE).getBytes(StandardCharsets.UTF_8);
  }

  /// It does not show what it holds.
  @Override
  public String toString() {
    return "SecretValue";
  }

  private static String trimmed(String text) {
    return new String(
        trimmed(text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
  }

  /// Without what C's isspace() calls white space, at the end.
  private static byte[] trimmed(byte[] content) {
    var length = content.length;
    while (length > 0 && (content[length - 1] == ' ' || isLineSpace(content[length - 1]))) {
      length--;
    }
    return Arrays.copyOf(content, length);
  }

  private static boolean isLineSpace(byte it) {
    return it >= '\t' && it <= '\r';
  }
}
