package org.systole.common.cluster;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// The settings of a cluster configuration file under the names that corosync's cmap gives them:
/// `totem.token`, `nodelist.node.0.ring0_addr`.
public final class ConfigKeys {
  private static final Set<String> NUMBERED = Set.of("node", "interface", "logger_subsys");

  private ConfigKeys() {}

  /// @return name to value, in the order of the file; of several of one name the last one
  /// @throws ClusterConfigException if the text is not in the file's syntax
  public static Map<String, String> of(String text) throws ClusterConfigException {
    var keys = new LinkedHashMap<String, String>();
    collect("", ConfigSection.parse("corosync.conf", text), keys);
    return keys;
  }

  private static void collect(String path, ConfigSection section, Map<String, String> into) {
    section.settings().forEach(it -> into.put(path + it.key(), it.value()));
    var counts = new HashMap<String, Integer>();
    for (var inner : section.sections()) {
      var name = inner.name();
      if (NUMBERED.contains(name)) {
        var number = counts.merge(name, 1, Integer::sum) - 1;
        collect(path + name + "." + number(inner, number) + ".", inner, into);
      } else {
        collect(path + name + ".", inner, into);
      }
    }
  }

  /// An interface says its own number, a node is numbered by its place.
  private static String number(ConfigSection section, int place) {
    for (var key : new String[] {"linknumber", "ringnumber"}) {
      var setting = section.name().equals("interface") ? section.setting(key) : null;
      if (setting != null) {
        return setting.value();
      }
    }
    return Integer.toString(place);
  }
}
