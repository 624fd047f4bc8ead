package org.systole.common.xml;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The texts a thread has parsed or written lately, for a process in which many readers are given the
/// same ones: elements are immutable, so they may share them. Off unless [#remember] is called.
///
/// Which element a reader gets depends on texts and on nothing else, as on where things are in memory:
/// who goes by whether it is the same one as before must do so alike each time.
public final class ParsedTexts {
  private static final int KEPT_MAX = 128;
  private static final int SLOTS = 1 << 9;
  private static final ThreadLocal<@Nullable ParsedTexts> OF_THREAD = new ThreadLocal<>();

  private record Text(Element element, String text, boolean same) {}

  private final Map<String, Element> parsed = kept();
  private final Map<String, Element> written = kept();
  private final @Nullable Text[] texts = new @Nullable Text[SLOTS];

  private ParsedTexts() {}

  /// Has this thread remember from now on, or no longer.
  public static void remember(boolean on) {
    OF_THREAD.set(on ? new ParsedTexts() : null);
  }

  static @Nullable ParsedTexts ofThisThread() {
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

  private static int slot(Element element) {
    return System.identityHashCode(element) & (SLOTS - 1);
  }

  /// What was found in a text when it was read, null if that is not known.
  @Nullable Element element(String text) {
    return parsed.get(text);
  }

  void parsed(String text, Element element) {
    parsed.put(text, element);
  }

  /// What a text was made of, null if that is not known.
  @Nullable Element written(String text) {
    return written.get(text);
  }

  /// The text that was made of this very element, null if that is not known.
  @Nullable String text(Element element) {
    var it = texts[slot(element)];
    if (it == null || it.element() != element) {
      return null;
    }
    keep(it); // as if it were written anew: what is forgotten must not depend on places in memory
    return it.text();
  }

  /// @param same whether who reads the text finds the same in it
  void written(Element element, String text, boolean same) {
    var it = new Text(element, text, same);
    texts[slot(element)] = it;
    keep(it);
  }

  private void keep(Text it) {
    if (it.same()) {
      written.putIfAbsent(it.text(), it.element());
    }
  }
}
