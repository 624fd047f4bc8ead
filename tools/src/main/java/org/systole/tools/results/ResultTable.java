package org.systole.tools.results;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What each command's XML result holds beside the frame: its elements, their attributes and what is
/// in them. The commands' own tests hold it to what is printed.
final class ResultTable {
  /// How an attribute's value looks.
  enum Value {
    TEXT,
    BOOLEAN,
    NUMBER
  }

  /// @param required whether it is always there
  record Attribute(String name, Value value, boolean required) {}

  /// An element in one kind of place.
  ///
  /// @param attributes by name
  /// @param children the types that may be inside, by the element's name
  /// @param anything whether what is inside is told elsewhere: configuration, metadata
  record Type(
      String element,
      Map<String, Attribute> attributes,
      Map<String, String> children,
      boolean text,
      boolean anything) {}

  // TYPE: the element is called as what stands behind the last dot. Attributes: `?` if it may lack,
  // `:b` true or false, `:n` a whole number. Behind the bar the types inside; `#text`, `#any`.
  private static final String TYPES =
      """
      pacemakerd: sys_from state last_updated |
      summary: | stack current_dc last_update last_change nodes_configured resources_configured cluster_options
      stack: type? pacemakerd-state? |
      current_dc: present:b version? name? id? with_quorum:b? mixed_version:b? |
      last_update: time origin? |
      last_change: time user client origin |
      nodes_configured: number:n |
      resources_configured: number:n disabled:n blocked:n |
      cluster_options: stonith-enabled:b? fencing-enabled:b? symmetric-cluster:b no-quorum-policy maintenance-mode:b stop-all-resources:b stonith-timeout-ms? fencing-timeout-ms? priority-fencing-delay-ms |
      nodes: | nodes.node
      nodes.node: name id online:b standby:b standby_onfail:b maintenance:b pending:b unclean:b health feature_set? shutdown:b expected_up:b is_dc:b resources_running:n type id_as_resource? | resource
      resources: | resource clone group bundle
      resource: id resource_agent role target_role? active:b orphaned:b removed:b? blocked:b maintenance:b managed:b failed:b failure_ignored:b nodes_running_on:n pending? locked_to? description? | resource.node
      resource.node: name id cached:b |
      clone: id multi_state:b unique:b maintenance:b managed:b disabled:b failed:b failure_ignored:b target_role? description? | resource group
      group: id number_resources:n maintenance:b managed:b disabled:b description? | resource
      bundle: id type image unique:b maintenance:b managed:b failed:b description? | replica
      replica: id:n | resource
      node_attributes: | node_attributes.node
      node_attributes.node: name | node.attribute
      node.attribute: name value expected? |
      node_history: | node_history.node
      node_history.node: name | resource_history
      resource_history: id orphan:b removed:b? migration-threshold:n fail-count? last-failure? | operation_history
      operation_history: call:n task rc:n rc_text interval? last-rc-change? exec-time? queue-time? |
      failures: | failure
      failure: id? op_key? node exitstatus exitreason exitcode:n call:n status last-rc-change? queued:n? exec:n? interval:n? task? |
      fence_history: status:n? | fence_event
      fence_event: action target client? origin? status exit-reason? extended-status? delegate? completed? |
      tickets: | ticket
      ticket: id status? standby:b? granted:b? last-granted? | #any
      bans: | ban
      ban: id resource node weight:n promoted-only:b? master_only:b? |
      hosts: | host
      host: name state since? reason? held? |
      roles: | roles.node roles.lost
      roles.node: name | roles.node.role
      roles.node.role: id state cause? |
      roles.lost: why |
      result-code: code:n name? description? |
      md5-sum: digest |
      output: | #any
      xml: | #any
      updated: | #any
      patchset: | #any
      metadata: | #any
      resource-agent: name version? | #any
      attribute: name value? host? scope? id? |
      node-info: nodeid:n? uname? crmd? id? |
      cluster-info: quorum:b |
      crm_node.nodes: | crm_node.nodes.node
      crm_node.nodes.node: id name? state? |
      crmd: node_name state result |
      dc: node_name |
      crmadmin.nodes: | crmadmin.nodes.node
      crmadmin.nodes.node: type name id |
      rule-check: rule-id rc:n |
      date: | #text
      duration: | #text
      duration_ends: | #text
      period: | period.start period.end
      period.start: | #text
      period.end: | #text
      timings: | timing
      timing: file duration |
      actions: | actions.rsc_action node_action
      actions.rsc_action: action resource source? dest? node? reason? blocked:b? role? next-role? |
      node_action: task node reason? |
      allocations: | node_weight promotion_score
      node_weight: function? node score id |
      promotion_score: id score node |
      utilizations: | capacity utilization
      capacity: node comment? | #any
      utilization: resource? node? function? | #any
      cluster_status: | nodes resources node_attributes node_history failures
      revised_cluster_status: | nodes resources node_attributes node_history failures
      inject_spec: spec |
      modifications: quorum? watchdog? | modify_node modify_ticket
      modify_node: action node |
      modify_ticket: action ticket |
      transition: | transition.rsc_action pseudo_action fencing_action cluster_action inject_attr
      transition.rsc_action: resource op node interval:n? |
      pseudo_action: task node? |
      fencing_action: target op |
      cluster_action: task node id? |
      inject_attr: name value node_path cib_node |
      explanation: | #any
      constraints: | #any
      digests: resource node task interval | #any
      list: name count:n? | item
      item: name? | #text
      crm_resource.nodes: resource | crm_resource.nodes.node
      crm_resource.nodes.node: state? | #text
      operations: | operation
      operation: op node call:n rc:n status rsc agent exec-time? last-rc-change? |
      crm_resource.check: id remain_stopped:b? promotable:b? unmanaged:b? locked-to? unhealthy:b? |
      reason: running_on? running:b? | #any
      resource-settings: | #any
      resource_config: | #any
      crm_resource.resources: | #any
      agents: | #any
      providers: | #any
      standards: | #any
      override: rsc name value |
      validate: agent? valid:b | #any
      last-fenced: target when |
      shadow: instance? file? | #any
      instruction: | #text
      host-ha-replay: | replay.transition replay.action told replay.queue replay.host script unexpected
      replay.transition: time host from to event reason? |
      replay.action: time host name detail? |
      told: time kind host? text |
      replay.queue: time name waiting:n running:n refused:n |
      replay.host: time name state since reason? power? recoveries:n activity-checks:n activity-failures:n activity-unknown:n maintenance:b held? |
      script: time text |
      unexpected: time line:n text |
      host-ha-settings: | setting
      setting: name default narrowest takes effect |
      host-ha-configurations: | host-ha-hosts.warning host-ha-configurations.configuration
      host-ha-configurations.configuration: place | in-force
      in-force: name value |
      host-ha-transitions: | table.transition
      table.transition: from event to deeds? ignored? |
      host-ha-hosts: | host-ha-hosts.warning host-ha-hosts.host host-ha-hosts.queue
      host-ha-hosts.warning: text |
      host-ha-hosts.host: name state seen-as? since reason? partition? power? power-read? maintenance:b recoveries:n activity-checks:n activity-failures:n activity-unknown:n held? | move
      move: time from to event reason? |
      host-ha-hosts.queue: name waiting:n running:n refused:n |
      host-ha-trial: host | check
      check: name by? good:b answer |
      resource-agent-action: action class type provider? rsc? | #any
      features: | #any
      lint: | finding
      finding: id severity about? what fix |
      """;

