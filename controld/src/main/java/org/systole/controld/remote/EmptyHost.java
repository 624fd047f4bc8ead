package org.systole.controld.remote;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.values.NodeName;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.HistoryXml;

/// Whether a remote node runs nothing, as far as the CIB tells for sure.
final class EmptyHost {
  private EmptyHost() {}

  /// Whether it was fenced, or all that may run there was looked for and stopped, and then its connection closed by the member
  /// that had it.
  static boolean isEmpty(Element cib, NodeName node) {
    var state = RemoteRecords.state(cib, node);
    if (state == null) {
      return false; // it may have outlived the cluster
    }
    if (RemoteRecords.isDownAndClean(state)) {
      return true;
    }
    var resources = cib.path("configuration", "resources");
    var lrm = state.path("lrm", "lrm_resources");
    var histories = lrm == null ? List.<Element>of() : lrm.children("lrm_resource");
    return RemoteRecords.isLeft(state)
        && histories.stream().allMatch(HistoryEntry::tellsStopped)
        && (resources == null || isAllKnown(resources, resources, Names.of(cib, histories), forbidden(cib, node)))
        && HalfMoved.sentTo(cib, node).isEmpty();
  }

  /// What may run there for all that the CIB tells, by the histories of the node and of those from where something was migrated to it;
  /// empty if it was fenced, or all was stopped. Of one that was not left in good order, and not looked through since it was connected,
  /// nobody knows: that counts as `anything`.
  static List<String> mayRun(Element cib, NodeName node) {
    var state = RemoteRecords.state(cib, node);
    if (state != null && RemoteRecords.isDownAndClean(state)) {
      return List.of();
    }
    var arriving = HalfMoved.sentTo(cib, node);
    var lrm = state == null ? null : state.first("lrm");
    if (state == null || lrm == null) {
      return List.copyOf(arriving);
    }
    var resources = cib.path("configuration", "resources");
    var within = lrm.first("lrm_resources");
    var histories = within == null ? List.<Element>of() : within.children("lrm_resource");
    var running = new TreeSet<>(arriving);
    histories.stream().filter(it -> !HistoryEntry.tellsStopped(it)).forEach(it -> running.add(it.get("id", "")));
    var isUnseen =
        HistoryXml.isLost(lrm)
            && !RemoteRecords.isLeft(state)
            && resources != null
            && !isAllKnown(resources, resources, Names.of(cib, histories), forbidden(cib, node));
    return running.isEmpty() && isUnseen ? List.of("anything") : List.copyOf(running);
  }

  /// What may neither run there nor be looked for, by a constraint that names the node.
  private static Set<String> forbidden(Element cib, NodeName node) {
    var constraints = cib.path("configuration", "constraints");
    return constraints == null
        ? Set.of()
        : constraints.children("rsc_location").stream()
            .filter(it -> node.text().equals(it.get("node")) && "never".equalsIgnoreCase(it.get("resource-discovery")))
            .filter(it -> Score.parse(it.get("score"), 0) <= -Score.INFINITY)
            .map(it -> it.get("rsc", ""))
            .collect(Collectors.toSet());
  }

  /// The names in histories.
  ///
  /// @param here those that the node knows of
  /// @param anywhere those that any node knows of: of what has several instances with a name each, these are all that there are
  private record Names(Set<String> here, Set<String> anywhere) {
    static Names of(Element cib, List<Element> histories) {
      var status = cib.first("status");
      var all = status == null ? Stream.<Element>of() : status.children("node_state").stream();
      return new Names(
          histories.stream().map(it -> it.get("id", "")).collect(Collectors.toSet()),
          all.map(it -> it.path("lrm", "lrm_resources"))
              .filter(Objects::nonNull)
              .flatMap(it -> it.children("lrm_resource").stream())
              .map(it -> it.get("id", ""))
              .collect(Collectors.toSet()));
    }

    boolean has(String id) {
      return here.contains(id);
    }

    /// Whether there are instances, and all are known that there are.
    ///
    /// @param prefix followed by their numbers
    boolean hasInstances(String prefix) {
      var instances = anywhere.stream().filter(it -> it.startsWith(prefix) && isNumber(it.substring(prefix.length()))).toList();
      return !instances.isEmpty() && here.containsAll(instances);
    }

    private static boolean isNumber(String text) {
      return !text.isEmpty() && text.chars().allMatch(it -> it >= '0' && it <= '9');
    }
  }

  private static boolean isAllKnown(Element resources, Element within, Names known, Set<String> forbidden) {
    return within.children().stream()
        .filter(it -> !forbidden.contains(it.get("id", "")))
        .allMatch(
            it ->
                switch (it.name()) {
                  case "primitive" -> isKnown(resources, it, known);
                  case "group", "clone", "master" -> isAllKnown(resources, it, known, forbidden);
                  case "bundle" -> isContainerKnown(it, known);
                  default -> true;
                });
  }

  private static boolean isKnown(Element resources, Element primitive, Names known) {
    var template = resources.first("template", primitive.get("template", ""));
    var agent = AgentName.of(template == null ? primitive : template);
    var id = primitive.get("id", "");
    return agent.isRemoteConnection() || agent.isFenceAgent() || known.has(id) || known.hasInstances(id + ":");
  }

  /// The containers of a bundle are called by the program that runs them, as `web-podman-0`.
  private static boolean isContainerKnown(Element bundle, Names known) {
    return bundle.children().stream().anyMatch(it -> known.hasInstances(bundle.get("id", "") + "-" + it.name() + "-"));
  }
}
