package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Says what a file waits for that was taken and is not in force yet, and what one would wait for that is to be taken.
final class FileWaits {
  /// After that it is said.
  static final Duration LONG = Duration.ofSeconds(10);

  private static final String NOT_YET = "The new corosync.conf is not in force yet: ";

  private final World world;
  private final LinkMember member;
  private final LinkConfig config;
  private final BooleanSupplier isAsked;
  private World.@Nullable Timer timer;
  private String told = "";

  /// @param isAsked whether somebody is about to be told anyway
  FileWaits(World world, LinkMember member, BooleanSupplier isAsked) {
    this.world = world;
    this.member = member;
    this.config = member.config();
    this.isAsked = isAsked;
  }

  /// Each member says it once it takes long, and again when it is something else.
  void watch() {
    if (timer != null || config.taken().isEmpty()) {
      return;
    }
    timer =
        world.after(
            LONG,
            () -> {
              timer = null;
              var line = String.join(" ", lines());
              if (!isAsked.getAsBoolean() && !line.isEmpty() && !line.equals(told)) {
                world.log().warning(line);
              }
              told = line;
              watch();
            });
  }

  /// It has been said in the log.
  void told(String line) {
    told = line;
  }

  /// Empty if nothing waits. What keeps the nodes from having quorum comes first: without it nothing else comes about.
  List<String> lines() {
    var taken = config.taken();
    var epoch = member.epoch();
    if (taken.isEmpty() || epoch == null) {
      return List.of();
    }
    var next = taken.getLast();
    var unread = member.files().unread();
    if (!epoch.quorum().quorate()) {
      return List.of(NOT_YET + withoutQuorum(next, epoch));
    }
    if (!unread.isEmpty()) {
      return List.of(
          NOT_YET
              + "it waits for %s to read it; give it the same file, and say corosync-cfgtool -R again."
                  .formatted(names(unread)));
    }
    var dropped = epoch.nodeIds();
    dropped.removeIf(next::lists);
    if (!dropped.isEmpty()) {
      var granted = member.device() instanceof DeviceVote it && it.isGranted();
      var needed = neededToLeave(next, epoch, granted);
      return List.of(
          NOT_YET
              + (needed == null
                  ? "%s, which it does not list, is leaving first.".formatted(names(dropped))
                  : "it waits for votes: " + needed));
    }
    var behind = member.inStep().behind();
    if (!behind.isEmpty()) {
      return List.of(
          NOT_YET
              + "it waits for %s to get what the cluster has acknowledged (its CIB), and to write it to disk. See what its CIB manager logs, or stop the node."
                  .formatted(names(behind)));
    }
    return List.of(
        NOT_YET + "it comes in force once the nodes that are there have quorum by it%s.".formatted(start(missing(next.nodes(), epoch))));
  }

  private String withoutQuorum(NodeConfig next, Epoch epoch) {
    var quorum = epoch.quorum();
    var there = names(epoch.nodeIds());
    if (quorum.totalVotes() >= quorum.quorumVotes()) {
      return "the nodes that are there (%s) could be outvoted by others of its list%s."
          .formatted(there, start(missing(next.nodes(), epoch)));
    }
    var away = missing(LinkConfig.nodes(config.present()), epoch);
    var coming = away.stream().filter(next::lists).toList();
    return "the nodes that are there (%s) have %d votes of the %d that it takes by the list that is in force until then%s."
        .formatted(there, quorum.totalVotes(), quorum.quorumVotes(), start(coming.isEmpty() ? away : coming));
  }

  private static List<NodeId> missing(List<ConfiguredNode> listed, Epoch epoch) {
    return listed.stream().map(ConfiguredNode::id).filter(it -> epoch.place(it) == null).toList();
  }

  private String start(List<NodeId> away) {
    return away.isEmpty() ? "" : "; start " + names(away);
  }

  /// Why members that a file does not list cannot leave: those who stay have no quorum by the list that is in force until then, and
  /// without that nothing comes in force.
  ///
  /// @param device whether the quorum device votes for those who stay
  /// @return null if they can, or if there are none
  @Nullable String neededToLeave(NodeConfig file, Epoch epoch, boolean device) {
    var staying = epoch.nodeIds();
    staying.removeIf(it -> !file.lists(it));
    var dropped = epoch.nodeIds();
    dropped.removeAll(staying);
    var rules = config.rules();
    if (dropped.isEmpty() || rules.carries(staying, epoch.quorum(), member.electorate(), device)) {
      return null;
    }
    var away = missing(LinkConfig.nodes(config.present()), epoch);
    String what;
    if (!away.isEmpty()) {
      what = "start %s first, or take what is lost off the list before, by itself".formatted(names(away));
    } else {
      what = dropped.size() > 1 ? "take them off the list one at a time" : "stop all nodes, and start them with the new file";
    }
    return "without %s, which it does not list, %s would have %d votes of the %d that it takes by the list that is in force until then; %s."
        .formatted(names(dropped), names(staying), rules.votes(staying), epoch.quorum().quorumVotes(), what);
  }

  private String names(Collection<NodeId> ids) {
    return new TreeSet<>(ids).stream().map(it -> name(it).text()).collect(Collectors.joining(" "));
  }

  /// What a node is called by the members, or by the lists.
  NodeName name(NodeId id) {
    for (var it : member.membership().members()) {
      if (it.id().equals(id)) {
        return it.name();
      }
    }
    var listed = config.present().node(id);
    var coming = config.coming();
    var node = listed == null && coming != null ? coming.node(id) : listed;
    return node == null ? new NodeName(id.toString()) : node.name();
  }
}
