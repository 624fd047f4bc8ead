package org.systole.hostha.cib;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.systole.common.options.Nvpairs;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.hostha.WorkKind;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Setting;

/// Whether fence devices that hosts share can do in time what may be wanted of them at once. What waits at a device for longer than its
/// time counts as failed: a host is fenced for it that a power cycle would have brought back.
final class SharedDevices {
  /// An action that switches power is reckoned to take no less than this.
  private static final long ACTION_MS = 10_000;

  private static final long SECOND = 1000;

  private final Element cib;

  SharedDevices(Element cib) {
    this.cib = cib;
  }

  List<String> doubts(Configuration whole) {
    var found = new ArrayList<String>();
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      for (var device : primitives(resources)) {
        var limit = limit(value(device, "pcmk_action_limit"));
        var hosts = limit > 0 ? hosts(whole, device) : List.<HostEntry>of();
        if (hosts.size() > 1) {
          doubt(whole, device, hosts, limit, WorkKind.RECOVERY, Setting.RECOVERY_MIN, found);
          doubt(whole, device, hosts, limit, WorkKind.FENCE, Setting.FENCE_MIN, found);
        }
      }
    }
    return found;
  }

  private static List<Element> primitives(Element in) {
    var all = new ArrayList<Element>();
    for (var child : in.children()) {
      if (child.is("primitive") && "stonith".equals(child.get("class"))) {
        all.add(child);
      } else {
        all.addAll(primitives(child));
      }
    }
    return all;
  }

  private static void doubt(
      Configuration whole, Element device, List<HostEntry> hosts, long limit, WorkKind kind, Setting least, List<String> found) {
    var shortest = Long.MAX_VALUE;
    var longest = ACTION_MS;
    for (var host : hosts) {
      var values = whole.valuesOf(host);
      shortest = Math.min(shortest, values.ms(kind.timeout()));
      longest = Math.max(longest, values.ms(least));
    }
    var values = whole.values();
    var sick = Math.max(1, values.of(hosts.size(), Setting.SICK_RATIO)); // more, and nothing is done at all
    var atOnce = Math.min(values.count(kind.concurrent()), sick);
    var can = Math.max(1, shortest / longest * limit);
    if (atOnce > can) {
      found.add(
          "%s: this fence device of %d hosts does %d action%s at a time (pcmk_action_limit), and %d may wait for it at once: what takes longer than %s (%d s) in all counts as failed. Set %s to %d, or pcmk_action_limit to what the device can do"
              .formatted(
                  device.get("id", ""),
                  hosts.size(),
                  limit,
                  limit == 1 ? "" : "s",
                  atOnce,
                  kind.timeout().text(),
                  shortest / SECOND,
                  kind.concurrent().text(),
                  can));
    }
  }

  /// How many actions a device does at a time; below zero for any number.
  private static long limit(String text) {
    var limit = Numbers.parse(text.strip(), 1);
    return limit == 0 ? 1 : limit;
  }

  /// The hosts that a device says itself are its own, and that host HA looks after. They are gone through, and not all
  /// hosts: there may be as many devices as hosts.
  private static List<HostEntry> hosts(Configuration whole, Element device) {
    var names = new TreeSet<NodeName>();
    for (var part : (value(device, "pcmk_host_list") + " " + value(device, "pcmk_host_map")).split("[ ,;\t\n]+")) {
      var colon = part.indexOf(':');
      var name = NodeName.of(colon < 0 ? part : part.substring(0, colon));
      if (name != null) {
        names.add(name);
      }
    }
    var hosts = new ArrayList<HostEntry>();
    for (var name : names) {
      var host = whole.hosts().get(name);
      if (host != null && whole.valuesOf(host).is(Setting.ENABLED)) {
        hosts.add(host);
      }
    }
    return hosts;
  }

  private static String value(Element device, String name) {
    return Objects.requireNonNullElse(Nvpairs.first(device, "instance_attributes", name), "");
  }
}
