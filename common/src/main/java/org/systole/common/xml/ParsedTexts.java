package org.systole.common.xml;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The texts a thread has parsed lately, for a process in which many readers are given the same
/// ones: elements are immutable, so they may share them. Off unless [#remember] is called.
public final class ParsedTexts {
  private static final int KEPT_MAX = 128;
  private static final ThreadLocal<@Nullable Map<String, Element>> OF_THREAD = new ThreadLocal<>();

  private ParsedTexts() {}

  /// Has this thread remember from now on, or no longer.
  public static void remember(boolean on) {
    if (on != (OF_THREAD.get() != null)) {
      OF_THREAD.set(on ? kept() : null);
    }
  }

  static @Nullable Map<String, Element> ofThisThread() {
    return OF_THREAD.get();
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
