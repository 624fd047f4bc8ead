package org.systole.common.layout;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where every file of a node is. One environment variable, [#ROOT], moves the whole tree, so that
/// any number of nodes can live on one machine.
///
/// @param root the directory the node's tree begins at, `/` by default
/// @param share agents and other files that come with the program
public record Layout(Path root, Path share) {
  /// The environment variable that moves the tree.
  public static final String ROOT = "SYSTOLE_ROOT";

  /// The environment variable that names this node where its addresses cannot tell.
  public static final String NODE = "SYSTOLE_NODE";

  /// The environment variable that says where the program is installed (its `share`, `lib`, ...).
  public static final String HOME = "SYSTOLE_HOME";

  /// The environment variable that says at which address commands of other machines are served, all of
  /// the machine's without it: nodes that share a machine have one each.
  public static final String CIB_ADDRESS = "SYSTOLE_CIB_ADDRESS";

  public static Layout of(Map<String, String> environment) {
    var home = environment.getOrDefault(HOME, "/usr");
    return new Layout(Path.of(environment.getOrDefault(ROOT, "/")), Path.of(home).resolve("share"));
  }

  /// The directory of certificates for the quorum device, where Corosync's tools lay them out.
  public Path deviceCertificates() {
    return root.resolve("etc/corosync/qdevice/net/nssdb");
  }

  /// The cluster configuration file, in corosync.conf's syntax.
  public Path clusterConfiguration() {
    return root.resolve("etc/corosync/corosync.conf");
  }

  /// The cluster's key.
  public Path clusterKey() {
    return root.resolve("etc/corosync/authkey");
  }

  /// The files that may say what watchdog and disks the node has; the first that is there counts.
  public List<Path> sbdSettings() {
    return List.of(root.resolve("etc/sysconfig/sbd"), root.resolve("etc/default/sbd"));
  }

  /// Directory of host-local configuration.
  public Path configuration() {
    return root.resolve("etc/pacemaker");
  }

  /// Directory of sockets and other things that do not outlive a boot.
  public Path run() {
    return root.resolve("run/systole");
  }

  /// A daemon's socket.
  public Path socket(String name) {
    return run().resolve(name + ".sock");
  }

  /// Directory of what must survive.
  public Path state() {
    return root.resolve("var/lib/pacemaker");
  }

  /// Directory of the durable files of one daemon, such as `cib` or `pengine`.
  public Path state(String daemon) {
    return state().resolve(daemon);
  }

  public Path log() {
    return root.resolve("var/log/pacemaker");
  }

  /// The path a child or a unit file sets for this node's tree; null when it is the machine's own.
  public @Nullable String rootForChildren() {
    return root.equals(Path.of("/")) ? null : root.toString();
  }
}
