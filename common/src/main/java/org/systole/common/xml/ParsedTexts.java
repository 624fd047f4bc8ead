package org.systole.common.xml;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The texts a thread has parsed or written lately, for a process in which many readers are given the
/// same ones: elements are immutable, so they may share them. Off unless [#remember] is called.
public final class ParsedTexts {
  private static final int KEPT_MAX = 128;
  private static final int SLOTS = 1 << 9;
  private static final ThreadLocal<@Nullable ParsedTexts> OF_THREAD = new ThreadLocal<>();

  private record Written(Element element, String text) {}

  private final Map<String, Element> parsed =
      new LinkedHashMap<>(KEPT_MAX, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Element> eldest) {
          return size() > KEPT_MAX;
        }
      };
  private final @Nullable Written[] byText = new @Nullable Written[SLOTS];
  private final @Nullable Written[] byElement = new @Nullable Written[SLOTS];

  private ParsedTexts() {}

  /// Has this thread remember from now on, or no longer.
  public static void remember(boolean on) {
    if (on != (OF_THREAD.get() != null)) {
      OF_THREAD.set(on ? new ParsedTexts() : null);
    }
  }

  static @Nullable ParsedTexts ofThisThread() {
    return OF_THREAD.get();
  }

  private static int slot(Object it) {
    return System.identityHashCode(it) & (SLOTS - 1);
  }

  /// What a text says, null if that is not known.
  @Nullable Element element(String text) {
    return parsed.get(text);
  }

  /// What this very string was made of, null if that is not known.
  @Nullable Element written(String text) {
    var written = byText[slot(text)];
    return written != null && written.text() == text ? written.element() : null;
  }

  void parsed(String text, Element element) {
    parsed.put(text, element);
  }

  /// The text that was made of this very element, null if that is not known.
  @Nullable String text(Element element) {
    var written = byElement[slot(element)];
    return written != null && written.element() == element ? written.text() : null;
  }

  /// @param same whether who reads the text finds the same element
  void written(Element element, String text, boolean same) {
    var both = new Written(element, text);
    byElement[slot(element)] = both;
    if (same) {
      byText[slot(text)] = both;
    }
  }
}
