package org.systole.pacemakerd.link;

import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.cluster.QuorumDevice;

/// What of corosync.conf a node that runs can change to, see [FileReload].
final class Changeable {
  private Changeable() {}

  /// Refuses what the node cannot change to while it runs.
  ///
  /// @param member the link's place among the others, with what is in force
  static void check(ClusterConfig read, LinkMember member) throws ClusterConfigException {
    var config = member.config();
    var present = config.present();
    fixed("cluster_name", present.name(), read.name());
    fixed("mcastport", present.port(), read.port());
    fixed("crypto_cipher", encrypted(present), encrypted(read));
    fixed("keyfile", "" + present.keyFile(), "" + read.keyFile());
    oneServer(present.device(), read.device());
    for (var node : read.nodes()) {
      var before = present.node(node.id());
      var renamed =
          before != null
              && (node.named()
                  ? !before.isUnknown() && !before.name().equals(node.name())
                  : before.named());
      if (renamed) {
        throw new ClusterConfigException(
            "node %s is called %s, and was %s; %s"
                .formatted(
                    node.id(),
                    node.named() ? node.name() : "nothing",
                    before.name(),
                    howToRename(before, member)));
      }
      if (before != null
          && node.id().equals(config.local().id())
          && !before.address().equals(node.address())) {
        throw new ClusterConfigException(
            "ring0_addr of this node is %s, and was %s; restart it for that"
                .formatted(node.address(), before.address()));
      }
    }
    var epoch = member.epoch();
    var file = NodeConfig.of(read, config.local());
    if (epoch != null
        && !file.saysAs(config.file())
        && !config.rules().holdsDevice(epoch.nodeIds())) {
      throw new ClusterConfigException(
          "the quorum device could give its vote to the nodes that are not there, which would count it as before; start them first, or restart this node with the new file");
    }
    if (epoch != null && epoch.quorum().quorate() && !file.rules().blocks(epoch.nodeIds())) {
      throw new ClusterConfigException(
          ("the nodes that are there could be outvoted by those that are not: %d nodes are listed, %d of them are there; "
                  + "start more of them first, or change the list by fewer nodes at a time")
              .formatted(
                  read.nodes().size(),
                  read.nodes().stream().filter(it -> epoch.place(it.id()) != null).count()));
    }
  }

  /// The CIB and what the others know of the node go by its name, whether it runs or not.
  private static String howToRename(ClusterConfig.Node node, LinkMember member) {
    var epoch = member.epoch();
    var stopped = epoch != null && epoch.place(node.id()) == null;
    return ("%s: take it out of the file on all nodes, corosync-cfgtool -R, crm_node -R %s --force,"
            + " then add it by its new name and corosync-cfgtool -R again")
        .formatted(
            stopped
                ? "it is stopped, and known to nodes that run by that name"
                : "a node that runs cannot change its name, so stop it first",
            node.name());
  }

  /// Nodes change to another device one after the other: for that time two servers would have a vote
  /// each, and know nothing of each other.
  private static void oneServer(@Nullable QuorumDevice before, @Nullable QuorumDevice now)
      throws ClusterConfigException {
    if (before != null && now != null && !before.net().address().equals(now.net().address())) {
      throw new ClusterConfigException(
          "the quorum device is %s, and was %s; have it removed first, then added anew"
              .formatted(now.net().address(), before.net().address()));
    }
  }

  private static String encrypted(ClusterConfig config) {
    return config.encrypted() ? "on" : "none";
  }

  private static void fixed(String what, Object before, Object now) throws ClusterConfigException {
    if (!before.equals(now)) {
      throw new ClusterConfigException(
          "%s is %s, and was %s; stop all nodes to change it".formatted(what, now, before));
    }
  }
}
