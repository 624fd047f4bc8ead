package org.systole.cts.sim;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// A random cluster that has nothing but hosts that host HA looks after, and what runs on them.
///
/// @param hosts how many, `h1` and so on; 0 for a cluster without host HA
/// @param zones whether each half of them is a zone of its own
/// @param looks how many looks make an investigation
/// @param perMille the share of looks, of a thousand, that may see nothing
/// @param recoveries how many power cycles are tried before a host is fenced
/// @param sickPerMille the share of sick hosts above which nothing is done
/// @param atATime how many power operations of a kind may run at a time
/// @param more other settings, by their names
record SimHostHa(
    int hosts,
    boolean zones,
    int looks,
    int perMille,
    int recoveries,
    int sickPerMille,
    int atATime,
    Map<String, String> more) {
  static final SimHostHa NOTHING = new SimHostHa(0, false, 0, 0, 0, 0, 0, Map.of());

  private static final int PERCENT = 100;
  private static final int SHARE = 8;
  private static final double PER_MILLE = 1000;
  private static final int POWER_TIMEOUT = 12; // shorter than a daemon may be silent

  /// By a stream of chance of its own, so that it moves nothing in a seed that has none of it.
  ///
  /// @param always whether each seed is one of host HA
  static SimHostHa of(long seed, boolean always) {
    var random = new SplittableRandom(seed * 0x9FB21C651E98DF25L + 37);
    if (random.nextInt(PERCENT) >= SHARE && !always) {
      return NOTHING;
    }
    var hosts = random.nextInt(PERCENT) < 75 ? 3 + random.nextInt(2) : 6 + random.nextInt(3);
    var more = new TreeMap<String, String>();
    var interval = 5 + random.nextInt(6);
    more.put("ha.health.check.interval", Integer.toString(interval));
    more.put("kvm.ha.health.check.timeout", Integer.toString(3 + random.nextInt(6)));
    more.put("kvm.ha.activity.check.interval", Integer.toString(4 + random.nextInt(5)));
    more.put("kvm.ha.activity.check.timeout", "6");
    more.put("kvm.ha.degraded.max.period", Integer.toString(30 + random.nextInt(60)));
    more.put("kvm.ha.recover.wait.period", "60");
    more.put("kvm.ha.recovery.timeout", Integer.toString(POWER_TIMEOUT));
    more.put("kvm.ha.fence.timeout", Integer.toString(POWER_TIMEOUT));
    more.put("ha.retry.first.interval", "3");
    more.put("ha.retry.max.interval", "20");
    more.put("ha.power.check.interval", random.nextInt(PERCENT) < 10 ? "0" : "15");
    more.put("ha.eligibility.check.interval", "20");
    draw(random, 10, more, "ha.max.concurrent.activity.check.operations", "1");
    draw(random, 10, more, "ha.max.concurrent.health.check.operations", "1");
    draw(random, 10, more, "ha.max.pending.recovery.operations", "1");
    draw(random, 10, more, "ha.max.pending.activity.check.operations", "1");
    draw(random, 10, more, "ha.max.pending.health.check.operations", "2");
    return new SimHostHa(
        hosts,
        hosts >= 4 && random.nextBoolean(),
        3 + random.nextInt(2),
        random.nextInt(PERCENT) < 70 ? 700 : 500,
        random.nextInt(PERCENT) < 80 ? 1 : 2,
        List.of(300, 300, 600, 1000).get(random.nextInt(4)),
        random.nextInt(PERCENT) < 30 ? 1 : 25,
        more);
  }

  private static void draw(
      SplittableRandom random, int percent, Map<String, String> to, String name, String value) {
    if (random.nextInt(PERCENT) < percent) {
      to.put(name, value);
    }
  }

  boolean isThere() {
    return hosts > 0;
  }

  List<String> names() {
    return IntStream.rangeClosed(1, hosts).mapToObj(it -> "h" + it).toList();
  }

  /// The zone that a host is in; empty if there is none.
  String zone(String host) {
    var at = names().indexOf(host) + 1;
    return !zones ? "" : at <= hosts / 2 ? "east" : "west";
  }

  double ratio() {
    return perMille / PER_MILLE;
  }

  double sickRatio() {
    return sickPerMille / PER_MILLE;
  }

  /// How long a power operation may take, in seconds; then it is given up.
  long powerTimeout() {
    return POWER_TIMEOUT;
  }

  Map<String, String> settings() {
    var all = new TreeMap<>(more);
    all.put("ha.enabled", "true");
    all.put("ha.provider", "simulated");
    all.put("ha.volumes", "/srv/one,/srv/two");
    all.put("kvm.ha.activity.check.max.attempts", Integer.toString(looks));
    all.put("kvm.ha.activity.check.failure.ratio", Double.toString(ratio()));
    all.put("kvm.ha.recover.failure.threshold", Integer.toString(recoveries));
    all.put("kvm.ha.accepted.problematic.hosts.ratio", Double.toString(sickRatio()));
    all.put("ha.max.concurrent.recovery.operations", Integer.toString(atATime));
    all.put("ha.max.concurrent.fence.operations", Integer.toString(atATime));
    return all;
  }

  /// The configuration of such a cluster.
  Element cib(int members) {
    var options = new StringBuilder();
    settings().forEach((name, value) -> options.append(pair("ha-" + name, name, value)));
    var nodes = new StringBuilder();
    var machines = new StringBuilder();
    for (var id = 1; id <= members; id++) {
      nodes.append("<node id=\"%1$d\" uname=\"node%1$d\"/>".formatted(id));
      machines.append("node").append(id).append(' ');
    }
    var resources = new StringBuilder();
    var constraints = new StringBuilder();
    for (var at = 1; at <= hosts; at++) {
      machines.append("h").append(at).append(' ');
      resources.append(connection(at));
      if (zones) {
        nodes.append(zoneAttribute(at, zone("h" + at)));
      }
    }
    for (var at = 1; at <= 3; at++) {
      resources.append(resource("v" + at));
      constraints.append(
          "<rsc_location id=\"v%1$d-h%1$d\" rsc=\"v%1$d\" node=\"h%1$d\" score=\"100\"/>".formatted(at));
    }
    try {
      return XmlReader.parse(
          TEXT.formatted(options, nodes, machines.toString().strip(), resources, constraints));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  static String pair(String id, String name, String value) {
    return "<nvpair id=\"%s\" name=\"%s\" value=\"%s\"/>".formatted(id, name, value);
  }

  private static String zoneAttribute(int at, String name) {
    return """
    <node id="h%1$d" uname="h%1$d" type="remote">
      <instance_attributes id="nodes-h%1$d">%2$s</instance_attributes>
    </node>
    """
        .formatted(at, pair("h%d-zone".formatted(at), "zone", name));
  }

  private static String connection(int at) {
    return """
    <primitive id="h%1$d" class="ocf" provider="pacemaker" type="remote">
      <operations>
        <op id="h%1$d-start" name="start" interval="0" timeout="20s"/>
        <op id="h%1$d-monitor" name="monitor" interval="10s" timeout="15s"/>
      </operations>
    </primitive>
    """
        .formatted(at);
  }

  private static String resource(String id) {
    return """
    <primitive id="%1$s" class="ocf" provider="pacemaker" type="Dummy">
      <operations><op id="%1$s-monitor" name="monitor" interval="20s" timeout="20s"/></operations>
    </primitive>
    """
        .formatted(id);
  }

  private static final String TEXT =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0" crm_feature_set="3.20.2">
        <configuration>
          <crm_config>
            <cluster_property_set id="cib-bootstrap-options">
              <nvpair id="opt-fencing" name="fencing-enabled" value="true"/>
              <nvpair id="opt-fence-timeout" name="fencing-timeout" value="60s"/>
              <nvpair id="opt-recheck" name="cluster-recheck-interval" value="1min"/>
              <nvpair id="opt-error" name="pe-error-series-max" value="0"/>
              <nvpair id="opt-warn" name="pe-warn-series-max" value="0"/>
              <nvpair id="opt-input" name="pe-input-series-max" value="0"/>
              %s
            </cluster_property_set>
          </crm_config>
          <nodes>%s</nodes>
          <resources>
            <primitive id="fencing" class="stonith" type="fence_sim">
              <instance_attributes id="fencing-params">
                <nvpair id="fencing-hosts" name="pcmk_host_list" value="%s"/>
              </instance_attributes>
              <operations><op id="fencing-monitor" name="monitor" interval="60s" timeout="20s"/></operations>
            </primitive>
            %s
          </resources>
          <constraints>%s</constraints>
        </configuration>
        <status/>
      </cib>
      """;

  @Override
  public String toString() {
    return hosts == 0
        ? ""
        : ", host HA of %d hosts%s, %d looks, ratio %.1f, %d recoveries, sick %.1f, %d at a time %s"
            .formatted(
                hosts, zones ? " in two zones" : "", looks, ratio(), recoveries, sickRatio(), atATime, more);
  }
}
