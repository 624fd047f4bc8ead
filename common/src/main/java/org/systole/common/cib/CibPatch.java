package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Rc;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// Patchsets, format 2: what leads from one CIB to the next.
public final class CibPatch {
  /// How applying went.
  ///
  /// @param cib the result; if `rc` is not OK, as far as it got
  public record Applied(Rc rc, Element cib) {}

  private CibPatch() {}

  /// The patchset that leads from one tree to the other, null if they are the same.
  ///
  /// @param attributeOrder whether attributes in another order are a difference
  public static @Nullable Element between(Element before, Element after, boolean attributeOrder) {
    var diff = new TreeDiff(attributeOrder);
    diff.compare(before, after);
    return diff.isEmpty()
        ? null
        : Element.builder("diff")
            .attr("format", 2)
            .add(
                Element.builder("version")
                    .add(version("source", before))
                    .add(version("target", after))
                    .build())
            .addAll(diff.changes())
            .build();
  }

  /// As [#between(Element, Element, boolean)], minding the order of attributes.
  public static @Nullable Element between(Element before, Element after) {
    return between(before, after, true);
  }

  /// As [#between(Element, Element)], null also if no patchset leads to this very tree: the whole
  /// has to be told then.
  public static @Nullable Element exact(Element before, Element after) {
    var known = AppliedPatches.ofThisThread();
    var made = known == null ? null : known.exact(before, after);
    if (made != null) {
      return made.patch();
    }
    var patch = exactAnew(before, after);
    if (known != null) {
      known.keep(new AppliedPatches.Exact(before, after, patch));
    }
    return patch;
  }

  private static @Nullable Element exactAnew(Element before, Element after) {
    var patch = between(before, after);
    return patch == null || !change(before, patch).cib().equals(after) ? null : patch;
  }

  private static Element version(String name, Element cib) {
    return Element.of(
        name,
        "admin_epoch",
        cib.get("admin_epoch", "1"),
        "epoch",
        cib.get("epoch", "1"),
        "num_updates",
        cib.get("num_updates", "1"));
  }

  /// The version a patchset leads to, null if it says none.
  public static @Nullable CibVersion target(Element patch) {
    var target = patch.path("version", "target");
    return target == null ? null : CibVersion.of(target);
  }

  /// The version a patchset starts from, null if it says none.
  public static @Nullable CibVersion source(Element patch) {
    var source = patch.path("version", "source");
    return source == null ? null : CibVersion.of(source);
  }

  /// Whether a patchset changes anything in or below a section, or creates it.
  public static boolean touches(Element patch, String section) {
    var path = CibSections.xpath(section);
    if (path == null) {
      return false;
    }
    var parent = path.substring(0, path.lastIndexOf('/'));
    for (var change : patch.children("change")) {
      var at = change.get("path", "");
      if (at.equals(path) || at.startsWith(path + "/")) {
        return true;
      }
      if (at.equals(parent)
          && change.get("operation", "").equals("create")
          && change.first(section) != null) {
        return true;
      }
    }
    return false;
  }

  /// Applies a patchset.
  ///
  /// @param checkVersion refuse it if it does not start from this very version, or leads to no
  ///     later one
  public static Applied apply(Element cib, Element patch, boolean checkVersion) {
    if (!patch.get("format", "").equals("2")) {
      return new Applied(Rc.EINVAL, cib);
    }
    if (checkVersion) {
      var rc = checkVersions(cib, patch);
      if (!rc.isOk()) {
        return new Applied(rc, cib);
      }
    }
    var applied = changed(cib, patch);
    var digest = patch.get("digest");
    if (applied.rc().isOk()
        && digest != null
        && !digest.equalsIgnoreCase(CibDigest.versioned(applied.cib()))) {
      return new Applied(Rc.DIFF_FAILED, applied.cib());
    }
    return applied;
  }

  private static Applied changed(Element cib, Element patch) {
    var known = AppliedPatches.ofThisThread();
    if (known == null) {
      return change(cib, patch);
    }
    var before = known.find(cib, patch);
    if (before != null) {
      return before;
    }
    var applied = change(cib, patch);
    known.keep(cib, patch, applied);
    return applied;
  }

