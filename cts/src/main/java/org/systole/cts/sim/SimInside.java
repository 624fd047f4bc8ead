package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// The guests of a random cluster.
///
/// @param machine whether there is a virtual machine `vm`, which is the guest node `inside`
/// @param migrates whether that is moved live
/// @param replicas how many containers the bundle `box` has, 0 for no bundle
/// @param promotable whether what runs in them is promoted in one
/// @param weighs whether the configuration has an entry for `inside` among the nodes, with permanent
/// attributes, and only there what runs in it has room
record SimInside(boolean machine, boolean migrates, int replicas, boolean promotable, boolean weighs) {
  static final SimInside NOTHING = new SimInside(false, false, 0, false, false);

  private static final String WEIGHT =
      "<utilization id=\"in-weighs\"><nvpair id=\"in-cpu\" name=\"cpu\" value=\"2\"/></utilization>";

  private static final String ENTRY =
      """
      <node id="inside" uname="inside" type="remote">
        <instance_attributes id="nodes-inside"><nvpair id="nodes-inside-kind" name="kind" value="guest"/></instance_attributes>
        <utilization id="inside-holds"><nvpair id="inside-cpu" name="cpu" value="4"/></utilization>
      </node>
      """;

  private static final String PLACEMENT =
      """
      <cluster_property_set id="placement">
        <nvpair id="placement-strategy" name="placement-strategy" value="utilization"/>
      </cluster_property_set>
      """;

  private static final int PERCENT = 100;
  private static volatile boolean everywhere;

  /// Has every cluster from now on have guests, and more happen to them.
  static void everywhere() {
    everywhere = true;
  }

  static boolean isEverywhere() {
    return everywhere;
  }

  /// By a stream of chance of its own, so that it moves nothing else in a seed.
  static SimInside of(long seed) {
    var random = new SplittableRandom(seed * 0x2545F4914F6CDD1DL + 31);
    if (random.nextInt(PERCENT) >= 30 && !everywhere) {
      return NOTHING;
    }
    var machine = random.nextInt(PERCENT) < 70;
    var migrates = random.nextBoolean();
    var replicas = !machine || random.nextInt(PERCENT) < 30 ? 1 + random.nextInt(2) : 0;
    var promotable = random.nextBoolean();
    var weighs = machine && random.nextInt(PERCENT) < 40;
    return new SimInside(machine, machine && migrates, replicas, promotable, weighs);
  }

  boolean isThere() {
    return machine || replicas > 0;
  }

  /// As the first comments of a script name them: each with what runs it.
  List<String> names() {
    var names = new ArrayList<String>();
    if (machine) {
      names.add("inside=vm");
    }
    for (var replica = 0; replica < replicas; replica++) {
      names.add("box-%1$d=box-docker-%1$d".formatted(replica));
    }
    return names;
  }

  /// Adds the guests of these names.
  static void add(SimCluster cluster, List<String> names) {
    for (var each : names) {
      var parts = each.split("=");
      cluster.outside().guest(parts[0], parts[1]);
    }
  }

  /// The configuration with what runs them, and what runs in them.
  Element into(Element cib) {
    var changed = cib;
    if (machine) {
      changed = with(changed, "resources", machineText());
      changed = with(changed, "resources", primitive("in", "Dummy", weighs ? WEIGHT : ""));
      changed =
          with(
              changed,
              "constraints",
              "<rsc_location id=\"in-inside\" rsc=\"in\" node=\"inside\" score=\"100\"/>");
    }
    if (weighs) {
      changed = with(changed, "nodes", ENTRY);
      changed = with(changed, "crm_config", PLACEMENT);
    }
    return replicas == 0 ? changed : with(changed, "resources", bundleText());
  }

  private String machineText() {
    var live =
        migrates
            ? """
              <nvpair id="vm-migrates" name="allow-migrate" value="true"/>
              <nvpair id="vm-remote" name="remote-allow-migrate" value="true"/>
              """
            : "";
    return primitive(
        "vm",
        "VirtualDomain",
        """
        <meta_attributes id="vm-meta">
          <nvpair id="vm-guest" name="remote-node" value="inside"/>
          <nvpair id="vm-timeout" name="remote-connect-timeout" value="20s"/>%s
        </meta_attributes>
        """
            .formatted(live));
  }

  private String bundleText() {
    return """
    <bundle id="box">
      <docker image="local/web" replicas="%d"%s/>
      <network control-port="9999"/>
      %s
    </bundle>
    """
        .formatted(
            replicas,
            promotable ? " promoted-max=\"1\"" : "",
            primitive("web", promotable ? "Stateful" : "Dummy", ""));
  }

  private static String primitive(String id, String type, String more) {
    return """
    <primitive id="%1$s" class="ocf" provider="pacemaker" type="%2$s">%3$s
      <operations><op id="%1$s-monitor" name="monitor" interval="10s" timeout="20s"/></operations>
    </primitive>
    """
        .formatted(id, type, more);
  }

  private static Element with(Element cib, String section, String text) {
    try {
      return with(cib, section, XmlReader.parse(text));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The configuration with something more in a section.
  static Element with(Element cib, String section, Element what) {
    var configuration = part(cib, "configuration");
    var parent = part(configuration, section);
    var all = configuration.replace(configuration.indexOf(parent), parent.plus(what));
    return cib.replace(cib.indexOf(configuration), all);
  }

  private static Element part(Element of, String name) {
    var part = of.first(name);
    if (part == null) {
      throw new IllegalStateException("there is no " + name);
    }
    return part;
  }

  @Override
  public String toString() {
    return (machine ? migrates ? ", a guest that is moved live" : ", a guest" : "")
        + (weighs ? " with room" : "")
        + (replicas == 0 ? "" : ", a bundle of " + replicas + (promotable ? ", promotable" : ""));
  }
}