  private static final String ANY = "#any";

  private static final String STATUS =
      "pacemakerd summary nodes resources node_attributes node_history failures fence_history"
          + " roles hosts tickets bans";

  private static final Map<String, String> COMMANDS = commands();

  private static final Map<String, Type> READ = read();

  private ResultTable() {}

  private static Map<String, String> commands() {
    var commands = new LinkedHashMap<String, String>();
    commands.put("attrd_updater", "attribute");
    commands.put("cibsecret", "");
    commands.put("cibadmin", "output xml md5-sum list");
    commands.put("crm_attribute", "attribute resource-agent list");
    commands.put("crm_diff", "updated patchset");
    commands.put("crm_error", "result-code");
    commands.put("crm_failcount", "");
    commands.put("crm_hostha", "host-ha-configurations host-ha-hosts host-ha-replay host-ha-settings host-ha-transitions host-ha-trial");
    commands.put("crm_master", "");
    commands.put("crm_mon", STATUS);
    commands.put("crm_node", "node-info cluster-info crm_node.nodes");
    commands.put(
        "crm_resource",
        "agents bundle crm_resource.check constraints digests explanation list metadata crm_resource.nodes operations"
            + " override providers reason resource-agent resource-agent-action resource_config resource-settings"
            + " crm_resource.resources standards validate xml");
    commands.put("crm_role", ANY); // ours, and told in roles.md
    commands.put("crm_rule", "rule-check");
    commands.put("crm_shadow", "shadow instruction xml patchset");
    commands.put(
        "crm_simulate",
        "actions allocations cluster_status explanation inject_spec modifications"
            + " modify_node modify_ticket output revised_cluster_status timings transition utilizations");
    commands.put("crm_standby", "");
    commands.put("crm_ticket", "tickets crm_resource.resources");
    commands.put("crm_verify", "lint");
    commands.put("crmadmin", "crmd crmadmin.nodes dc pacemakerd");
    commands.put("iso8601", "date duration duration_ends period");
    commands.put("pacemakerd", "pacemakerd features");
    commands.put("stonith_admin", "fence_history last-fenced list metadata validate");
    return commands;
  }

