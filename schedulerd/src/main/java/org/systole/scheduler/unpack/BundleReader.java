package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Addresses;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Reads a bundle: its settings, the clone of what runs inside, and its replicas.
final class BundleReader {
  static final String DEFAULT_PORT = "3121";
  private static final String KEY = "/etc/pacemaker/authkey";
  private static final String LOGS = "/var/log/pacemaker/bundles";

  /// What is known of a replica before its resources are made.
  record Plan(int offset, @Nullable Resource child, @Nullable String address) {}

  // Each replica is a node with up to four resources.
  private static final int MOST_REPLICAS = 1_000;

  private final ResourceReader reader;
  private final WorkingSet ws;

  BundleReader(ResourceReader reader) {
    this.reader = reader;
    this.ws = reader.ws;
  }

  boolean read(Bundle bundle) {
    bundle.setPrefix(bundle.id());
    if (!readContainer(bundle)) {
      return false;
    }
    var network = bundle.xml().first("network");
    if (network != null) {
      readNetwork(bundle, network);
    }
    var ownLogMount = readStorage(bundle);
    var inner = bundle.xml().first("primitive");
    if (inner != null) {
      if (!hasNetwork(bundle)) {
        ws.configError(
            "pe__unpack_bundle",
            "Cannot control "
                + bundle.id()
                + " inside "
                + inner.id()
                + " without either ip-range-start or control-port");
        return false;
      }
      if (!(reader.read(cloneOf(bundle, inner), bundle) instanceof Clone clone)) {
        return false;
      }
      bundle.setChild(clone);
      addImplicitMappings(bundle, ownLogMount);
    }
    var replicas = new ReplicaMaker(reader, bundle);
    for (var plan : plan(bundle)) {
      if (!replicas.make(plan)) {
        ws.configError("pe__unpack_bundle", "Failed unpacking resource " + bundle.id());
        return false;
      }
    }
    if (bundle.child() != null) {
      bundle.children().add(bundle.child());
    }
    return true;
  }

  private static boolean readContainer(Bundle bundle) {
    for (var agent : Bundle.Agent.values()) {
      var settings = bundle.xml().first(agent.text());
      if (settings != null) {
        bundle.setAgent(agent);
        readContainer(bundle, settings);
        return true;
      }
    }
    return false;
  }

  private static void readContainer(Bundle bundle, Element settings) {
    bundle.setPromotedMax(Math.max(0, Numbers.parseInt(settings.get("promoted-max"), 0)));
    var replicas = settings.get("replicas");
    bundle.setReplicaCount(
        replicas == null && bundle.promotedMax() > 0
            ? bundle.promotedMax()
            : Math.max(1, Numbers.parseInt(replicas, 1)));
    if (bundle.replicaCount() > MOST_REPLICAS) {
      bundle
          .cluster()
          .configError(
              "unpack_bundle",
              "Using %d instead of %d as number of replicas of %s: more are not supported"
                  .formatted(MOST_REPLICAS, bundle.replicaCount(), bundle.id()));
      bundle.setReplicaCount(MOST_REPLICAS);
    }
    bundle.setReplicasPerHost(Math.max(1, Numbers.parseInt(settings.get("replicas-per-host"), 1)));
    if (bundle.replicasPerHost() == 1) {
      bundle.clear(ResourceFlag.UNIQUE);
    }
    bundle.setCommand(settings.get("run-command"));
    bundle.setLauncherOptions(settings.get("options"));
    bundle.setImage(settings.get("image"));
    bundle.setContainerNetwork(settings.get("network"));
  }

  private void readNetwork(Bundle bundle, Element network) {
    bundle.setIpRangeStart(network.get("ip-range-start"));
    bundle.setHostNetmask(network.get("host-netmask"));
    bundle.setHostNetwork(network.get("host-interface"));
    bundle.setControlPort(network.get("control-port"));
    bundle.setAddHost(Bool.parse(network.get("add-host"), true));
    keepToAddresses(bundle);
    for (var mapping : network.children("port-mapping")) {
      var source = mapping.get("port");
      var target = source == null ? null : mapping.get("internal-port");
      if (source == null) {
        source = mapping.get("range", "");
      }
      if (source.isEmpty()) {
        ws.configError("pe__unpack_bundle", "Invalid port directive " + mapping.id());
      } else {
        bundle.ports().add(new Bundle.Port(source, target == null ? source : target));
      }
    }
  }

  // A replica past the end of the range would have no address of its own, and the one after it the
  // first replica's.
  private void keepToAddresses(Bundle bundle) {
    var last = bundle.ipRangeStart();
    if (last == null) {
      return;
    }
    var addresses = 1;
    while (addresses < bundle.replicaCount() && (last = Addresses.following(last)) != null) {
      addresses++;
    }
    if (addresses < bundle.replicaCount()) {
      ws.configError(
          "unpack_bundle",
          "Using %d instead of %d as number of replicas of %s: there are no more addresses from %s on (%s)"
              .formatted(
                  addresses,
                  bundle.replicaCount(),
                  bundle.id(),
                  bundle.ipRangeStart(),
                  "they are counted on for IPv4 alone, up to 254 in the third part"));
      bundle.setReplicaCount(addresses);
    }
  }

