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

  private int assigning;

  private Agent agent = Agent.DOCKER;
  private int promotedMax;
  private int replicaCount;
  private int replicasPerHost;
  private String prefix = "";
  private @Nullable String image;
  private @Nullable String ipLast;
  private @Nullable String hostNetwork;
  private @Nullable String hostNetmask;
  private @Nullable String controlPort;
  private @Nullable String containerNetwork;
  private @Nullable String ipRangeStart;
  private boolean addHost;
  private @Nullable String hostOptions;
  private @Nullable String command;
  private @Nullable String launcherOptions;
  private @Nullable String attributeTarget;

  private @Nullable Clone child;

  private final List<Replica> replicas = new ArrayList<>();
  private final List<Port> ports = new ArrayList<>();
  private final List<Mount> mounts = new ArrayList<>();

  public Bundle(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  /// The resources of all replicas: address, bundled instance, container, connection of each.
  private List<Resource> parts() {
    var parts = new ArrayList<Resource>();
    for (var replica : replicas) {
      addIfThere(parts, replica.ip());
      addIfThere(parts, replica.child());
      parts.add(replica.container());
      addIfThere(parts, replica.remote());
    }
    return parts;
  }

  /// What of it runs on hosts: containers and their addresses. What is inside runs in its own guests only.
  public List<Resource> onHosts() {
    var found = new ArrayList<Resource>();
    for (var replica : replicas) {
      found.add(replica.container());
      addIfThere(found, replica.ip());
    }
    return found;
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
      if (!replica.container().active().isEmpty()) {
        busy.add(replica.container());
      }
    }
    if (busy.size() == 1) {
      return busy.getFirst().activeNode();
    }
    var nodes = new LinkedHashSet<Node>();
    for (var container : busy) {
      nodes.addAll(container.active());
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
      if (replica.node() != null && replica.node().node() == node) {
        return replica;
      }
    }
    return null;
  }

  /// How many of its assignments are under way, one inside the other.
  public int assigning() {
    return assigning;
  }

  @WrittenBy("assignment")
  public void setAssigning(int assigning) {
    this.assigning = assigning;
  }

  public Agent agent() {
    return agent;
  }

  @WrittenBy("unpack")
  public void setAgent(Agent agent) {
    this.agent = agent;
  }

  public int promotedMax() {
    return promotedMax;
  }

  @WrittenBy("unpack")
  public void setPromotedMax(int promotedMax) {
    this.promotedMax = promotedMax;
  }

  public int replicaCount() {
    return replicaCount;
  }

  @WrittenBy("unpack")
  public void setReplicaCount(int replicaCount) {
    this.replicaCount = replicaCount;
  }

  public int replicasPerHost() {
    return replicasPerHost;
  }

  @WrittenBy("unpack")
  public void setReplicasPerHost(int replicasPerHost) {
    this.replicasPerHost = replicasPerHost;
  }

  public String prefix() {
    return prefix;
  }

  @WrittenBy("unpack")
  public void setPrefix(String prefix) {
    this.prefix = prefix;
  }

  public @Nullable String image() {
    return image;
  }

  @WrittenBy("unpack")
  public void setImage(@Nullable String image) {
    this.image = image;
  }

  public @Nullable String ipLast() {
    return ipLast;
  }

  @WrittenBy("unpack")
  public void setIpLast(@Nullable String ipLast) {
    this.ipLast = ipLast;
  }

  public @Nullable String hostNetwork() {
    return hostNetwork;
  }

  @WrittenBy("unpack")
  public void setHostNetwork(@Nullable String hostNetwork) {
    this.hostNetwork = hostNetwork;
  }

  public @Nullable String hostNetmask() {
    return hostNetmask;
  }

  @WrittenBy("unpack")
  public void setHostNetmask(@Nullable String hostNetmask) {
    this.hostNetmask = hostNetmask;
  }

  public @Nullable String controlPort() {
    return controlPort;
  }

  @WrittenBy("unpack")
  public void setControlPort(@Nullable String controlPort) {
    this.controlPort = controlPort;
  }

  public @Nullable String containerNetwork() {
    return containerNetwork;
  }

  @WrittenBy("unpack")
  public void setContainerNetwork(@Nullable String containerNetwork) {
    this.containerNetwork = containerNetwork;
  }

  public @Nullable String ipRangeStart() {
    return ipRangeStart;
  }

  @WrittenBy("unpack")
  public void setIpRangeStart(@Nullable String ipRangeStart) {
    this.ipRangeStart = ipRangeStart;
  }

  public boolean addHost() {
    return addHost;
  }

  @WrittenBy("unpack")
  public void setAddHost(boolean addHost) {
    this.addHost = addHost;
  }

  public @Nullable String hostOptions() {
    return hostOptions;
  }

  @WrittenBy("unpack")
  public void setHostOptions(@Nullable String hostOptions) {
    this.hostOptions = hostOptions;
  }

  public @Nullable String command() {
    return command;
  }

  @WrittenBy("unpack")
  public void setCommand(@Nullable String command) {
    this.command = command;
  }

  public @Nullable String launcherOptions() {
    return launcherOptions;
  }

  @WrittenBy("unpack")
  public void setLauncherOptions(@Nullable String launcherOptions) {
    this.launcherOptions = launcherOptions;
  }

  public @Nullable String attributeTarget() {
    return attributeTarget;
  }

  @WrittenBy("unpack")
  public void setAttributeTarget(@Nullable String attributeTarget) {
    this.attributeTarget = attributeTarget;
  }

  /// The clone of the bundled resource, null if only containers run.
  @WrittenBy("unpack")
  public @Nullable Clone child() {
    return child;
  }

  @WrittenBy("unpack")
  public void setChild(@Nullable Clone child) {
    this.child = child;
  }

  @WrittenBy("unpack")
  public List<Replica> replicas() {
    return replicas;
  }

  @WrittenBy("unpack")
  public List<Port> ports() {
    return ports;
  }

  @WrittenBy("unpack")
  public List<Mount> mounts() {
    return mounts;
  }
}