  private static Map<String, Type> read() {
    var types = new LinkedHashMap<String, Type>();
    for (var line : TYPES.lines().toList()) {
      var name = line.substring(0, line.indexOf(':'));
      var rest = line.substring(name.length() + 1);
      var bar = rest.indexOf('|');
      var attributes = new LinkedHashMap<String, Attribute>();
      for (var word : words(rest.substring(0, bar))) {
        var attribute = attribute(word);
        attributes.put(attribute.name(), attribute);
      }
      var inside = new LinkedHashSet<>(words(rest.substring(bar + 1)));
      var text = inside.remove("#text");
      var anything = inside.remove(ANY);
      types.put(name, new Type(element(name), attributes, byElement(inside), text, anything));
    }
    return types;
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split(" +"));
  }

  private static Attribute attribute(String word) {
    var required = !word.endsWith("?");
    var name = required ? word : word.substring(0, word.length() - 1);
    if (name.endsWith(":b")) {
      return new Attribute(name.substring(0, name.length() - 2), Value.BOOLEAN, required);
    }
    return name.endsWith(":n")
        ? new Attribute(name.substring(0, name.length() - 2), Value.NUMBER, required)
        : new Attribute(name, Value.TEXT, required);
  }

  static String element(String type) {
    return type.substring(type.lastIndexOf('.') + 1);
  }

  private static Map<String, String> byElement(Iterable<String> types) {
    var children = new LinkedHashMap<String, String>();
    types.forEach(it -> children.put(element(it), it));
    return children;
  }

  /// The commands that have results in XML.
  static Set<String> names() {
    return COMMANDS.keySet();
  }

  /// The types of the elements that a command's result may hold, by the elements' names; null if
  /// there is no such command.
  static @Nullable Map<String, String> of(String command) {
    var types = COMMANDS.get(command);
    return types == null ? null : types.equals(ANY) ? Map.of() : byElement(words(types));
  }

  /// Whether the command's result is told elsewhere.
  static boolean isOpen(String command) {
    return ANY.equals(COMMANDS.get(command));
  }

  static Type type(String name) {
    var type = READ.get(name);
    if (type == null) {
      throw new IllegalArgumentException("no type " + name);
    }
    return type;
  }
}
