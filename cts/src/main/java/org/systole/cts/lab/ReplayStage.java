package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.options.Nvpairs;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.cts.local.LocalNode;
import org.systole.cts.replay.LiveConfiguration;

/// What the lab has in the place of a case's agents: its fence device, its hosts and machines, and
/// witnesses for all that runs there.
final class ReplayStage implements LiveConfiguration.Stage {
  private final Lab lab;
  private final SortedMap<String, LocalNode> hosts = new TreeMap<>();
  private final SortedSet<String> witnessed = new TreeSet<>();

  ReplayStage(Lab lab) {
    this.lab = lab;
  }

  /// A host that is there now.
  void add(LocalNode host) {
    hosts.put(host.name(), host);
  }

  /// The resources that recorded what they do.
  SortedSet<String> witnessed() {
    return witnessed;
  }

  @Override
  public Element agent(Element primitive, boolean promotable) {
    var guest = meta(primitive, "remote-node");
    if ("stonith".equals(primitive.get("class"))) {
      var names = String.join(" ", Run.names(lab.nodes())) + " " + String.join(" ", hosts.keySet());
      return agent(
          primitive.with("type", "fence_lab"),
          List.of("directory", lab.dir().toString(), "pcmk_host_list", names.strip()));
    }
    if ("remote".equals(primitive.get("type"))) {
      var kept = new ArrayList<>(List.of("server", address(primitive.get("id", ""))));
      for (var name : List.of("reconnect_interval")) {
        var value = parameter(primitive, name);
        kept.addAll(value.isEmpty() ? List.of() : List.of(name, value));
      }
      return agent(primitive, kept);
    }
    witnessed.add(primitive.get("id", ""));
    if (!guest.isEmpty()) {
      return agent(
          withAddress(labs(primitive, "Machine"), address(guest)),
          List.of("directory", lab.dir().toString(), "machine", guest));
    }
    return agent(
        labs(primitive, "Witness"),
        List.of(
            "evidence",
            lab.dir().resolve("evidence").toString(),
            "promotable",
            promotable ? "1" : ""));
  }

  private static Element labs(Element primitive, String type) {
    return primitive.with("class", "ocf").with("provider", "lab").with("type", type);
  }

  private String address(String name) {
    var host = hosts.get(name);
    LabFailure.unless(host != null, "there is no host " + name);
    return host == null ? "" : host.address();
  }

  /// As often, and promoted as often, as in the case; else as the lab's bundle is.
  @Override
  public Element bundle(Element bundle) {
    var labs = labsBundle();
    var children = new ArrayList<Element>();
    for (var child : bundle.children()) {
      switch (child.name()) {
        case "docker", "podman", "rkt" -> {
          var container = Objects.requireNonNull(labs.first("podman")).without("replicas");
          for (var name : List.of("replicas", "replicas-per-host", "promoted-max")) {
            container = child.has(name) ? container.with(name, child.get(name, "")) : container;
          }
          children.add(container);
        }
        case "network" -> {
          var network = Objects.requireNonNull(labs.first("network"));
          var port = child.get("control-port"); // a remote host has the usual one itself
          children.add(port == null ? network : network.with("control-port", port));
        }
        case "storage" -> children.add(Objects.requireNonNull(labs.first("storage")));
        default -> children.add(child);
      }
    }
    return bundle.withChildren(children);
  }

  private Element labsBundle() {
    try {
      var configuration = XmlReader.parse(LabContainers.bundle(lab));
      return Objects.requireNonNull(configuration.find(it -> it.is("bundle")));
    } catch (XmlException | IOException e) {
      throw new LabFailure("the lab's bundle cannot be read: " + e.getMessage());
    }
  }

  /// With these parameters in the place of its own.
  ///
  /// @param parameters name, value, name, value, ...; those with an empty value are left out
  private static Element agent(Element primitive, List<String> parameters) {
    var id = primitive.get("id", "") + "-replay";
    var pairs = new ArrayList<Element>();
    for (var at = 0; at + 1 < parameters.size(); at += 2) {
      var name = parameters.get(at);
      var value = parameters.get(at + 1);
      if (!value.isEmpty()) {
        pairs.add(Element.of("nvpair", "id", id + "-" + name, "name", name, "value", value));
      }
    }
    var children = new ArrayList<Element>();
    primitive.children().stream()
        .filter(it -> !it.is("instance_attributes"))
        .forEach(children::add);
    children.add(Element.of("instance_attributes", "id", id).withChildren(pairs));
    return primitive.withChildren(children);
  }

  private static Element withAddress(Element machine, String address) {
    var children = new ArrayList<>(machine.children());
    var id = machine.get("id", "") + "-replay-address";
    children.add(
        Element.of("meta_attributes", "id", id)
            .plus(
                Element.of(
                    "nvpair", "id", id + "-1", "name", "remote-addr", "value", address)));
    return machine.withChildren(children);
  }

  private static String parameter(Element primitive, String name) {
    return value(primitive, "instance_attributes", name);
  }

  static String meta(Element primitive, String name) {
    return value(primitive, "meta_attributes", name);
  }

  private static String value(Element primitive, String section, String name) {
    return Objects.requireNonNullElse(Nvpairs.first(primitive, section, name), "");
  }
}
