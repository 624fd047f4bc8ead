package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.values.Bool;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// What a user may see and change of a CIB, as its `acls` section says.
///
/// A permission counts for the elements it names and what is below them. The nearest one that says
/// something decides; of several for one element `deny` goes before `write`, and `write` before
/// `read`. What no permission reaches is denied. An element with nothing but an id may be created
/// by all users, as scaffolding for what may be created below it, except in `acls`. Those of host HA's
/// settings that say what root runs on hosts need the right to write `resources` besides.
public final class CibAccess {
  /// How far the rights to an element go.
  public enum Mode {
    DENIED,
    READABLE,
    WRITABLE
  }

  private enum Kind {
    READ,
    WRITE,
    DENY
  }

  private record Permission(Kind kind, String xpath) {}

  private final List<Permission> permissions;

  private CibAccess(List<Permission> permissions) {
    this.permissions = permissions;
  }

  /// The user's rights in a CIB; null if everything is allowed.
  public static @Nullable CibAccess of(Element cib, CibUser user) {
    return user.isRestricted() && isEnforced(cib) ? listed(cib, user) : null;
  }

  /// The rights the CIB lists for the user, whether it enforces them or not.
  public static CibAccess listed(Element cib, CibUser user) {
    var permissions = new ArrayList<Permission>();
    permissions(cib, user).forEach(it -> add(it, permissions));
    return new CibAccess(permissions);
  }

  /// The permissions that the CIB lists for the user.
  static List<Element> permissions(Element cib, CibUser user) {
    var permissions = new ArrayList<Element>();
    var acls = cib.path("configuration", "acls");
    if (acls != null) {
      for (var holder : acls.children()) {
        if (concerns(holder, user)) {
          collect(acls, holder, permissions);
        }
      }
    }
    return permissions;
  }

  private static boolean concerns(Element holder, CibUser user) {
    var name = holder.get("name", holder.get("id", ""));
    return switch (holder.name()) {
      case "acl_target" -> name.equals(user.name());
      case "acl_group" -> user.groups() != null && user.groups().contains(name);
      default -> false;
    };
  }

  private static void collect(Element acls, Element holder, List<Element> to) {
    for (var child : holder.children()) {
      if (child.is("role") && child.id() != null) {
        var role = acls.first("acl_role", child.id());
        if (role != null) {
          to.addAll(role.children("acl_permission"));
        }
      } else if (child.is("acl_permission")) {
        to.add(child);
      }
    }
  }

  private static void add(Element permission, List<Permission> to) {
    var kind =
        switch (permission.get("kind", "")) {
          case "read" -> Kind.READ;
          case "write" -> Kind.WRITE;
          case "deny" -> Kind.DENY;
          default -> null;
        };
    var xpath = xpath(permission);
    if (kind != null && xpath != null) {
      to.add(new Permission(kind, xpath));
    }
  }

  private static @Nullable String xpath(Element permission) {
    if (permission.has("xpath")) {
      return permission.get("xpath");
    }
    var reference = permission.get("reference");
    var type = permission.get("object-type");
    var attribute = permission.get("attribute");
    if (reference == null && type == null) {
      return null;
    }
    var conditions = new ArrayList<String>();
    if (reference != null) {
      conditions.add("@id=" + CibXPath.literal(reference));
    }
    if (attribute != null) {
      conditions.add("@" + attribute);
    }
    var where = conditions.isEmpty() ? "" : "[" + String.join(" and ", conditions) + "]";
    return "//" + (type == null ? "*" : type) + where;
  }

  /// Whether the CIB says that access control lists count. Sets with a rule cannot be judged here:
  /// one that would switch them on does.
  public static boolean isEnforced(Element cib) {
    var options = cib.path("configuration", "crm_config");
    if (options == null) {
      return false;
    }
    var sets = new ArrayList<>(options.children("cluster_property_set"));
    if (sets.stream()
        .filter(it -> it.first("rule") != null)
        .anyMatch(it -> Bool.isTrue(option(it)))) {
      return true;
    }
    sets.removeIf(it -> it.first("rule") != null);
    sets.sort(
        Comparator.comparing((Element it) -> !"cib-bootstrap-options".equals(it.id()))
            .thenComparing(it -> -Score.parse(it.get("score"), 0)));
    return sets.stream()
        .map(CibAccess::option)
        .filter(Objects::nonNull)
        .findFirst()
        .map(Bool::isTrue)
        .orElse(false);
  }

