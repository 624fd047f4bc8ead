package org.systole.controld;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.hosts.HostHa;
import org.systole.controld.io.PeerMessage;
import org.systole.hostha.cib.SetupReader;

/// Measures what host HA costs a DC: the part of the DC that ships, on hosts that are made up, with answers that
/// take 100 ms of made-up time, and real processor time: `./systole bench hosts`.
///
/// Not in these figures: the network, the agents, and the CIB manager, which takes every change at once.
public final class HostBenchMain implements HostHa.Host {
  private static final List<Integer> SIZES = List.of(500, 1000, 2000, 5000);
  private static final int SUSPECTS = 200;
  private static final int RACK = 50;
  private static final int INTERVAL = 10;
  private static final int CHANGES = 5;
  private static final long MILLI = 1_000_000;
  private static final long ANSWER = 100 * MILLI;
  private static final long SECOND = 1000 * MILLI;
  private static final long WARM = 120 * SECOND;
  private static final long MEASURED = 600 * SECOND;

  /// With the settings as they come: ten looks, the waits before them doubling from 10 s to 60 s.
  private static final long WAITS = (10 + 20 + 40 + 7 * 60) * SECOND;

  private static final int LOOKS = 10;
  private static final NodeName SELF = new NodeName("node1");

  private final HostBenchWorld world = new HostBenchWorld();
  private final Set<NodeName> unwell = new TreeSet<>();
  private final Set<NodeName> dead = new TreeSet<>();
  private final Map<String, Long> told = new TreeMap<>();
  private final int hosts;
  private final Element cib;
  private final HostHa ha;
  private long healthChecks;
  private long activityChecks;

  /// How hosts are fenced.
  private enum Devices {
    ANY("a device that lists no hosts"),
    SHARED("one device that lists them all"),
    EACH("a device each");

    private final String words;

    Devices(String words) {
      this.words = words;
    }
  }

  private HostBenchMain(int hosts, Devices devices) {
    this.hosts = hosts;
    this.cib = configuration(hosts, devices);
    this.ha = new HostHa(world, this);
  }

  /// Measures, and prints what it cost.
  public static void run() {
    for (var round = 0; round < 2; round++) { // the first ones are for the compiler
      new HostBenchMain(SIZES.getFirst(), Devices.ANY).measure(SUSPECTS);
    }
    System.out.printf(
        Locale.ROOT,
        "%6s %8s %16s %11s %9s %11s %9s%n",
        "hosts", "suspects", "health checks/s", "activity/s", "cpu", "us a check", "memory");
    for (var suspects : new int[] {0, SUSPECTS}) {
      var costs = new TreeMap<Integer, Double>();
      for (var size : SIZES) {
        costs.put(size, new HostBenchMain(size, Devices.ANY).measure(suspects));
      }
      System.out.printf(
          Locale.ROOT,
          "%d hosts cost %.1f times what %d cost%n",
          SIZES.getLast(), costs.lastEntry().getValue() / costs.firstEntry().getValue(), SIZES.getFirst());
    }
    for (var size : SIZES) {
      new HostBenchMain(size, Devices.ANY).crash();
    }
    changes();
  }

  /// What a change of the configuration costs the DC, which asks whether devices can do what may be wanted of them.
  public static void changes() {
    for (var devices : Devices.values()) {
      changes(SIZES.getFirst(), devices); // for the compiler
    }
    for (var devices : Devices.values()) {
      var costs = new TreeMap<Integer, Double>();
      for (var size : SIZES) {
        costs.put(size, changes(size, devices));
      }
      System.out.printf(
          Locale.ROOT,
          "%s: a change costs %.1f times as much with %d hosts as with %d%n",
          devices.words, costs.lastEntry().getValue() / costs.firstEntry().getValue(), SIZES.getLast(), SIZES.getFirst());
    }
  }

  // Figures

