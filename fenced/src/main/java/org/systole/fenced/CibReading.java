package org.systole.fenced;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.DatedRules;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// When devices and topology have to be read again: the configuration changed, the time of day did
/// and rules go by it, or attributes that nodes have until they leave did. By this node's own, rules
/// may keep it from a device; by other nodes', they may be targets of a level. A CIB shares with
/// the one before what did not change.
final class CibReading {
  private final DatedRules datedRules;
  private @Nullable Element configuration;
  private boolean hasRules;
  private boolean hasTargetsByAttribute;
  private List<Element> attributes = List.of();

  CibReading(World world, Runnable read) {
    this.datedRules = new DatedRules(world, read);
  }

  boolean isDue(Element cib, NodeName local) {
    return cib.first("configuration") != configuration || !areThose(attributes(cib, local));
  }

  void done(Element cib, NodeName local) {
    if (cib.first("configuration") != configuration) {
      configuration = cib.first("configuration");
      hasRules = has("constraints", "rule") || has("resources", "rule");
      hasTargetsByAttribute = has("fencing-topology", "fencing-level");
    }
    attributes = attributes(cib, local);
    datedRules.watch(cib);
  }

  private boolean has(String section, String element) {
    var part = configuration == null ? null : configuration.first(section);
    return part != null
        && part.find(
                it ->
                    it.is(element) && (it.is("rule") || it.get("target-attribute") != null))
            != null;
  }

  private boolean areThose(List<Element> now) {
    if (now.size() != attributes.size()) {
      return false;
    }
    for (var at = 0; at < now.size(); at++) {
      if (now.get(at) != attributes.get(at)) {
        return false;
      }
    }
    return true;
  }

  /// The attributes by which something goes.
  private List<Element> attributes(Element cib, NodeName local) {
    var status = cib.first("status");
    if (status == null || !hasRules && !hasTargetsByAttribute) {
      return List.of();
    }
    var found = new ArrayList<Element>();
    for (var state : status.children("node_state")) {
      var passing = state.first("transient_attributes");
      if (passing != null
          && (hasTargetsByAttribute || local.text().equalsIgnoreCase(state.get("uname", "")))) {
        found.add(passing);
      }
    }
    return found;
  }
}
