package org.systole.controld.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.KeptText;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The resources that run on this node or are being started, kept on disk for the next controller:
/// this one may leave them running in good order, as under maintenance, or be lost together with
/// the executor.
///
/// The file also says that a controller is at work, from before its first operation until it leaves
/// in good order. If the last one ended otherwise, and the executor does not know what it began
/// either, this node says so as it joins: the CIB may have lost the status of all nodes by then. A
/// file from before the machine's last boot does not count.
///
/// The DC then has every configured resource probed. A resource that was removed from the
/// configuration meanwhile would run on unnoticed, so the node itself probes for it once it has
/// joined. If it runs, it is recorded in the history like any other orphan, and the scheduler has
/// it stopped with the parameters it was started with.
public final class LeftRunning {
  private static final String FILE = "left-running.xml";
  private static final String BOOT = "boot";
  private static final String ARRIVES = "arrives-from";
  private static final String AT_WORK = "at-work";

  /// A resource, with what its agent needs to find and stop it.
  ///
  /// @param source the node that is about to move it here live; null if it was started or found here
  public record Resource(ResourceId id, AgentName agent, Map<String, String> parameters, @Nullable NodeName source) {
    public Resource(ResourceId id, AgentName agent, Map<String, String> parameters) {
      this(id, agent, parameters, null);
    }
  }

  /// What this needs of the controller.
  public interface Host {
    /// Whether this node has joined a DC, as far as it knows itself.
    boolean hasJoined();

    /// Resources that this controller knows of, running or not.
    List<ResourceId> knownResources();

    /// Takes over a resource's parameters from an earlier controller.
    void presume(Resource resource);

    /// Probes a resource, and records it if it runs.
    void look(Resource resource, Runnable done);
  }

  private final World world;
  private final Host host;
  private final NodeId self;
  /// Resources that may run and that this controller has not seen yet.
  private final Map<ResourceId, Resource> unknown = new TreeMap<>();

  private final Map<ResourceId, Resource> lookedFor = new TreeMap<>();
  private List<Resource> running = List.of();
  private final KeptText kept;
  private boolean atWork = true;
  private boolean sameBoot; // the file is from the machine's present boot
  private boolean endedBadly;

  public LeftRunning(World world, Host host, NodeId self) {
    this.world = world;
    this.host = host;
    this.self = self;
    this.kept = new KeptText(world, FILE, "the list of resources that run here", this::content);
  }

  /// Reads what the last controller of this node wrote.
  public void open() {
    try {
      var bytes = kept.read();
      if (bytes != null) {
        var found = XmlReader.parse(bytes);
        sameBoot = world.boot().equals(found.get(BOOT));
        endedBadly = sameBoot && Bool.isTrue(found.get(AT_WORK));
        for (var it : found.children("resource")) {
          var id = ResourceId.of(it.id());
          if (id != null) {
            note(resource(id, it));
          }
        }
      }
    } catch (Store.StoreException | XmlException e) {
      world.log().error("Cannot read what was left running here: " + e.getMessage());
      sameBoot = true;
      endedBadly = true;
    }
    kept.write();
  }

  /// Runs a task once the file says that this controller is at work, or cannot be written.
  public void whenKept(Runnable then) {
    kept.write(then);
  }

  /// Whether something may run here that neither this controller nor the executor knows of.
  ///
  /// @param known the resources they know, running or not
  public boolean isLost(List<ResourceId> known) {
    return endedBadly && known.isEmpty() || sameBoot && !known.containsAll(unknown.keySet());
  }

  private void note(Resource resource) {
    unknown.put(resource.id(), resource);
    host.presume(resource);
  }

  /// Whether a resource may run here that this controller has not seen.
  public boolean isUnsure() {
    return !unknown.isEmpty() || !lookedFor.isEmpty();
  }

  /// Writes which resources run now, if that has changed.
  public void keep(List<Resource> now) {
    if (!now.equals(running)) {
      running = List.copyOf(now);
      kept.write();
    }
  }

  /// Writes which resources are left running as this node leaves.
  ///
  /// @param done called once it is on disk, or cannot be
  public void leave(List<Resource> now, Runnable done) {
    running = List.copyOf(now);
    atWork = false;
    kept.write(done);
  }

  private String content() {
    var all = new TreeMap<>(unknown);
    all.putAll(lookedFor);
    running.forEach(it -> all.put(it.id(), it));
    if (all.isEmpty() && !atWork) {
      return "";
    }
    var list = Element.builder("left-running").attr(BOOT, world.boot()).attr(AT_WORK, atWork);
    all.values().forEach(it -> list.add(xml(it)));
    return XmlWriter.pretty(list.build());
  }

  /// Once this node has joined, probes for resources that are no longer configured: the DC does
  /// not.
  public void check(Element cib) {
    if (unknown.isEmpty() || !hasJoined(cib)) {
      return;
    }
    var known = host.knownResources();
    var resources = cib.path("configuration", "resources");
    for (var resource : List.copyOf(unknown.values())) {
      if (known.contains(resource.id())) {
        unknown.remove(resource.id());
      } else if (resources == null || !RemovedResources.isConfigured(resources, resource.id())) {
        unknown.remove(resource.id());
        look(resource);
      }
    }
    kept.write();
  }

  private boolean hasJoined(Element cib) {
    var status = cib.first("status");
    var mine = status == null ? null : status.first("node_state", self.toString());
    return mine != null
        && "member".equals(mine.get("join"))
        && host.hasJoined();
  }

  private void look(Resource resource) {
    world
        .log()
        .notice(
            "%s was left running here and is no longer configured; looking for it"
                .formatted(resource.id()));
    lookedFor.put(resource.id(), resource);
    host.look(
            resource,
            () -> {
              lookedFor.remove(resource.id());
              kept.write();
            });
  }

  private static Element xml(Resource resource) {
    var source = resource.source();
    var parameters = Element.builder("parameters");
    resource
        .parameters()
        .forEach(
            (name, value) -> parameters.add(Element.of("nvpair", "name", name, "value", value)));
    return resource
        .agent()
        .on(Element.builder("resource").attr("id", resource.id().text()).attr(ARRIVES, source == null ? null : source.text()))
        .add(parameters)
        .build();
  }

  private static Resource resource(ResourceId id, Element xml) {
    var parameters = new LinkedHashMap<String, String>();
    for (var list : xml.children("parameters")) {
      list.children("nvpair")
          .forEach(it -> parameters.put(it.get("name", ""), it.get("value", "")));
    }
    return new Resource(id, AgentName.of(xml), parameters, NodeName.of(xml.get(ARRIVES)));
  }
}
