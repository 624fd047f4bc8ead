package org.systole.common.cib;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// How large and how deep a CIB may become. It has to fit the memory of every daemon on every node, several times
/// while it is read and written, and a message between nodes. What goes beyond is refused when it is
/// asked for: a cluster that has it could not be started again.
public final class CibSize {
  /// Of the whole, as bytes of XML on one line.
  public static final int MAX = 32 << 20;

  /// Of the configuration alone: the status of what is configured has to find room too.
  public static final int CONFIGURATION_MAX = 16 << 20;

  /// Elements one inside the other. Parsers take a hundred, and the CIB and what changes it are put into others: what no
  /// daemon can read any more is followed by none, and kept by no disk. Changes that are not deep themselves may add up.
  public static final int DEPTH_MAX = 80;

  private CibSize() {}

  /// Whether the configuration is not beyond its limit by itself.
  public static boolean fits(Element cib) {
    return configuration(cib) <= CONFIGURATION_MAX;
  }

  /// What is wrong with a change, as one line for a person; null if nothing is. What makes a CIB
  /// smaller that is too large is always taken.
  public static @Nullable String problem(Element before, Element after) {
    var configuration = configuration(after);
    if (configuration > CONFIGURATION_MAX && configuration > configuration(before)) {
      return tooLarge("configuration", configuration, CONFIGURATION_MAX);
    }
    if (after.depth() > DEPTH_MAX && after.depth() > before.depth()) {
      return "the CIB would have more than %d elements one inside the other, which is as deep as it may be"
          .formatted(DEPTH_MAX);
    }
    var whole = after.textLength();
    if (whole > MAX && whole > before.textLength()) {
      return tooLarge("CIB", whole, MAX)
          + String.format(
              Locale.ROOT, "; the status section has %,d of them", length(after.first("status")));
    }
    return null;
  }

  private static int configuration(Element cib) {
    return length(cib.first("configuration"));
  }

  private static int length(@Nullable Element section) {
    return section == null ? 0 : section.textLength();
  }

  private static String tooLarge(String what, int would, int most) {
    return String.format(
        Locale.ROOT, "the %s would have %,d bytes of XML, at most %,d are taken", what, would, most);
  }
}
