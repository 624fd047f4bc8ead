package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Containers, each with what belongs to it: an address, a connection, an instance of a resource.
public final class Bundle extends Resource {
  /// What runs the containers.
  public enum Agent {
    DOCKER("docker"),
    PODMAN("podman");

    private final String text;

    Agent(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /// A file or directory of the host that the container sees.
  ///
  /// @param perReplica whether the source is a root with a directory for each replica
  public record Mount(String source, String target, @Nullable String options, boolean perReplica) {}

  /// A port of the host and where it leads in the container.
  public record Port(String source, String target) {}

  /// How many of its assignments are under way, one inside the other.
  public int assigning;

  public Agent agent = Agent.DOCKER;
  public int promotedMax;
  public int replicaCount;
  public int replicasPerHost;
  public String prefix = "";
  public @Nullable String image;
  public @Nullable String ipLast;
  public @Nullable String hostNetwork;
  public @Nullable String hostNetmask;
  public @Nullable String controlPort;
  public @Nullable String containerNetwork;
  public @Nullable String ipRangeStart;
  public boolean addHost;
  public @Nullable String hostOptions;
  public @Nullable String command;
  public @Nullable String launcherOptions;
  public @Nullable String attributeTarget;

  /// The clone of the bundled resource, null if only containers run.
  public @Nullable Clone child;

  public final List<Replica> replicas = new ArrayList<>();
  public final List<Port> ports = new ArrayList<>();
  public final List<Mount> mounts = new ArrayList<>();

  public Bundle(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  /// The resources of all replicas: address, bundled instance, container, connection of each.
  private List<Resource> parts() {
    var parts = new ArrayList<Resource>();
    for (var replica : replicas) {
      addIfThere(parts, replica.ip);
      addIfThere(parts, replica.child);
      parts.add(replica.container);
      addIfThere(parts, replica.remote);
    }
    return parts;
  }

  private static void addIfThere(List<Resource> list, @Nullable Resource resource) {
    if (resource != null) {
      list.add(resource);
    }
  }

  @Override
  public boolean isActive(boolean all) {
    for (var part : parts()) {
      if (part.isActive(all) != all) {
        return !all;
      }
    }
    return all;
  }

  @Override
  public Role role(boolean current) {
    return Role.UNKNOWN;
  }

  @Override
  public int maxPerNode() {
    return replicasPerHost;
  }

  @Override
  public ActiveNode activeNode() {
    var busy = new ArrayList<Resource>();
    for (var replica : replicas) {
      if (!replica.container.active.isEmpty()) {
        busy.add(replica.container);
      }
    }
    if (busy.size() == 1) {
      return busy.getFirst().activeNode();
    }
    var nodes = new LinkedHashSet<Node>();
    for (var container : busy) {
      nodes.addAll(container.active);
    }
    return ActiveNodes.among(this, nodes);
  }

  @Override
  public void count() {
    parts().forEach(Resource::count);
  }

  /// The replica that makes this node, null if none does.
  public @Nullable Replica replicaOf(Node node) {
    for (var replica : replicas) {
      if (replica.node != null && replica.node.node == node) {
        return replica;
      }
    }
    return null;
  }
}
