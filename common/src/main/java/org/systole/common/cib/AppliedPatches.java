package org.systole.common.cib;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// The patchsets a thread has applied or made lately, for a process in which many copies of the CIB
/// follow the same changes: trees are immutable, so they may share the result. Of what each copy writes to disk
/// the digests are kept, too. Off unless [#remember] is called.
public final class AppliedPatches {
  private static final int SLOTS = 1 << 8;
  private static final int DIGESTS_MAX = 8;
  private static final ThreadLocal<@Nullable AppliedPatches> OF_THREAD = new ThreadLocal<>();

  /// What [#exact] finds.
  record Exact(Element before, Element after, @Nullable Element patch) {}

  private record Before(Element cib, CibPatch.Applied applied) {}

  /// This very element.
  private record Same(Element element) {
    @Override
    public int hashCode() {
      return System.identityHashCode(element);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Same it && it.element == element;
    }
  }

  /// Those that were applied last, whatever their places in memory: a copy's parts are other objects
  /// after an application of its own, and some go by that.
  private final Map<Same, Before> applied =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Same, Before> eldest) {
          return size() > SLOTS;
        }
      };

  private final Map<Element, String> digests =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Element, String> eldest) {
          return size() > DIGESTS_MAX;
        }
      };

  private final @Nullable Exact[] exact = new @Nullable Exact[SLOTS];

  private AppliedPatches() {}

  /// Has this thread remember from now on, or no longer.
  public static void remember(boolean on) {
    OF_THREAD.set(on ? new AppliedPatches() : null);
  }

  static @Nullable AppliedPatches ofThisThread() {
    return OF_THREAD.get();
  }

  /// The digest of a tree that equals this one, made if it is not known.
  String digest(Element tree, Function<Element, String> make) {
    return digests.computeIfAbsent(tree, make);
  }

  private static int slot(Element patch) {
    return System.identityHashCode(patch) & (SLOTS - 1);
  }

  CibPatch.@Nullable Applied find(Element cib, Element patch) {
    var before = applied.get(new Same(patch));
    return before != null && before.cib().equals(cib) ? before.applied() : null;
  }

  void keep(Element cib, Element patch, CibPatch.Applied applied) {
    this.applied.put(new Same(patch), new Before(cib, applied));
  }

  /// What [CibPatch#exact] made of these very trees; null if that is not known.
  @Nullable Exact exact(Element before, Element after) {
    var it = exact[slot(after)];
    return it != null && it.before() == before && it.after() == after ? it : null;
  }

  void keep(Exact made) {
    exact[slot(made.after())] = made;
  }
}
