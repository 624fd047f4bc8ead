package org.systole.cts.tidy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Packages use each other in one direction, within a module too.
final class PackageCircles {
  private PackageCircles() {}

  static List<Problem> check(List<SourceFile> files) {
    var uses = uses(files);
    var found = new ArrayList<Problem>();
    var done = new TreeSet<String>();
    for (var name : uses.keySet()) {
      if (!done.contains(name)) {
        var circle = circle(uses, name);
        done.addAll(circle);
        if (circle.size() > 1) {
          found.add(problem(files, circle));
        }
      }
    }
    return found;
  }

  private static Problem problem(List<SourceFile> files, SortedSet<String> circle) {
    var text = new StringBuilder("these packages use each other in a circle: break the thinner way");
    for (var file : files) {
      if (circle.contains(file.packageName())) {
        for (var use : file.uses()) {
          var other = use.substring(0, use.lastIndexOf('.'));
          if (circle.contains(other) && !other.equals(file.packageName())) {
            text.append("\n    ").append(file.packageName()).append('.').append(file.type());
            text.append(" -> ").append(use);
          }
        }
      }
    }
    return new Problem("circle", String.join(" ", circle), 1, text.toString());
  }

  private static SortedMap<String, SortedSet<String>> uses(List<SourceFile> files) {
    var uses = new TreeMap<String, SortedSet<String>>();
    files.forEach(it -> uses.put(it.packageName(), new TreeSet<>()));
    for (var file : files) {
      var of = uses.get(file.packageName());
      if (of != null) {
        of.addAll(file.usedPackages());
        of.retainAll(uses.keySet());
      }
    }
    return uses;
  }

  /// The packages that can be reached from this one and reach it, it among them.
  private static SortedSet<String> circle(Map<String, SortedSet<String>> uses, String name) {
    var circle = new TreeSet<String>();
    circle.add(name);
    for (var other : reached(uses, name)) {
      if (reached(uses, other).contains(name)) {
        circle.add(other);
      }
    }
    return circle;
  }

  private static SortedSet<String> reached(Map<String, SortedSet<String>> uses, String from) {
    var reached = new TreeSet<String>();
    var next = new ArrayDeque<>(uses.getOrDefault(from, new TreeSet<>()));
    while (!next.isEmpty()) {
      var name = next.remove();
      if (reached.add(name)) {
        next.addAll(uses.getOrDefault(name, new TreeSet<>()));
      }
    }
    return reached;
  }
}
