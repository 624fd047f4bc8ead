package org.systole.roles.document;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.RolesSchema;
import org.systole.common.schema.SchemaFault;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;

/// Packages that bring roles, and a site's changes to them.
///
/// There are two directories of packages: what was shipped, and what the site lays over it. In both
/// a package may say something of one role, and something of all its roles (`defaults`). What is
/// said of one role counts more than what is said of all, and of two that say the same kind of thing
/// the site's counts. So each attribute, and each kind of list, comes from the first of: the site's
/// role, the shipped role, the site's defaults, the shipped defaults. Data are merged in the
/// opposite order.
public final class RolePackages {
  private static final List<String> LISTS = List.of("requires", "conflicts", "provides");
  private static final String DEFAULT_JIG = "noop";

  /// A file of a directory of packages.
  public record PackageFile(String name, byte[] text) {}

  /// One package in both directories.
  private record Levels(@Nullable Element shipped, @Nullable Element site) {}

  private final List<String> faults = new ArrayList<>();
  private final Map<Element, String> places = new IdentityHashMap<>();
  private final Parts parts = new Parts(it -> places.getOrDefault(it, ""));

  private RolePackages() {}

  /// @throws DocumentFault if any package is wrong; none is taken then
  public static SortedMap<RoleId, Role> roles(List<PackageFile> shipped, List<PackageFile> site)
      throws DocumentFault {
    return new RolePackages().merge(shipped, site);
  }

  private SortedMap<RoleId, Role> merge(List<PackageFile> shipped, List<PackageFile> site)
      throws DocumentFault {
    var below = read(shipped);
    var above = read(site);
    SortedMap<RoleId, Role> roles = new TreeMap<>();
    Map<RoleId, String> from = new TreeMap<>();
    var names = new TreeSet<>(below.keySet());
    names.addAll(above.keySet());
    for (var name : names) {
      var levels = new Levels(below.get(name), above.get(name));
      for (var id : roleIds(levels)) {
        var made = role(id, levels);
        var role = RoleElements.role(made, parts);
        if (role == null) {
          continue;
        }
        RoleElements.checkAnswers(role, made, parts);
        var other = from.put(role.id(), name);
        if (other != null) {
          faults.add("packages " + other + " and " + name + " both have the role " + id);
        }
        roles.put(role.id(), role);
      }
    }
    faults.addAll(parts.faults());
    if (!faults.isEmpty()) {
      throw new DocumentFault(faults);
    }
    return roles;
  }

  private Map<String, Element> read(List<PackageFile> files) {
    var packages = new TreeMap<String, Element>();
    for (var file : files) {
      try {
        var located = XmlReader.parseLocated(file.text());
        var wrong = RolesSchema.PACKAGE.check(located.root(), located.lines());
        wrong.stream().map(SchemaFault::message).forEach(it -> faults.add(file.name() + ": " + it));
        located.lines().forEach((element, line) -> places.put(element, file.name() + ": line " + line + ": "));
        if (wrong.isEmpty() && packages.put(located.root().get("id", ""), located.root()) != null) {
          faults.add(file.name() + ": another file has package " + located.root().get("id", ""));
        }
      } catch (XmlException e) {
        faults.add("%s: %s%s".formatted(file.name(), e.line() > 0 ? "line " + e.line() + ": " : "", e.getMessage()));
      }
    }
    return packages;
  }

  private static TreeSet<String> roleIds(Levels levels) {
    var ids = new TreeSet<String>();
    for (var level : new Element[] {levels.shipped(), levels.site()}) {
      if (level != null) {
        level.children("role").forEach(it -> ids.add(it.get("id", "")));
      }
    }
    return ids;
  }

  /// The role as its four sources make it, the most telling first.
  private Element role(String id, Levels levels) {
    var sources = new ArrayList<Element>();
    add(sources, levels.site() == null ? null : levels.site().first("role", id));
    add(sources, levels.shipped() == null ? null : levels.shipped().first("role", id));
    add(sources, levels.site() == null ? null : levels.site().first("defaults"));
    add(sources, levels.shipped() == null ? null : levels.shipped().first("defaults"));
    var role = Element.builder("role").attr("id", id);
    role.attr("jig", said(sources, "jig", DEFAULT_JIG));
    role.attr("description", said(sources, "description", null));
    for (var name : List.of("timeout", "check-interval", "check-then")) {
      role.attr(name, said(sources, name, null));
    }
    for (var flag : RoleFlag.values()) {
      role.attr(flag.word(), said(sources, flag.word(), null));
    }
    for (var list : LISTS) {
      for (var source : sources) {
        if (source.first(list) != null) {
          role.addAll(source.children(list));
          break;
        }
      }
    }
    var data = Json.Obj.EMPTY;
    for (var source : sources.reversed()) {
      data = DeepMerge.merge(data, parts.data(source.first("data"), "role " + id));
    }
    RoleElements.data("data", data).forEach(role::add);
    var events = new TreeMap<String, Element>();
    for (var source : sources.reversed()) {
      source.children("on").forEach(it -> events.put(it.get("event", ""), it));
    }
    role.addAll(new ArrayList<>(events.values()));
    var made = role.build();
    sources.stream().map(places::get).filter(Objects::nonNull).findFirst().ifPresent(it -> places.put(made, it));
    return made;
  }

  private static void add(List<Element> sources, @Nullable Element source) {
    if (source != null) {
      sources.add(source);
    }
  }

  private static @Nullable String said(
      List<Element> sources, String attribute, @Nullable String otherwise) {
    for (var source : sources) {
      var value = source.get(attribute);
      if (value != null) {
        return value;
      }
    }
    return otherwise;
  }
}
