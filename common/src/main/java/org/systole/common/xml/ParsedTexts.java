package org.systole.common.xml;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The texts a thread has parsed lately, for a process in which many readers are given the same
/// ones: elements are immutable, so they may share them. Off unless [#remember] is called.
public final class ParsedTexts {
  private static final int KEPT_MAX = 128;
  private static final ThreadLocal<Map<String, Element>> OF_THREAD =
      ThreadLocal.withInitial(ParsedTexts::kept);
  private static volatile boolean remembering;

  private ParsedTexts() {}

  /// From now on every thread of this process remembers.
  public static void remember() {
    remembering = true;
  }

  static @Nullable Map<String, Element> ofThisThread() {
    return remembering ? OF_THREAD.get() : null;
  }

  private static Map<String, Element> kept() {
    return new LinkedHashMap<>(KEPT_MAX, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, Element> eldest) {
        return size() > KEPT_MAX;
      }
    };
  }
}
