package org.systole.hostha.cib;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.options.ClusterOptions;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.Rules;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Scope;
import org.systole.hostha.config.Setting;
import org.systole.hostha.config.Values;

/// Reads host HA's configuration in the CIB.
///
/// Hosts are the remote nodes. Settings are in property sets of `crm_config`: without a rule for the
/// cluster; with a rule for what its expressions name, such as the zone where the node attribute `zone`
/// equals `east`, or the host where `#uname` equals its name. Which node attributes make zones and
/// partitions, and that the first contains the next, is a setting itself.
public final class SetupReader {
  private static final String UNAME = "#uname";
  private static final String PARAMETER = "ha.param.";
  private static final int WHOLE = 1000;
  private static final int HALF = 500;
  private static final long SECOND = 1000;
  private static final String GENERIC = "generic";

  /// What keeps hosts from being recovered or fenced: without it more might be done than anybody wants.
  private static final Set<Setting> BRAKES =
      EnumSet.of(
          Setting.ENABLED,
          Setting.MAINTENANCE,
          Setting.SICK_RATIO,
          Setting.ACTIVITY_RATIO,
          Setting.ACTIVITY_ATTEMPTS,
          Setting.RECOVERY_THRESHOLD);

  private final Element cib;
  private final Configuration.Builder builder = new Configuration.Builder();
  private final List<String> faults = new ArrayList<>();
  private @Nullable String flaw;
  private final List<String> doubts = new ArrayList<>();
  private final Map<String, String> parents = new TreeMap<>();
  private final Map<String, Map<String, String>> parameters = new TreeMap<>();
  private List<String> levels = List.of();

  private SetupReader(Element cib) {
    this.cib = cib;
  }

  /// @param cib the whole CIB
  public static HostSetup read(Element cib) {
    return new SetupReader(cib).read();
  }

  private HostSetup read() {
    var sets = sets();
    levels = levels(sets);
    var nodes = nodes();
    HostHaUse.connections(cib).forEach(it -> host(it, nodes));
    // what counts most is set last
    sets.reversed().forEach(this::set);
    var first = builder.build();
    for (var host : first.hosts().values()) {
      var volumes = words(first.valuesOf(host).text(Setting.VOLUMES));
      builder.host(host.name(), host.partition(), volumes);
    }
    var whole = builder.build();
    var own = new LinkedHashMap<NodeName, Map<String, String>>();
    whole.hosts().values().forEach(it -> own.put(it.name(), parametersOf(whole, it)));
    doubt(whole, own);
    return new HostSetup(whole, own, new TreeMap<>(parameters), List.copyOf(faults), flaw, List.copyOf(doubts));
  }

  private List<Element> sets() {
    var options = cib.path("configuration", "crm_config");
    var found = new ArrayList<Element>();
    if (options != null) {
      var values = new NameValues(new Rules(cib, Diagnostics.NONE));
      for (var set : values.ordered(options, ClusterOptions.SET, ClusterOptions.FIRST_SET)) {
        if (set.children("nvpair").stream()
            .anyMatch(it -> HostHaUse.isSetting(it.get("name", "")))) {
          found.add(set);
        }
      }
    }
    return found;
  }