  private static @Nullable String option(Element set) {
    var found = set.find(it -> it.is("nvpair") && it.get("name", "").equals("enable-acl"));
    return found == null ? null : found.get("value", "");
  }

  /// Which permissions name an element itself.
  private final class Marks {
    private final Map<Draft, Set<Kind>> kinds = new IdentityHashMap<>();
    private final Draft document;

    Marks(Element cib) {
      this(Draft.document(cib));
    }

    Marks(Draft document) {
      this.document = document;
      for (var permission : permissions) {
        try {
          for (var node : CibXPath.evaluate(document, permission.xpath())) {
            mark(node, permission.kind());
          }
        } catch (CibXPath.XPathException e) {
          if (e.isLimit() && permission.kind() == Kind.DENY) {
            mark(document, Kind.DENY); // what it would hide stays hidden
          } // what is no XPath names nothing
        }
      }
    }

    /// An attribute stands for its element, the document for its root.
    private void mark(Object node, Kind kind) {
      var element =
          switch (node) {
            case CibXPath.Attribute it -> it.owner();
            case Draft it -> it.isDocument() ? it.root() : it;
            default -> null;
          };
      if (element != null) {
        kinds.computeIfAbsent(element, _ -> EnumSet.noneOf(Kind.class)).add(kind);
      }
    }

    boolean has(Draft element, Kind kind) {
      var its = kinds.get(element);
      return its != null && its.contains(kind);
    }

    boolean isReadable(Draft element, boolean inherited) {
      return !has(element, Kind.DENY)
          && (inherited || has(element, Kind.READ) || has(element, Kind.WRITE));
    }
  }

  /// Whether the user has no right to ask for the operations, whatever they find: they are not even
  /// tried then. A search by XPath takes time, and its outcome tells what the CIB holds.
  boolean refuses(List<CibOp> operations) {
    return permissions.isEmpty()
        || operations.stream().anyMatch(CibOp::byXPath)
            && permissions.stream().noneMatch(it -> it.kind() == Kind.WRITE);
  }

  SeenCib seen(Draft document) {
    return new SeenCib(document, new Marks(document)::isReadable);
  }

  /// What the user may see: elements on the way to something readable are left with their id only.
  ///
  /// @return null for nothing at all
  public @Nullable Element visible(Element cib) {
    if (permissions.isEmpty()) {
      return null;
    }
    var marks = new Marks(cib);
    return visible(marks, marks.document.root(), false);
  }

  private static @Nullable Element visible(Marks marks, Draft at, boolean inherited) {
    var readable = marks.isReadable(at, inherited);
    if (at.self().isComment()) {
      return readable ? at.self() : null;
    }
    var children = new ArrayList<Element>(at.children().size());
    var whole = readable;
    for (var child : at.children()) {
      var kept = visible(marks, child, readable);
      whole &= kept == child.self();
      if (kept != null) {
        children.add(kept);
      }
    }
    if (whole) {
      return at.self();
    }
    if (readable) {
      return at.self().withChildren(children);
    }
    if (children.isEmpty()) {
      return null;
    }
    return Element.builder(at.name()).attr("id", at.self().id()).addAll(children).build();
  }

  /// The mode of every element, in document order.
  public List<Mode> modes(Element cib) {
    var marks = new Marks(cib);
    var modes = new ArrayList<Mode>();
    describe(marks, marks.document.root(), Mode.DENIED, modes);
    return modes;
  }

  private static void describe(Marks marks, Draft at, Mode inherited, List<Mode> modes) {
    Mode mode;
    if (marks.has(at, Kind.DENY)) {
      mode = Mode.DENIED;
    } else if (marks.has(at, Kind.WRITE)) {
      mode = Mode.WRITABLE;
    } else if (marks.has(at, Kind.READ) && inherited == Mode.DENIED) {
      mode = Mode.READABLE;
    } else {
      mode = inherited;
    }
    modes.add(mode);
    at.children().forEach(it -> describe(marks, it, mode, modes));
  }

