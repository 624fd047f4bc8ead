package org.systole.controld;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.execd.client.AgentName;

/// What this node left running when it ended in good order, as it does under maintenance.
///
/// When it is back the DC has everything looked for that is configured. What was taken out of the
/// configuration meanwhile nobody would ask for, and it would run on unseen. So it is kept on disk,
/// with the parameters it was started with, and the node itself looks for it once it has joined.
/// What it finds is in its history then, like anything else that runs without being configured, and
/// is for the scheduler to stop.
final class LeftRunning {
  private static final String FILE = "left-running.xml";

  /// A resource, with what its agent needs to find and stop it.
  record Resource(String id, AgentName agent, Map<String, String> parameters) {}

  private final World world;
  private final Controller controller;
  private final Map<String, Resource> unknown = new TreeMap<>();
  private int beingLookedFor;

  LeftRunning(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
  }

  /// Reads what the last controller of this node wrote when it left.
  void open() {
    try {
      var bytes = world.store().read(FILE);
      if (bytes != null) {
        XmlReader.parse(bytes).children("resource").forEach(it -> note(resource(it)));
      }
    } catch (Store.StoreException | XmlException e) {
      world.log().error("Cannot read what was left running here: " + e.getMessage());
    }
  }

  private void note(Resource resource) {
    unknown.put(resource.id(), resource);
  }

  /// Writes what runs as this node leaves.
  ///
  /// @param done told once it is on disk, or cannot be
  void leave(List<Resource> running, Runnable done) {
    running.forEach(this::note);
    if (unknown.isEmpty()) {
      done.run();
      return;
    }
    var list = Element.builder("left-running");
    unknown.values().forEach(it -> list.add(xml(it)));
    var content = XmlWriter.pretty(list.build()).getBytes(StandardCharsets.UTF_8);
    change(new Store.Change.Write(FILE, content), done);
  }

  private void change(Store.Change change, Runnable done) {
    world
        .store()
        .change(
            List.of(change),
            problem -> {
              if (problem != null) {
                world.log().error("Cannot keep what is left running here: " + problem);
              }
              done.run();
            });
  }

  /// Looks, once this node's CIB is that of the cluster it has joined, for what nobody else will.
  void check(Element cib) {
    if (unknown.isEmpty() || !hasJoined(cib)) {
      return;
    }
    var known = controller.executor().knownResources();
    var resources = cib.path("configuration", "resources");
    for (var resource : new ArrayList<>(unknown.values())) {
      if (known.contains(resource.id())) {
        unknown.remove(resource.id());
      } else if (resources == null || !isConfigured(resources, resource.id())) {
        unknown.remove(resource.id());
        look(resource);
      }
    }
    forgetIfDone();
  }

  private boolean hasJoined(Element cib) {
    var status = cib.first("status");
    var mine = status == null ? null : status.first("node_state", controller.nodeId());
    return mine != null
        && "member".equals(mine.get("join"))
        && (controller.state() == State.NOT_DC || controller.state().governs());
  }

  private static boolean isConfigured(Element resources, String id) {
    return resources.find(it -> it.is("primitive") && id.equals(it.id())) != null;
  }

  private void look(Resource resource) {
    world
        .log()
        .notice(
            "%s was left running here and is no longer configured; looking for it"
                .formatted(resource.id()));
    beingLookedFor++;
    controller
        .executor()
        .look(
            resource,
            () -> {
              beingLookedFor--;
              forgetIfDone();
            });
  }

  private void forgetIfDone() {
    if (unknown.isEmpty() && beingLookedFor == 0) {
      change(new Store.Change.Delete(FILE), () -> {});
    }
  }

  private static Element xml(Resource resource) {
    var parameters = Element.builder("parameters");
    resource
        .parameters()
        .forEach(
            (name, value) -> parameters.add(Element.of("nvpair", "name", name, "value", value)));
    return Element.builder("resource")
        .attr("id", resource.id())
        .attr("class", resource.agent().standard())
        .attr("provider", resource.agent().provider())
        .attr("type", resource.agent().type())
        .add(parameters)
        .build();
  }

  private static Resource resource(Element xml) {
    var parameters = new LinkedHashMap<String, String>();
    for (var list : xml.children("parameters")) {
      list.children("nvpair")
          .forEach(it -> parameters.put(it.get("name", ""), it.get("value", "")));
    }
    var agent = new AgentName(xml.get("class", ""), xml.get("provider", ""), xml.get("type", ""));
    return new Resource(xml.get("id", ""), agent, parameters);
  }
}