  private static List<String> levels(List<Element> sets) {
    var text = Setting.PARTITIONS.defaultValue();
    for (var set : sets.reversed()) {
      for (var pair : set.children("nvpair")) {
        if (Setting.PARTITIONS.text().equals(pair.get("name"))) {
          text = pair.get("value", "");
        }
      }
    }
    return words(text);
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("[,\\s]+"));
  }

  // Hosts

  /// The nodes by their names, as the configuration has them.
  private Map<NodeName, Element> nodes() {
    var nodes = cib.path("configuration", "nodes");
    var found = new HashMap<NodeName, Element>();
    for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
      var name = NodeName.of(node.get("uname"));
      if (name != null) {
        found.putIfAbsent(name, node);
      }
    }
    return found;
  }

  private void host(Element connection, Map<NodeName, Element> nodes) {
    var name = NodeName.of(connection.id());
    if (name == null) {
      return;
    }
    var attributes = attributes(nodes.get(name));
    String inner = null;
    for (var level : levels) {
      var value = attributes.get(level);
      if (value != null && !value.isBlank()) {
        inner = partition(level, value, inner, name);
      }
    }
    builder.host(name, inner, List.of());
  }

  private static Map<String, String> attributes(@Nullable Element node) {
    var found = new TreeMap<String, String>();
    for (var set :
        node == null ? List.<Element>of() : node.children("instance_attributes")) {
      for (var pair : set.children("nvpair")) {
        found.putIfAbsent(pair.get("name", ""), pair.get("value", ""));
      }
    }
    return found;
  }

  /// @return what the host is in: this one, or what is around it where this one makes no sense
  private @Nullable String partition(String level, String value, @Nullable String outer, NodeName host) {
    var name = level + "=" + value;
    var around = outer == null ? "" : outer;
    var before = parents.putIfAbsent(name, around);
    if (before == null) {
      var scope = level.equals(levels.getFirst()) ? Scope.ZONE : Scope.PARTITION;
      var wrong = builder.partition(name, scope, outer);
      if (wrong != null) {
        faults.add("host " + host + ": " + wrong);
      }
    } else if (!before.equals(around)) {
      faults.add(
          "host %s is in %s, which is in %s there and in %s for other hosts"
              .formatted(host, name, whole(around), whole(before)));
      return outer; // what is set for that one counts
    }
    return builder.has(name) ? name : outer;
  }

  private static String whole(String partition) {
    return partition.isEmpty() ? "nothing else" : partition;
  }

  // Settings

  private void set(Element set) {
    var id = set.get("id", "");
    var rule = set.first("rule");
    var before = faults.size();
    var places = rule == null ? List.of("") : places(id, rule);
    if (faults.size() > before && places.isEmpty()) {
      set.children("nvpair").forEach(it -> lost(it.get("name", "")));
    }
    for (var pair : set.children("nvpair")) {
      var name = pair.get("name", "");
      if (HostHaUse.isSetting(name)) {
        places.forEach(it -> set(id, name, pair.get("value", ""), it));
      }
    }
  }

  private void set(String id, String name, String value, String where) {
    if (name.startsWith(PARAMETER)) {
      parameters
          .computeIfAbsent(where, _ -> new TreeMap<>())
          .put(name.substring(PARAMETER.length()), value);
      return;
    }
    var wrong = builder.set(name, value, where.isEmpty() ? null : where);
    if (wrong != null) {
      faults.add("%s (for %s): %s".formatted(id, scope(where), wrong));
      lost(name);
    }
    if (name.equals(Setting.PROVIDER.text()) && HostSetup.agent(value) == null) {
      faults.add(
          "%s (for %s): %s takes the name of a provider, such as generic, or an agent such as ocf:acme:ha-host, not '%s'"
              .formatted(id, scope(where), name, value));
    }
  }

  /// What a setting is for, for people.
  private static String scope(String where) {
    return where.isEmpty() ? "the whole cluster" : where.contains("=") ? where : "host " + where;
  }

  /// Something is set that makes no sense, and is left out.
  private void lost(String name) {
    if (Setting.of(name) instanceof Setting it && BRAKES.contains(it) && flaw == null) {
      flaw = it.text() + " is set to what makes no sense: this is to be mended first";
    }
  }

  /// What a rule's expressions name: partitions and hosts that there are.
  private List<String> places(String id, Element rule) {
    var found = new ArrayList<String>();
    var terms = rule.children().stream().filter(it -> !it.isComment()).toList();
    if (terms.size() > 1 && !"or".equals(rule.get("boolean-op"))) {
      faults.add(id + ": the expressions of its rule are to be joined by 'or'");
      return List.of();
    }
    for (var term : terms) {
      var attribute = term.get("attribute", "");
      var value = term.get("value", "");
      if (!term.is("expression")
          || !"eq".equals(term.get("operation"))
          || !(attribute.equals(UNAME) || levels.contains(attribute))) {
        faults.add(
            "%s: its rule is to name zones, partitions or hosts: #uname or one of %s, 'eq', a value"
                .formatted(id, String.join(", ", levels)));
        return List.of();
      }
      var place = attribute.equals(UNAME) ? value : attribute + "=" + value;
      var node = attribute.equals(UNAME) ? NodeName.of(value) : null;
      var other = node == null || builder.hasHost(node) ? null : OtherNodes.whatIs(cib, value);
      if (node != null ? builder.hasHost(node) : parents.containsKey(place)) {
        found.add(place);
      } else if (other != null) {
        faults.add("%s: %s is %s".formatted(id, value, other));
      } else {
        doubts.add(
            node != null
                ? "%s: there is no host %s (a zone or partition is named such as zone=east): crm_hostha --configure NAME= --for %s takes away what is set for it"
                    .formatted(id, value, value)
                : "%s: there is no host with %s equal to '%s': set the node attribute, or take away by crm_hostha --configure NAME= --for %s what is set for it"
                    .formatted(id, attribute, value, place));
      }
    }
    return found;
  }

  private Map<String, String> parametersOf(Configuration whole, HostEntry host) {
    var all = new TreeMap<>(parameters.getOrDefault("", Map.of()));
    whole
        .around(host)
        .reversed()
        .forEach(it -> all.putAll(parameters.getOrDefault(it.name(), Map.of())));
    all.putAll(parameters.getOrDefault(host.name().text(), Map.of()));
    return all;
  }

  // What can hardly be meant

  private void doubt(Configuration whole, Map<NodeName, Map<String, String>> own) {
    var on = 0;
    var ratios = new TreeSet<String>();
    for (var host : whole.hosts().values()) {
      var values = whole.valuesOf(host);
      if (!values.is(Setting.ENABLED)) {
        continue;
      }
      on++;
      looks(values, ratios);
      actions(values, ratios);
      if (!host.volumes().isEmpty()
          && values.text(Setting.PROVIDER).equals(GENERIC)
          && !own.getOrDefault(host.name(), Map.of()).containsKey("look")) {
        doubts.add(
            "host %s: its provider generic has no program that looks for signs of life (ha.param.look): it is never recovered, and no guest of it is started elsewhere"
                .formatted(host.name()));
      }
      if (host.volumes().isEmpty()) {
        doubts.add(
            "host %s has no %s: its neighbours can never see it dead, and it is never recovered"
                .formatted(host.name(), Setting.VOLUMES.text()));
      }
    }
    doubts.addAll(ratios);
    doubts.addAll(new SharedDevices(cib).doubts(whole));
    if (on == 1) {
      doubts.add("host HA is on for one host only: without a neighbour it is never eligible");
    }
    if (on > 0 && !hasFencing()) {
      flaw = "there is no fence device that could recover or fence a host";
      faults.add("host HA is on, but " + flaw);
    }
    if (on == 0 && HostHaUse.isConfigured(cib)) {
      doubts.add("host HA is on, but there is no host (ocf:pacemaker:remote) that it is on for");
    }
  }

  /// What settings make of the looks of neighbours.
  private static void looks(Values values, Set<String> doubts) {
    var ratio = values.of(WHOLE, Setting.ACTIVITY_RATIO);
    if (ratio <= HALF) {
      doubts.add(
          Setting.ACTIVITY_RATIO.text()
              + " is at most 0.5: a host is given up of which half of all looks saw life");
    } else if (ratio >= WHOLE) {
      doubts.add(Setting.ACTIVITY_RATIO.text() + " is 1: more looks than all never see nothing, and no host is ever recovered");
    }
    if (values.count(Setting.ACTIVITY_ATTEMPTS) == 1 || values.ms(Setting.ACTIVITY_INTERVAL) < SECOND) {
      doubts.add(
          "%s or %s makes looks too few, or too close to each other, to see a host that writes now and then"
              .formatted(Setting.ACTIVITY_ATTEMPTS.text(), Setting.ACTIVITY_INTERVAL.text()));
    }
  }

  /// Providers that ship, and cannot do what they are to do.
  private static void actions(Values values, Set<String> doubts) {
    var provider = values.text(Setting.PROVIDER);
    if (!Set.of("activity-file", "kvm", "simulated").contains(provider)) {
      return;
    }
    for (var operation : List.of(Setting.RESTART_OPERATION, Setting.STOP_OPERATION)) {
      if (values.text(operation).equals(Setting.BY_PROVIDER)) {
        doubts.add(
            "%s is %s, and the provider %s cannot do that: it fails whenever it is due"
                .formatted(operation.text(), Setting.BY_PROVIDER, provider));
      }
    }
  }

  private boolean hasFencing() {
    var resources = cib.path("configuration", "resources");
    return resources != null
        && resources.find(
                it ->
                    (it.is("primitive") || it.is("template")) && "stonith".equals(it.get("class")))
            != null;
  }
}