  private static Rc checkVersions(Element cib, Element patch) {
    var current = nonNegative(CibVersion.of(cib));
    var sourceElement = patch.path("version", "source");
    var targetElement = patch.path("version", "target");
    if (sourceElement != null && !complete(sourceElement)
        || targetElement != null && !complete(targetElement)) {
      return Rc.EINVAL;
    }
    var source = sourceElement == null ? current : CibVersion.of(sourceElement);
    var target =
        targetElement == null
            ? new CibVersion(current.adminEpoch(), current.epoch(), current.numUpdates() + 1)
            : CibVersion.of(targetElement);
    var order = current.compareTo(source);
    if (order != 0) {
      return order < 0 ? Rc.DIFF_FAILED : Rc.OLD_DATA;
    }
    var newer =
        target.adminEpoch() > source.adminEpoch()
            || target.epoch() > source.epoch()
            || target.numUpdates() > source.numUpdates();
    return newer ? Rc.OK : Rc.OLD_DATA;
  }

  private static CibVersion nonNegative(CibVersion version) {
    return new CibVersion(
        Math.max(0, version.adminEpoch()),
        Math.max(0, version.epoch()),
        Math.max(0, version.numUpdates()));
  }

  private static boolean complete(Element version) {
    return Numbers.isNumber(version.get("admin_epoch"))
        && Numbers.isNumber(version.get("epoch"))
        && Numbers.isNumber(version.get("num_updates"));
  }

  private record Placement(Element change, Draft at) {
    int position() {
      return Numbers.parseInt(change.get("position"), -1);
    }

    boolean isMove() {
      return change.get("operation", "").equals("move");
    }
  }

  /// Deletions and changes of attributes come first; what is created or moved then finds its place
  /// from the lowest position up.
  private static Applied change(Element cib, Element patch) {
    var document = Draft.document(cib);
    var rc = Rc.OK;
    var placements = new ArrayList<Placement>();
    for (var change : patch.children()) {
      var operation = change.get("operation");
      if (operation == null) {
        continue;
      }
      var position = operation.equals("delete") ? Numbers.parseInt(change.get("position"), -1) : -1;
      var at = locate(document, change.get("path", ""), position);
      if (at == null) {
        rc = operation.equals("delete") ? rc : Rc.DIFF_FAILED;
        continue;
      }
      switch (operation) {
        case "delete" -> at.remove();
        case "create" -> placements.add(new Placement(change, at));
        case "move" -> {
          placements.add(new Placement(change, at));
          at.moveTo(Integer.MAX_VALUE); // out of the way
        }
        case "modify" -> {
          var result = change.first("change-result");
          if (result == null || result.childCount() == 0) {
            rc = Rc.ENOMSG;
          } else {
            at.setSelf(result.child(0).withName(at.name()).withText(at.self().text()));
          }
        }
        default -> rc = Rc.DIFF_FAILED;
      }
    }
    placements.sort(Comparator.comparingInt(Placement::position));
    for (var placement : placements) {
      if (!place(placement)) {
        rc = Rc.DIFF_FAILED;
      }
    }
    return new Applied(rc, document.root().build());
  }

  private static boolean place(Placement placement) {
    var at = placement.at();
    if (placement.isMove()) {
      at.moveTo(placement.position());
      return at.index() == placement.position();
    }
    if (placement.change().childCount() == 0) {
      return false;
    }
    var position = placement.position();
    at.insert(position < 0 ? Integer.MAX_VALUE : position, placement.change().child(0));
    return true;
  }

  /// Follows `/cib/configuration/primitive[@id='x']`; slashes inside an id are part of it.
  ///
  /// @param position among its siblings, for a comment; -1 for any
  private static @Nullable Draft locate(Draft document, String path, int position) {
    var at = document;
    var from = 0;
    while (from < path.length() && path.charAt(from) == '/') {
      var start = from + 1;
      var slash = path.indexOf('/', start);
      var end = slash < 0 ? path.length() : slash;
      var bracket = path.indexOf(ID, start, end);
      var quote = bracket < 0 ? -1 : path.indexOf("']", bracket);
      if (bracket >= 0 && quote < 0) {
        break;
      }
      from = bracket < 0 ? end : quote + 2;
      var name = path.substring(start, bracket < 0 ? end : bracket);
      var next =
          name.equals("comment")
              ? comment(at, path.startsWith("/", from) ? -1 : position)
              : at.first(name, bracket < 0 ? null : path.substring(bracket + ID.length(), quote));
      if (next == null) {
        return null;
      }
      at = next;
    }
    return at == document ? null : at;
  }

  private static @Nullable Draft comment(Draft parent, int position) {
    for (var child : parent.children()) {
      if (child.self().isComment() && (position < 0 || child.index() == position)) {
        return child;
      }
    }
    return null;
  }

  private static final String ID = "[@id='";
}
