package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.cib.CibXPath;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// Hosts that host HA looks after: each has power, a network, an executor, a heart that beats on a
/// volume that all share, and a resource of its own.
final class LabHosts {
  /// What is set where a scenario needs nothing else.
  ///
  /// @param provider the name of host HA's provider
  /// @param patience how many seconds a host has to come back after a power cycle
  /// @param recoveries how many power cycles it gets
  record Settings(String provider, int patience, int recoveries) {
    static final Settings USUAL = new Settings("activity-file", 60, 1);
  }

  private static final int COUNT = 3;

  private final Lab lab;
  private final SortedMap<String, LocalNode> hosts = new TreeMap<>();

  private LabHosts(Lab lab) {
    this.lab = lab;
  }

  /// Makes and starts them, and waits until host HA holds all of them to be well and each runs its
  /// resource.
  static LabHosts begin(Lab lab, Settings settings) throws IOException {
    var made = new LabHosts(lab);
    try {
      made.start();
      made.configure(settings);
    } catch (IOException | RuntimeException | AssertionError e) {
      made.close();
      throw e;
    }
    return made;
  }

  private void start() throws IOException {
    LabHome.remove(volume());
    for (var number = 1; number <= COUNT; number++) {
      var host = lab.addHost("host" + number);
      hosts.put(host.name(), host);
      new LocalHost(host, lab.dir()).prepare();
    }
    write(lab.dir().resolve("look"), LabHome.text("look"));
    FarHost.giveKey(lab, hosts.values().toArray(LocalNode[]::new));
    for (var host : hosts.values()) {
      host.start();
    }
  }

  private static void write(Path program, String text) throws IOException {
    Files.writeString(program, text);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String text(String file, LocalNode host) throws IOException {
    return LabHome.text(file)
        .replace("@DIRECTORY@", lab.dir().toString())
        .replace("@ADDRESS@", host.address())
        .replace("@HOST@", host.name())
        .replace("@TENANT@", tenant(host.name()));
  }

  private void configure(Settings settings) throws IOException {
    fenceable(String.join(" ", hosts.keySet()));
    for (var host : hosts.values()) {
      load(text("host.xml", host));
    }
    load(
        LabHome.text("host-ha.xml")
            .replace("@DIRECTORY@", lab.dir().toString())
            .replace("@PROVIDER@", settings.provider())
            .replace("@RECOVERIES@", Integer.toString(settings.recoveries()))
            .replace("@WAIT@", Integer.toString(settings.patience())));
    for (var host : hosts.keySet()) {
      lab.await(
          host + " available, and its resource there",
          it -> is(it, host, "AVAILABLE") && runs(it, host, host) && !it.isPending());
    }
  }

  private void load(String text) throws IOException {
    var loaded = lab.nodes().getFirst().configure(text);
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
  }

  /// Tells the fence device whom it can switch off besides the members.
  private void fenceable(String more) throws IOException {
    var names = (String.join(" ", Run.names(lab.nodes())) + " " + more).strip();
    var first = lab.nodes().getFirst();
    Lab.succeed(first, "crm_resource", "-r", "power", "-p", "pcmk_host_list", "-v", names);
  }

  private Path volume() {
    return LocalHost.volume(lab.dir());
  }

  LocalNode host(String name) {
    var found = hosts.get(name);
    if (found == null) {
      throw new LabFailure("there is no host " + name);
    }
    return found;
  }

  List<String> names() {
    return List.copyOf(hosts.keySet());
  }

  List<String> tenants() {
    return hosts.keySet().stream().map(LabHosts::tenant).toList();
  }

  /// The resource that belongs on a host.
  static String tenant(String host) {
    return "tenant-" + host;
  }

  /// Whether host HA has the host in one of these states.
  static boolean is(Snapshot seen, String host, String... states) {
    return List.of(states).contains(state(seen, host));
  }

  /// What the CIB's status says; empty for nothing.
  static String state(Snapshot seen, String host) {
    var status = HostStatus.of(seen.cib(), new NodeName(host));
    return status == null ? "" : status.state();
  }

  /// Whether the cluster says that a host's resource runs there.
  static boolean runs(Snapshot seen, String host, String where) {
    return seen.activeOn(tenant(host)).equals(List.of(where));
  }

  // Faults

  /// Nothing of it does anything any more, but its power is on.
  void crash(String name) throws IOException {
    machine(name).crash();
  }

  /// It goes on as if nothing had been.
  void goOn(String name) throws IOException {
    machine(name).goOn();
  }

  private LocalHost machine(String name) {
    return new LocalHost(host(name), lab.dir());
  }

  /// It has no power, and gets none.
  void unplug(String name) throws IOException {
    Files.delete(host(name).dir().resolve("start.sh"));
    host(name).kill();
    lab.evidence().dead(name);
  }

  /// Switched on, it comes no further than to have power.
  void breakDown(String name, boolean broken) throws IOException {
    machine(name).breakDown(broken);
  }

  void cable(String name, boolean whole) throws IOException {
    lab.hostCable(name, whole);
  }

  /// Takes the volume away from all of them, or gives it back.
  void storage(boolean there) throws IOException {
    var gone = lab.dir().resolve("volume.gone");
    if (there) {
      Files.move(gone, volume());
    } else {
      Files.move(volume(), gone);
    }
  }

  /// Every later look of the provider `generic` takes so long.
  void slowLooks(int seconds) throws IOException {
    Files.writeString(volume().resolve("delay"), Integer.toString(seconds));
  }

  /// Removes all that was configured; the hosts are switched off then.
  void end() throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    FarHost.delete(first, "//cluster_property_set[@id='lab-host-ha']");
    lab.await(
        "host HA off",
        it -> hosts.keySet().stream().allMatch(host -> state(it, host).isEmpty()));
    FarHost.delete(first, "//rsc_location[starts-with(@id,'far-tenant-')]");
    FarHost.delete(first, "//primitive[starts-with(@id,'tenant-')]");
    lab.await(
        "their resources stopped",
        it -> tenants().stream().allMatch(tenant -> it.activeOn(tenant).isEmpty()));
    for (var host : hosts.keySet()) {
      FarHost.delete(first, "//primitive[@id=%s]".formatted(CibXPath.literal(host)));
    }
    lab.await(
        "their connections closed",
        it -> hosts.keySet().stream().allMatch(host -> it.activeOn(host).isEmpty()));
    FarHost.delete(first, "//rsc_location[starts-with(@id,'far-')]");
    for (var host : hosts.keySet()) {
      Lab.succeed(first, "crm_node", "--force", "-R", host);
    }
    fenceable("");
    Lab.succeed(first, "crm_resource", "--cleanup");
  }

  /// Ends and removes whatever there is of them. The members run on, and may be about to have one switched on.
  void close() throws IOException {
    for (var host : hosts.values()) {
      Files.deleteIfExists(host.dir().resolve("start.sh"));
    }
    for (var host : hosts.values()) {
      host.kill();
      lab.evidence().dead(host.name());
      lab.removeHost(host.name());
      breakDown(host.name(), false);
    }
    LabHome.remove(volume());
    LabHome.remove(lab.dir().resolve("volume.gone"));
  }
}
