package org.systole.pacemakerd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.real.AccountCheck;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.HostSbd;
import org.systole.common.real.RealWorld;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.values.NodeName;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Channels;
import org.systole.common.world.ClusterAccount;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.execd.client.tls.RemoteProof;
import org.systole.pacemakerd.jgroups.ClusterKey;
import org.systole.pacemakerd.jgroups.JGroupsChannels;
import org.systole.pacemakerd.jgroups.TransportLog;
import org.systole.pacemakerd.link.LinkCore;
import org.systole.pacemakerd.outside.DeviceCertificates;
import org.systole.pacemakerd.outside.TcpStreams;

/// Runs the supervisor for real.
public final class PacemakerdMain {
  private static final String NAME = "pacemakerd";
  private static final int FATAL = 100;
  private static final Set<String> FOR_THIS_PROCESS =
      Set.of("NOTIFY_SOCKET", Keepalive.INTERVAL, Keepalive.PROCESS);
  private static final List<String> ACCOUNTS_STATE = List.of("cib", "attrd", "pengine", "ctl");

  private PacemakerdMain() {}

  /// Runs the node on this machine. Does not return while it runs.
  ///
  /// @param inherited the environment of the process
  /// @throws CannotStart with one line for the administrator
  public static void run(Map<String, String> inherited) {
    var layout = Layout.of(inherited);
    refuseSecond(layout);
    RemoteProof.checkOptions(inherited);
    var config = withLocalName(config(layout), inherited);
    var local = PacemakerdDaemon.localNode(config, inherited, LocalAddresses::has);
    var environment = new LinkedHashMap<>(inherited);
    environment.put(Layout.NODE, local.name().text());
    environment.put(DaemonMain.SUPERVISOR, Long.toString(ProcessHandle.current().pid()));
    var sbd = sbd(layout);
    environment.putAll(sbd.variables());
    var missing = chooseAccount(environment);
    var world = RealWorld.create(layout, environment, NAME, "link");
    refuseBesideOthers(layout);
    world.handOver(ACCOUNTS_STATE);
    var why = missing != null ? missing : unreachable(layout, environment);
    if (why != null) {
      world.log().notice("All daemons run as the user of this one: " + why);
    }
    var channels = channels(world, layout, config, local);
    var streams = new TcpStreams(world, new DeviceCertificates(layout.deviceCertificates()));
    // It listens to this process, not to daemons and agents.
    environment.keySet().removeAll(FOR_THIS_PROCESS);
    world.run(
        () -> {
          HostOptions.warnings(environment).forEach(it -> world.log().warning(it));
          config.remarks().forEach(it -> world.log().warning(it));
          SbdSettings.of(environment).warnings().forEach(it -> world.log().warning(it));
          if (sbd.notice() != null) {
            world.log().notice(sbd.notice());
          }
          world
              .log()
              .notice(
                  "Starting node %s (%s) of cluster %s"
                      .formatted(local.name(), local.id(), config.name()));
          PacemakerdDaemon.start(world, layout, environment, config, channels, streams);
          Keepalive.begin(world, inherited, ProcessHandle.current().pid());
        });
  }

  /// Runs the node's link alone on this machine, for a caller that runs the daemons itself. Does
  /// not return.
  ///
  /// @param environment with the node's name
  /// @throws CannotStart with one line for the administrator
  public static void runLink(Map<String, String> environment) {
    var layout = Layout.of(environment);
    var config = withLocalName(config(layout), environment);
    var local = PacemakerdDaemon.localNode(config, environment, LocalAddresses::has);
    var world = RealWorld.create(layout, environment, NAME, "link");
    var channels = channels(world, layout, config, local);
    var streams = new TcpStreams(world, new DeviceCertificates(layout.deviceCertificates()));
    world.run(() -> new LinkCore(world, config, local, streams).start(channels));
  }

