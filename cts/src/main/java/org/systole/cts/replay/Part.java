package org.systole.cts.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What of a case is played: who stands for whom, what is left out, and where a cluster that runs has to
/// differ from the case. Nothing differs that is not named here, with the reason.
public final class Part {
  /// @param pattern of what it is about, such as `far_monitor_0 on node2`
  record Difference(Pattern pattern, String reason) {}

  private final Map<String, String> members = new TreeMap<>();
  private final Map<String, String> words = new LinkedHashMap<>();
  private final List<String> hosts = new ArrayList<>();
  private final List<String> stopped = new ArrayList<>();
  private final List<Difference> leftOut = new ArrayList<>();
  private final List<Difference> fewer = new ArrayList<>();
  private final List<Difference> more = new ArrayList<>();

  /// @param members for each of the case the one that plays it: name, player, name, player, ...
  public static Part of(String... members) {
    var made = new Part();
    for (var at = 0; at + 1 < members.length; at += 2) {
      made.members.put(members[at], members[at + 1]);
    }
    return made;
  }

  /// Nodes that are no members. They, and all resources, are called as in the case.
  public Part hosts(String... names) {
    hosts.addAll(List.of(names));
    return this;
  }

  /// A part of a resource's name that is another one here, such as an address.
  public Part word(String inCase, String here) {
    words.put(inCase, here);
    return this;
  }

  /// Resources or nodes that nobody plays.
  ///
  /// @param names pattern of their names
  public Part without(String names, String reason) {
    leftOut.add(new Difference(Pattern.compile(names), reason));
    return this;
  }

  /// Resources that are stopped before the event, though the case has them somewhere: what put them there
  /// is what happens.
  public Part stoppedAtFirst(String... resources) {
    stopped.addAll(List.of(resources));
    return this;
  }

  /// Where a resource is at the begin.
  ///
  /// @param nodes where the case has it
  public List<String> places(String resource, List<String> nodes) {
    if (stopped.contains(resource)) {
      return List.of();
    }
    var found = new ArrayList<String>();
    for (var node : nodes) {
      var here = node(node);
      if (here != null) {
        found.add(here);
      } else if (!isLeftOut(node)) {
        throw new IllegalArgumentException("nobody plays %s, where %s is".formatted(node, resource));
      }
    }
    return found;
  }

  /// Actions of the case that are not needed here.
  ///
  /// @param actions pattern, such as `power_(stop|start)_0 on node2`, with the names that are used here
  public Part less(String actions, String reason) {
    fewer.add(new Difference(Pattern.compile(actions), reason));
    return this;
  }

  /// Actions that may come besides those of the case, or again.
  public Part more(String actions, String reason) {
    more.add(new Difference(Pattern.compile(actions), reason));
    return this;
  }

  public Map<String, String> members() {
    return members;
  }

  public List<String> hosts() {
    return hosts;
  }

  /// What a node of the case is called here; null if nobody plays it.
  public @Nullable String node(String name) {
    return members.containsKey(name) ? members.get(name) : hosts.contains(name) ? name : null;
  }

  /// What a resource, or an action's key, is called here.
  public String here(String inCase) {
    var text = inCase;
    for (var word : words.entrySet()) {
      text = text.replace(word.getKey(), word.getValue());
    }
    return text;
  }

  public boolean isLeftOut(String name) {
    return leftOut.stream().anyMatch(it -> it.pattern.matcher(name).matches());
  }

  /// Whether what an action's key names is left out.
  boolean leavesOutKey(String key) {
    return leftOut.stream()
        .anyMatch(
            it ->
                Pattern.compile("(?:%s)(?::[0-9]+)?_.*".formatted(it.pattern.pattern()))
                    .matcher(key)
                    .matches());
  }

  boolean needsNot(String action) {
    return fewer.stream().anyMatch(it -> it.pattern.matcher(action).matches());
  }

  boolean mayHave(String action) {
    return more.stream().anyMatch(it -> it.pattern.matcher(action).matches());
  }
}
