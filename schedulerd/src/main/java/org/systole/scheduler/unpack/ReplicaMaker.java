package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// Makes the implicit resources of a bundle's replicas: container, address, connection and node.
final class ReplicaMaker {
  private static final String REMOTED = "/usr/sbin/pacemaker-remoted";
  private static final int OWN_NODE_SCORE = 500;

  private final ResourceReader reader;
  private final WorkingSet ws;
  private final Bundle bundle;

  ReplicaMaker(ResourceReader reader, Bundle bundle) {
    this.reader = reader;
    this.ws = reader.ws;
    this.bundle = bundle;
  }

  boolean make(BundleReader.Plan plan) {
    var container = add(container(plan));
    if (container == null) {
      return false;
    }
    container.set(ResourceFlag.REPLICA_CONTAINER);
    var replica = new Replica(plan.offset(), container);
    replica.setChild(plan.child());
    replica.setIpAddress(plan.address());
    bundle.replicas().add(replica);
    if (plan.address() != null) {
      replica.setIp(add(address(plan.offset(), plan.address())));
      if (replica.ip() == null) {
        return false;
      }
    }
    var child = plan.child();
    if (child == null) {
      return true;
    }
    if (!connect(replica, child)) {
      return false;
    }
    if (plan.address() != null) {
      child.meta().put("external-ip", plan.address());
    }
    // Capacity is used by the container, but can be configured for the primitive only.
    Map<String, String> none = new LinkedHashMap<>(container.utilization());
    container.setUtilization(child.utilization());
    child.setUtilization(none);
    return true;
  }

  private @Nullable Resource add(Element configured) {
    var resource = reader.read(configured, bundle);
    if (resource != null) {
      bundle.children().add(resource);
    }
    return resource;
  }

  private static Element.Builder primitive(String id, String provider, String type) {
    return Element.builder("primitive")
        .attr("id", id)
        .attr("class", "ocf")
        .attr("provider", provider)
        .attr("type", type);
  }

  private Element address(int offset, String address) {
    var id = XmlIds.valid(bundle.prefix() + "-ip-" + address);
    var block = bundle.prefix() + "-attributes-" + offset;
    var netmask = bundle.hostNetmask() == null ? "32" : bundle.hostNetmask();
    return primitive(id, "heartbeat", "IPaddr2")
        .add(
            Element.builder("instance_attributes")
                .attr("id", block)
                .add(RemoteNodes.pair(block, "ip", address))
                .add(RemoteNodes.pair(block, "nic", bundle.hostNetwork()))
                .add(RemoteNodes.pair(block, "cidr_netmask", netmask)))
        .add(monitor(id))
        .build();
  }

  private static Element.Builder monitor(String id) {
    return Element.builder("operations")
        .add(RemoteNodes.operation(id, TaskName.MONITOR, "60s", null));
  }

  private Element container(BundleReader.Plan plan) {
    var agent = bundle.agent().text();
    var id = XmlIds.valid(bundle.prefix() + "-" + agent + "-" + plan.offset());
    var block = bundle.prefix() + "-attributes-" + plan.offset();
    var subdirectories = new ArrayList<String>();
    var options = options(plan, subdirectories);
    var command = bundle.command() == null && plan.child() != null ? REMOTED : bundle.command();
    return primitive(id, "heartbeat", agent)
        .add(
            Element.builder("instance_attributes")
                .attr("id", block)
                .add(RemoteNodes.pair(block, "image", bundle.image()))
                .add(RemoteNodes.pair(block, "allow_pull", "true"))
                .add(RemoteNodes.pair(block, "force_kill", "false"))
                .add(RemoteNodes.pair(block, "reuse", "false"))
                .add(RemoteNodes.pair(block, "run_opts", options))
                .add(RemoteNodes.pair(block, "mount_points", String.join(",", subdirectories)))
                .add(RemoteNodes.pair(block, "run_cmd", command))
                .add(RemoteNodes.pair(block, "monitor_cmd", "/bin/true")))
        .add(monitor(id))
        .build();
  }