  /// A node to which the list gives no name is called what its machine is called.
  private static ClusterConfig withLocalName(
      ClusterConfig config, Map<String, String> environment) {
    var given = environment.get(Layout.NODE);
    if (given != null && config.nodes().stream().anyMatch(it -> it.name().text().equals(given))) {
      return config;
    }
    var here =
        config.nodes().stream()
            .filter(it -> !it.named() && LocalAddresses.has(it.address()))
            .toList();
    var name = NodeName.of(given == null ? hostName() : given);
    return here.size() == 1 && name != null
        ? config.called(Map.of(here.getFirst().id(), name))
        : config;
  }

  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot tell what this machine is called: %s; give the nodes names in corosync.conf"
              .formatted(CannotStart.reason(e)),
          PacemakerdDaemon.CONFIGURATION);
    }
  }

  private static Channels channels(
      RealWorld world, Layout layout, ClusterConfig config, ClusterConfig.Node local) {
    TransportLog.install(world.log()::library);
    var keyFile =
        config.keyFile() == null
            ? layout.clusterKey()
            : layout.root().resolve(config.keyFile().substring(1));
    var key = config.encrypted() ? ClusterKey.read(keyFile, config.name()) : null;
    if (key == null) {
      world.log().warning("The nodes' connections are not protected: crypto_cipher is none");
    }
    return new JGroupsChannels(world, layout.clusterConfiguration(), config, local, key, keyFile);
  }

  /// Has daemons that need none of root's rights run as `hacluster`, unless that cannot work here.
  ///
  /// @return why they do not; null if they do
  private static @Nullable String chooseAccount(Map<String, String> environment) {
    var wanted = environment.get(ClusterAccount.VARIABLE);
    if (wanted != null && !wanted.equals("root") && !wanted.equals(ClusterAccount.USER)) {
      throw new CannotStart(
          "%s=%s: it can be %s or root"
              .formatted(ClusterAccount.VARIABLE, wanted, ClusterAccount.USER),
          PacemakerdDaemon.CONFIGURATION);
    }
    var why =
        "root".equals(wanted) ? ClusterAccount.VARIABLE + " says so" : AccountCheck.missing();
    environment.put(ClusterAccount.VARIABLE, why == null ? ClusterAccount.USER : "root");
    return why;
  }

  private static @Nullable String unreachable(Layout layout, Map<String, String> environment) {
    var home = Path.of(environment.getOrDefault(Layout.HOME, "/usr"));
    var why = AccountCheck.obstacle(layout, home);
    if (why != null) {
      environment.put(ClusterAccount.VARIABLE, "root");
    }
    return why;
  }

  private static HostSbd sbd(Layout layout) {
    try {
      return HostSbd.read(layout);
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot read the settings of the watchdog: " + CannotStart.reason(e),
          PacemakerdDaemon.CONFIGURATION);
    }
  }

  private static void refuseSecond(Layout layout) {
    if (DaemonMain.isServed(layout, PacemakerdMessage.SOCKET)) {
      throw new CannotStart(
          "This node runs already; stop it first with pacemakerd --shutdown", FATAL);
    }
  }

  /// Daemons that an earlier process of this program has left are gone by now. What is there still somebody has started by
  /// hand: this node's daemons could connect to that one, which knows of no cluster.
  private static void refuseBesideOthers(Layout layout) {
    for (var daemon : new TreeMap<>(Supervisor.SOCKETS).entrySet()) {
      if (DaemonMain.isServed(layout, daemon.getValue())) {
        throw new CannotStart(
            "There is a process that serves %s, as %s does: it was started by hand, or this machine is a remote node; end it first"
                .formatted(layout.socket(daemon.getValue()), daemon.getKey()),
            FATAL);
      }
    }
  }

  private static ClusterConfig config(Layout layout) {
    var file = layout.clusterConfiguration();
    try {
      return ClusterConfig.parse(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new CannotStart(
          ("Cannot read the cluster configuration %s; "
                  + "it lists the nodes and is the same on all of them")
              .formatted(CannotStart.reason(e)),
          PacemakerdDaemon.CONFIGURATION);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), PacemakerdDaemon.CONFIGURATION);
    }
  }
}
