package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.systole.common.values.NodeId;

/// What the fencers of the cluster have offered to do to one target.
final class Offers {
  private final Map<NodeId, List<Offer>> byNode = new TreeMap<>();

  /// A node, and what it can do with one device.
  record Choice(NodeId node, Offer offer) {}

  void put(NodeId node, List<Offer> offers) {
    byNode.put(node, offers);
  }

  /// All offers that pass, by node and then by device.
  List<Choice> choices(Predicate<Choice> wanted) {
    var found = new ArrayList<Choice>();
    byNode.forEach(
        (node, offers) -> {
          for (var offer : offers) {
            var choice = new Choice(node, offer);
            if (wanted.test(choice)) {
              found.add(choice);
            }
          }
        });
    return found;
  }

  /// The devices that an unfencing has to use.
  Set<String> automatic() {
    var devices = new TreeSet<String>();
    choices(choice -> choice.offer().automatic())
        .forEach(choice -> devices.add(choice.offer().device()));
    return devices;
  }

  /// Whether the second half of a reboot switches on with this device. A device that an unfencing
  /// has to use is left to the unfencing: the target has no access to shared storage until the
  /// cluster grants it again.
  boolean canSwitchOn(String device) {
    var offered = choices(choice -> choice.offer().device().equals(device));
    return offered.stream().noneMatch(choice -> choice.offer().automatic())
        && offered.stream()
            .anyMatch(choice -> choice.offer().supportsOn() && !choice.offer().staysOff());
  }

  /// Whether a device leaves off what is to be rebooted, by its own configuration.
  boolean staysOff(String device) {
    return choices(it -> it.offer().device().equals(device)).stream()
        .anyMatch(it -> it.offer().staysOff());
  }

  /// The time it takes to use every device that counts once, and a second time where more than one
  /// offer has it.
  Duration time(Predicate<String> counts, Function<Offer, Duration> once) {
    var longest = new TreeMap<String, Duration>();
    var chances = new TreeMap<String, Integer>();
    for (var choice : choices(it -> counts.test(it.offer().device()))) {
      var device = choice.offer().device();
      longest.merge(
          device, once.apply(choice.offer()), (one, two) -> one.compareTo(two) > 0 ? one : two);
      chances.merge(device, 1, Integer::sum);
    }
    var sum = Duration.ZERO;
    for (var device : longest.entrySet()) {
      var times = Math.min(2, chances.getOrDefault(device.getKey(), 1));
      sum = sum.plus(device.getValue().multipliedBy(times));
    }
    return sum;
  }
}