  // The exact text matters: a change would restart running containers.
  private String options(BundleReader.Plan plan, ArrayList<String> subdirectories) {
    var out = new StringBuilder();
    if (bundle.agent() == Bundle.Agent.DOCKER) {
      out.append(" --restart=no");
    }
    if (bundle.ipRangeStart() != null) {
      out.append(" -h ").append(bundle.prefix()).append('-').append(plan.offset());
    }
    out.append(" -e PCMK_stderr=1");
    if (bundle.containerNetwork() != null) {
      out.append(" --net=").append(bundle.containerNetwork());
    }
    out.append(" -e PCMK_remote_port=");
    out.append(bundle.controlPort() == null ? BundleReader.DEFAULT_PORT : bundle.controlPort());
    for (var mount : bundle.mounts()) {
      var source = mount.source();
      if (mount.perReplica()) {
        source += "/" + bundle.prefix() + "-" + plan.offset();
        subdirectories.add(source);
      }
      out.append(" -v ").append(source).append(':').append(mount.target());
      if (mount.options() != null) {
        out.append(':').append(mount.options());
      }
    }
    appendPorts(out, plan.address());
    if (bundle.launcherOptions() != null) {
      out.append(' ').append(bundle.launcherOptions());
    }
    if (bundle.hostOptions() != null) {
      out.append(' ').append(bundle.hostOptions());
    }
    return out.toString();
  }

  private void appendPorts(StringBuilder out, @Nullable String address) {
    for (var port : bundle.ports()) {
      if (address != null) {
        out.append(" -p ").append(address).append(':');
      } else if (!"host".equals(bundle.containerNetwork())) {
        out.append(" -p ");
      } else {
        continue;
      }
      out.append(port.source()).append(':').append(port.target());
    }
  }

  private boolean connect(Replica replica, Resource child) {
    var name = bundle.prefix() + "-" + replica.offset();
    if (ws.resource(name) != null || reader.isConfigured(name) || ws.isMember(name)) { // one that stands behind the bundle, too: two would be one node
      name = "pcmk-internal-" + child.id() + "-remote-" + replica.offset();
    }
    // Without an address of its own, the connection goes to wherever the container is.
    var server = replica.ipAddress() == null ? "#uname" : replica.ipAddress();
    var port = bundle.controlPort() == null ? BundleReader.DEFAULT_PORT : bundle.controlPort();
    var configured =
        RemoteNodes.connection(name, replica.container().id(), null, null, null, server, port);
    var node = closedNode(name);
    var own = ScoredNode.of(node);
    own.setScore(OWN_NODE_SCORE);
    own.setProbeMode(ProbeMode.EXCLUSIVE);
    replica.setNode(own);
    child.setAllowed(new NodeTable());
    child.allowed().put(own.copy());
    if (child.parent() != null) {
      var closed = own.copy();
      closed.setScore(-Score.INFINITY);
      child.parent().allowed().put(closed);
    }
    var remote = reader.read(configured, bundle);
    if (remote == null) {
      return false;
    }
    for (var entry : remote.allowed()) {
      if (entry.node().remoteKind()) {
        entry.setScore(-Score.INFINITY); // a connection is made from cluster nodes only
      }
    }
    node.setRemote(remote);
    remote.setLauncher(replica.container());
    NodeReader.markAsContainer(node);
    bundle.children().add(remote);
    replica.setRemote(remote);
    remote.set(ResourceFlag.REMOTE_NESTING_ALLOWED);
    return true;
  }

  /// The node of the replica, closed for everything but what runs inside.
  private Node closedNode(String name) {
    var node = ws.node(name);
    if (node == null) {
      node = reader.nodes.createRemote(name, -Score.INFINITY);
    }
    node.setScore(-Score.INFINITY);
    node.setProbeMode(ProbeMode.NEVER);
    for (var resource : ws.resources()) {
      close(resource, node);
    }
    return node;
  }

  private static void close(Resource resource, Node node) {
    var entry = resource.allowed().get(node);
    if (entry != null) {
      entry.setScore(-Score.INFINITY);
      entry.setProbeMode(ProbeMode.NEVER);
    }
    for (var child : resource.children()) {
      close(child, node);
    }
  }
}