  /// @return the processor time that was spent, in nanoseconds
  private double measure(int suspects) {
    begin();
    for (var at = 0; at < suspects; at++) { // spread over all racks
      unwell.add(name((int) ((long) at * hosts / suspects)));
    }
    world.run(WARM);
    healthChecks = 0;
    activityChecks = 0;
    var before = cpu();
    world.run(MEASURED);
    var spent = cpu() - before;
    var seconds = (double) MEASURED / SECOND;
    System.out.printf(
        Locale.ROOT,
        "%6d %8d %7.1f of %5.1f %11.1f %7.2f %% %11.2f %6d MB%n",
        hosts,
        count("AVAILABLE"),
        healthChecks / seconds,
        (double) hosts / INTERVAL,
        activityChecks / seconds,
        spent / 1e7 / seconds,
        spent / 1e3 / Math.max(1, healthChecks + activityChecks),
        memory());
    return spent;
  }

  private long count(String without) {
    var all = ha.hosts(new CtlMessage.HostsQuery(null, true)) instanceof CtlMessage.Hosts(var known, _, _) ? known : List.<CtlMessage.HaHost>of();
    return all.stream().filter(it -> !it.state().equals(without)).count();
  }

  /// How long it takes from a crash until the host is RECOVERING, and how much of it is not waited on purpose.
  private void crash() {
    begin();
    world.run(WARM);
    var victim = name(hosts / 2);
    var crashed = world.nanoTime();
    dead.add(victim);
    while (!told.containsKey(victim + " RECOVERING") && world.nanoTime() < crashed + 2 * MEASURED) {
      world.run(100 * MILLI);
      look(victim);
    }
    var suspect = told.getOrDefault(victim + " SUSPECT", -1L);
    var recovering = told.getOrDefault(victim + " RECOVERING", -1L);
    System.out.printf(
        Locale.ROOT,
        "%d hosts: %.1f s from a crash to RECOVERING: %.1f s to the next health check, %.1f s waits, %.1f s looks, %.1f s ours%n",
        hosts,
        (recovering - crashed) / 1e9,
        (suspect - crashed) / 1e9,
        WAITS / 1e9,
        LOOKS * ANSWER / 1e9,
        (recovering - suspect - WAITS - LOOKS * ANSWER) / 1e9);
  }

  private void look(NodeName victim) {
    if (ha.hosts(new CtlMessage.HostsQuery(null, true)) instanceof CtlMessage.Hosts(var known, _, _)) {
      for (var host : known) {
        if (host.name().equals(victim)) {
          told.putIfAbsent(victim + " " + host.state(), world.nanoTime());
        }
      }
    }
  }

  /// @return the processor time of the quickest of some changes, in nanoseconds
  private static double changes(int size, Devices devices) {
    var bench = new HostBenchMain(size, devices);
    bench.begin();
    bench.world.run(WARM);
    var other = configuration(size, devices);
    var reading = Long.MAX_VALUE;
    var taking = Long.MAX_VALUE;
    for (var round = 0; round < CHANGES; round++) {
      var before = cpu();
      SetupReader.read(bench.cib);
      reading = Math.min(reading, cpu() - before);
      before = cpu();
      bench.ha.cibChanged(bench.cib, other);
      bench.ha.cibChanged(other, bench.cib);
      taking = Math.min(taking, (cpu() - before) / 2);
    }
    System.out.printf(
        Locale.ROOT,
        "%d hosts with %s: %.1f ms to read their configuration, %.1f ms to take a change of it%n",
        size, devices.words, reading / 1e6, taking / 1e6);
    return taking;
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long memory() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
  }

  // The cluster

  private void begin() {
    ha.tookOver();
  }

  private static NodeName name(int number) {
    return new NodeName(String.format(Locale.ROOT, "host%05d", number));
  }