  /// Whether the user may make `after` of `before`. The rights are those of `before`.
  public boolean allows(Element before, Element after) {
    return before == after
        || !permissions.isEmpty() && new Comparison(new Marks(before), new Marks(after)).allowed();
  }

  /// Compares two CIBs, and asks for each difference if it is allowed.
  private static final class Comparison {
    private final Marks before;
    private final Marks after;
    private final Map<Draft, Draft> earlier = new IdentityHashMap<>(); // by the later one

    Comparison(Marks before, Marks after) {
      this.before = before;
      this.after = after;
    }

    boolean allowed() {
      var old = before.document.root();
      var now = after.document.root();
      return old.name().equals(now.name())
          && changed(old, now)
          && (!HostHaUse.haveRootDoOther(old.self(), now.self()) || mayHaveRootRun(old));
    }

    /// Who has agents run as root is who may write resources: not everybody who may write options.
    private boolean mayHaveRootRun(Draft cib) {
      for (var section : cib.children()) {
        for (var part : section.children()) {
          if (section.name().equals("configuration") && part.name().equals("resources")) {
            return mayWrite(part);
          }
        }
      }
      return mayWrite(cib);
    }

    private boolean changed(Draft old, Draft now) {
      if (old.self() == now.self()) {
        return true; // shared, so nothing below differs either
      }
      earlier.put(now, old);
      if (!sameSelf(old.self(), now.self()) && !mayWrite(old)) {
        return false;
      }
      var left = new ArrayList<>(old.children());
      var matched = new ArrayList<Draft>();
      for (var child : now.children()) {
        var partner = take(left, child);
        if (partner == null) {
          if (!mayCreate(child)) {
            return false;
          }
        } else {
          matched.add(partner);
          if (!changed(partner, child)) {
            return false;
          }
        }
      }
      return left.stream().allMatch(this::mayWrite) && (inOrder(matched) || mayReorder(old));
    }

    private static boolean sameSelf(Element one, Element other) {
      if (one.attributeCount() != other.attributeCount()
          || !Objects.equals(one.text(), other.text())) {
        return false;
      }
      for (var at = 0; at < one.attributeCount(); at++) {
        if (!one.attributeValue(at).equals(other.get(one.attributeName(at)))) {
          return false;
        }
      }
      return true;
    }

    private static @Nullable Draft take(List<Draft> from, Draft like) {
      for (var at = 0; at < from.size(); at++) {
        var it = from.get(at);
        if (it.name().equals(like.name()) && Objects.equals(it.self().id(), like.self().id())) {
          return from.remove(at);
        }
      }
      return null;
    }

    private static boolean inOrder(List<Draft> olds) {
      var last = -1;
      for (var it : olds) {
        if (it.index() < last) {
          return false;
        }
        last = it.index();
      }
      return true;
    }

    private boolean mayReorder(Draft parent) {
      return mayWrite(parent) || parent.children().stream().allMatch(this::mayWrite);
    }

    private boolean mayWrite(Draft old) {
      for (var at = old; at != null && !at.isDocument(); at = at.parent()) {
        if (before.has(at, Kind.DENY)) {
          return false;
        }
        if (before.has(at, Kind.WRITE)) {
          return true;
        }
      }
      return false;
    }

    private boolean mayCreate(Draft now) {
      return (isScaffolding(now) || mayWriteNew(now))
          && now.children().stream().allMatch(this::mayCreate);
    }

    private static boolean isScaffolding(Draft now) {
      for (var at = 0; at < now.self().attributeCount(); at++) {
        if (!now.self().attributeName(at).equals("id")) {
          return false;
        }
      }
      for (var at = now.parent(); at != null; at = at.parent()) {
        if (at.name().equals("acls")) {
          return false;
        }
      }
      return true;
    }

    /// Above what is new there are elements that have been there: their rights of before count too.
    private boolean mayWriteNew(Draft now) {
      for (var at = now; at != null && !at.isDocument(); at = at.parent()) {
        var old = earlier.get(at);
        if (after.has(at, Kind.DENY) || old != null && before.has(old, Kind.DENY)) {
          return false;
        }
        if (after.has(at, Kind.WRITE) || old != null && before.has(old, Kind.WRITE)) {
          return true;
        }
      }
      return false;
    }
  }
}