  /// Reads the storage mappings; returns whether one of them is for the logs.
  private boolean readStorage(Bundle bundle) {
    var logs = false;
    var storage = bundle.xml().first("storage");
    if (storage == null) {
      return false;
    }
    for (var mapping : storage.children("storage-mapping")) {
      var source = mapping.get("source-dir");
      var perReplica = source == null;
      if (perReplica) {
        source = mapping.get("source-dir-root");
      }
      var target = mapping.get("target-dir");
      if (source == null || target == null) {
        ws.configError("pe__unpack_bundle", "Invalid mount directive " + mapping.id());
        continue;
      }
      bundle.mounts().add(new Bundle.Mount(source, target, mapping.get("options"), perReplica));
      logs |= target.equals("/var/log");
    }
    return logs;
  }

  private boolean hasNetwork(Bundle bundle) {
    if (bundle.ipRangeStart() != null) {
      return true;
    }
    if (bundle.controlPort() == null) {
      return false;
    }
    if (bundle.replicasPerHost() > 1) {
      ws.configError(
          "valid_network",
          "Specifying the 'control-port' for "
              + bundle.prefix()
              + " requires 'replicas-per-host=1'");
      bundle.setReplicasPerHost(1);
    }
    return true;
  }

  /// The implicit clone around the bundled primitive. The word master stays part of the id, so that
  /// nothing is restarted by an upgrade.
  private static Element cloneOf(Bundle bundle, Element inner) {
    var metaId = bundle.prefix() + "-clone-meta";
    var meta =
        Element.builder("meta_attributes")
            .attr("id", metaId)
            .add(RemoteNodes.pair(metaId, "ordered", "true"))
            .add(RemoteNodes.pair(metaId, "clone-max", Integer.toString(bundle.replicaCount())))
            .add(
                RemoteNodes.pair(
                    metaId, "clone-node-max", Integer.toString(bundle.replicasPerHost())))
            .add(
                RemoteNodes.pair(
                    metaId, "globally-unique", Boolean.toString(bundle.replicasPerHost() > 1)));
    if (bundle.promotedMax() > 0) {
      meta.add(RemoteNodes.pair(metaId, "promotable", "true"))
          .add(RemoteNodes.pair(metaId, "promoted-max", Integer.toString(bundle.promotedMax())));
    }
    return Element.builder("clone")
        .attr("id", bundle.prefix() + (bundle.promotedMax() > 0 ? "-master" : "-clone"))
        .add(meta)
        .add(inner)
        .build();
  }

  private static void addImplicitMappings(Bundle bundle, boolean ownLogMount) {
    bundle.mounts().add(new Bundle.Mount(KEY, KEY, null, false));
    if (!ownLogMount) {
      bundle.mounts().add(new Bundle.Mount(LOGS, "/var/log", null, true));
    }
    var port = bundle.controlPort() == null ? DEFAULT_PORT : bundle.controlPort();
    bundle.ports().add(new Bundle.Port(port, port));
  }

  private static List<Plan> plan(Bundle bundle) {
    var plans = new ArrayList<Plan>();
    var hosts = new StringBuilder();
    if (bundle.child() == null) {
      for (var offset = 0; offset < bundle.replicaCount(); offset++) {
        plans.add(new Plan(offset, null, nextAddress(bundle, offset, hosts)));
      }
    } else {
      for (var child : bundle.child().children()) {
        child.set(ResourceFlag.EXCLUSIVE_PROBES);
        if (child.is(ResourceFlag.NOTIFY)) {
          bundle.child().set(ResourceFlag.NOTIFY);
        }
        plans.add(new Plan(plans.size(), child, nextAddress(bundle, plans.size(), hosts)));
        bundle.setAttributeTarget(child.meta().get("container-attribute-target"));
      }
      if (bundle.attributeTarget() != null) {
        bundle.meta().put("container-attribute-target", bundle.attributeTarget());
        bundle.child().meta().put("container-attribute-target", bundle.attributeTarget());
      }
    }
    bundle.setHostOptions(hosts.toString());
    return plans;
  }

  private static @Nullable String nextAddress(Bundle bundle, int offset, StringBuilder hosts) {
    if (bundle.ipRangeStart() == null) {
      return null;
    }
    var address = bundle.ipLast() == null ? bundle.ipRangeStart() : Addresses.following(bundle.ipLast());
    bundle.setIpLast(address);
    if (bundle.addHost()) {
      hosts.append(" --add-host=").append(bundle.prefix()).append('-').append(offset);
      hosts.append(':').append(address);
    } else {
      hosts.append(" --hosts-entry=").append(address).append('=');
      hosts.append(bundle.prefix()).append('-').append(offset);
    }
    return address;
  }
}