  private static Element configuration(int hosts, Devices devices) {
    var nodes = new StringBuilder();
    var connections = new StringBuilder();
    var states = new StringBuilder();
    for (var at = 0; at < hosts; at++) {
      var id = name(at);
      nodes.append(
          "<node id=\"%1$s\" uname=\"%1$s\" type=\"remote\"><instance_attributes id=\"%1$s-a\"><nvpair id=\"%1$s-p\" name=\"pod\" value=\"r%2$d\"/></instance_attributes></node>"
              .formatted(id, at / RACK));
      connections.append(
          "<primitive id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"remote\"/>".formatted(id));
      states.append(
          "<node_state id=\"%1$s\" uname=\"%1$s\" remote_node=\"true\" in_ccm=\"1000\" connection=\"node1\"/>"
              .formatted(id));
    }
    try {
      return XmlReader.parse(CIB.formatted(nodes, devices(hosts, devices), connections, states));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String devices(int hosts, Devices devices) {
    var names = IntStream.range(0, hosts).mapToObj(at -> name(at).text());
    return switch (devices) {
      case ANY -> device("f", "");
      case SHARED -> device("f", names.collect(Collectors.joining(" ")));
      case EACH -> names.map(it -> device("f-" + it, it)).collect(Collectors.joining());
    };
  }

  private static String device(String id, String hosts) {
    return "<primitive id=\"%1$s\" class=\"stonith\" type=\"fence_x\"><instance_attributes id=\"%1$s-a\"><nvpair id=\"%1$s-l\" name=\"pcmk_host_list\" value=\"%2$s\"/></instance_attributes></primitive>"
        .formatted(id, hosts);
  }

  private static final String CIB =
      """
      <cib><configuration><crm_config><cluster_property_set id="o">
        <nvpair id="o1" name="ha.enabled" value="true"/>
        <nvpair id="o2" name="ha.volumes" value="/srv/disk"/>
        <nvpair id="o3" name="ha.power.check.interval" value="0"/>
        <nvpair id="o4" name="kvm.ha.accepted.problematic.hosts.ratio" value="1"/>
      </cluster_property_set></crm_config><nodes>%s</nodes><resources>
        %s%s</resources><constraints/></configuration>
        <status>%s</status></cib>
      """;

  @Override
  public void send(NodeId node, PeerMessage message) {
    if (message instanceof PeerMessage.RunAgent asked) {
      world.after(Duration.ofNanos(ANSWER), () -> ha.ran(answer(asked)));
    }
  }

  private PeerMessage.AgentRan answer(PeerMessage.RunAgent asked) {
    var call = asked.call();
    var action = call == null ? "" : call.action().text();
    if (action.equals("health")) {
      healthChecks++;
      if (unwell.contains(asked.node()) || dead.contains(asked.node())) {
        return ran(asked, false, "");
      }
    }
    if (call != null && action.equals("activity")) {
      activityChecks++;
      var about = new NodeName(call.parameters().getOrDefault("host", ""));
      var stamp = dead.contains(about) ? 1 : world.nanoTime(); // who writes is degraded
      var age = dead.contains(about) ? 10_000 : 0;
      return ran(asked, true, "volume=/srv/disk stamp=%d age=%d".formatted(stamp, age));
    }
    return ran(asked, true, "");
  }

  private static PeerMessage.AgentRan ran(PeerMessage.RunAgent asked, boolean reached, String output) {
    var status = reached ? ExecStatus.DONE : ExecStatus.NOT_CONNECTED;
    return new PeerMessage.AgentRan(asked.number(), reached, 0, status, "", output);
  }

  @Override
  public @Nullable Element cib() {
    return cib;
  }

  @Override
  public long epoch() {
    return 1;
  }

  @Override
  public List<NodeId> online() {
    return List.of(new NodeId(1));
  }

  @Override
  public boolean knowPowerReads() {
    return false;
  }

  @Override
  public boolean knowHostHa() {
    return true;
  }

  @Override
  public boolean knowQuorumWanted() {
    return true;
  }

  @Override
  public boolean hasQuorum() {
    return true;
  }

  @Override
  public boolean isInMaintenance() {
    return false;
  }

  @Override
  public void writeAsDc(List<CibOp> changes, Consumer<Boolean> done) {
    world.after(Duration.ofNanos(5 * MILLI), () -> done.accept(true));
  }

  @Override
  public void forgetAttributes(NodeName node) {}

  @Override
  public void alert(@Nullable NodeName host, String text) {}

  @Override
  public NodeName nodeName() {
    return SELF;
  }

  @Override
  public @Nullable NodeId nodeId(NodeName name) {
    return new NodeId(1);
  }

  @Override
  public boolean isOnline(NodeId id) {
    return true;
  }

  @Override
  public long membershipNumber() {
    return 1;
  }
}
