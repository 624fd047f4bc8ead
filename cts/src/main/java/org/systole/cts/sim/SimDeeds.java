package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.client.CtlMessage.HostOrder;

/// The steps of a script that random lives are made of beside those that people write.
final class SimDeeds {
  private final SimCluster cluster;
  private final SimChanges changes;
  private final SimRoleChanges roles;

  SimDeeds(
      SimCluster cluster, SimChanges changes, SimRoleChanges roles) {
    this.cluster = cluster;
    this.changes = changes;
    this.roles = roles;
  }

  /// @return whether there is such a step
  boolean step(List<String> words, String line) {
    if (words.size() < 2 || cluster.nodeOrNull(words.get(1)) == null) {
      return false;
    }
    var node = cluster.node(words.get(1));
    var rest = words.subList(2, words.size());
    switch (words.getFirst()) {
      case "hang" -> node.hang(rest.get(0), Duration.parse(rest.get(1)).toNanos());
      case "clock" -> node.skewClock(Duration.parse(rest.get(0)));
      case "come" -> node.powerOnAfter(Duration.parse(rest.get(0)).toNanos());
      case "damage" -> SimFault.cutShort(cluster, node);
      case "spoil" -> SimFilesFault.spoil(cluster, node, rest.get(0), rest.get(1), rest.get(2));
      case "edit" -> SimFault.editByHand(cluster, node);
      case "cut-link", "mend-link" -> {
        var up = words.getFirst().equals("mend-link");
        var other = cluster.node(rest.get(0));
        var link = Integer.parseInt(rest.get(1));
        SimLinkFault.oneLink(cluster, node, other, link, up);
      }
      case "roles" -> roles.ask(node, rest.get(0), line.substring(line.indexOf('<')));
      case "ended" -> cluster.network().takesForEnded(node, cluster.node(rest.get(0)));
      case "refused" -> cluster.network().refuses(node, cluster.node(rest.get(0)));
      case "says" -> SimStranger.say(cluster, node, rest.get(0), line.split(" ", 4)[3]);
      case "write" -> changes.write(node, rest.get(0));
      case "change" -> changes.ask(node, operation(rest, line));
      case "attribute" -> changes.attribute(node, rest.get(0));
      case "forget" -> SimForgottenFault.remove(cluster, node, cluster.node(rest.get(0)));
      case SimRemovals.BEGUN -> cluster.checks().removals().begin(node);
      case SimRemovals.ENDED -> cluster.checks().removals().end(node);
      case "cleanup" -> {
        if (rest.isEmpty()) {
          changes.cleanUp(node, _ -> {});
        } else {
          SimBeside.refresh(cluster, node, rest.get(0), rest.get(1));
        }
      }
      case "fence" ->
          SimFencingByHand.fence(cluster, node, cluster.node(rest.get(0)), rest.get(1));
      case "volumes" ->
          cluster.outside().volumes().writes(node, SimVolumes.Writes.valueOf(rest.get(0)));
      case "looks" -> cluster.outside().volumes().looks(node, rest.get(0).equals("wrong"));
      case "switch" ->
          cluster.outside().volumes().power(node, SimVolumes.Switch.valueOf(rest.get(0)));
      case "hostha" ->
          SimHostPeople.order(
              cluster,
              node,
              cluster.node(rest.get(0)),
              HostOrder.valueOf(rest.get(1).toUpperCase(Locale.ROOT)));
      case "confirm" -> SimFencingByHand.confirm(cluster, node, cluster.node(rest.get(0)));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static CibOp operation(List<String> words, String line) {
    if (words.getFirst().equals("delete")) {
      return CibOp.deleteAllXPath(line.substring(line.indexOf(" delete ") + " delete ".length()));
    }
    try {
      return CibOp.put(words.get(1), XmlReader.parse(line.substring(line.indexOf('<'))));
    } catch (XmlException e) {
      throw new IllegalArgumentException("not XML: " + line + ": " + e.getMessage(), e);
    }
  }

  static String told(CibOp change) {
    return change.byXPath()
        ? "delete " + change.section()
        : "put " + change.section() + " " + change.xml();
  }
}
