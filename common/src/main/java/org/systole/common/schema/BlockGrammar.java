package org.systole.common.schema;

import java.util.List;
import org.systole.common.schema.ValueType.NoneOf;
import org.systole.common.schema.ValueType.Plain;

/// Blocks of names and values, and the rules they and constraints hang on.
final class BlockGrammar extends Build {
  /// Cluster options as they were called before 3.0.
  private static final List<String> OLD_OPTIONS =
      List.of(
          "cluster-infrastructure",
          "cluster_recheck_interval",
          "dc_deadtime",
          "default-action-timeout",
          "default_action_timeout",
          "default-migration-threshold",
          "default_migration_threshold",
          "default-resource-failure-stickiness",
          "default_resource_failure_stickiness",
          "default-resource-stickiness",
          "default_resource_stickiness",
          "election_timeout",
          "expected-quorum-votes",
          "is-managed-default",
          "is_managed_default",
          "no_quorum_policy",
          "notification-agent",
          "notification-recipient",
          "remove_after_stop",
          "shutdown_escalation",
          "startup_fencing",
          "stonith_action",
          "stonith_enabled",
          "stop_orphan_actions",
          "stop_orphan_resources",
          "symmetric_cluster",
          "transition_idle_timeout");

  private static final List<String> OLD_STACKS =
      List.of("heartbeat", "openais", "classic openais", "classic openais (with plugin)", "cman");

  BlockGrammar(int version) {
    super(version);
  }

  Pattern content(Rule rule) {
    return switch (rule) {
      case CLUSTER_OPTIONS -> block(Rule.OPTION_RULE, Rule.CLUSTER_OPTION);
      case RSC_DEFAULTS_META ->
          block(Rule.OPTION_RULE, isSince(4_00) ? Rule.RSC_DEFAULTS_PAIR : Rule.DEFAULTS_PAIR);
      case OP_DEFAULTS_META ->
          block(Rule.OPTION_RULE, isSince(4_00) ? Rule.OP_DEFAULTS_PAIR : Rule.DEFAULTS_PAIR);
      case RESOURCE_META ->
          block(Rule.BLOCK_RULE, isSince(4_00) ? Rule.RESOURCE_META_PAIR : Rule.PAIR);
      case PRIMITIVE_META -> block(Rule.BLOCK_RULE, Rule.PRIMITIVE_META_PAIR);
      case PRIMITIVE_PARAMETERS -> block(Rule.BLOCK_RULE, Rule.PRIMITIVE_PARAMETERS_PAIR);
      case OP_META -> block(Rule.BLOCK_RULE, Rule.OP_META_PAIR);
      case OP_PARAMETERS -> block(Rule.BLOCK_RULE, Rule.OP_PARAMETERS_PAIR);
      case RESOURCE_PARAMETERS, NODE_ATTRIBUTES, UTILIZATION -> block(Rule.BLOCK_RULE, Rule.PAIR);
      case ALERT_META, ALERT_PARAMETERS -> block(Rule.CONSTRAINT_RULE, Rule.PAIR);
      case CLUSTER_OPTION -> pair(isSince(3_00), clusterOption());
      case DEFAULTS_PAIR -> pair(isSince(3_00), named(Plain.TEXT));
      case PAIR -> pair(isSince(1_03), named(Plain.TEXT));
      case RSC_DEFAULTS_PAIR, RESOURCE_META_PAIR -> pair(true, named(none("restart-type")));
      case PRIMITIVE_META_PAIR -> pair(isSince(1_03), named(primitiveMeta()));
      case PRIMITIVE_PARAMETERS_PAIR -> pair(isSince(1_03), named(primitiveParameters()));
      case OP_DEFAULTS_PAIR -> pair(true, named(none("can_fail", "role_after_failure")));
      case OP_META_PAIR -> pair(isSince(1_03), named(operationMeta()));
      case OP_PARAMETERS_PAIR -> pair(isSince(1_03), named(operationParameters()));
      case BLOCK_RULE -> rule(rule, Rule.BLOCK_EXPRESSION, isSince(3_04));
      case OPTION_RULE -> rule(rule, Rule.OPTION_EXPRESSION, isSince(3_04));
      case CONSTRAINT_RULE -> rule(rule, Rule.BLOCK_EXPRESSION, isSince(3_05));
      case BLOCK_EXPRESSION -> expression(isSince(2_09));
      case OPTION_EXPRESSION -> expression(isSince(3_00));
      case DATE_EXPRESSION -> isSince(3_09) ? dateExpression() : oldDateExpression();
      case RSC_EXPRESSION -> all(id(), has("class", "provider", "type"));
      case OP_EXPRESSION -> all(id(), needs("name"), has("interval"));
      case DURATION -> duration();
      case DATE_SPEC -> dateSpec();
      default -> throw new IllegalArgumentException(rule.toString());
    };
  }

  private static ValueType none(String... words) {
    return new NoneOf(List.of(words));
  }

  private Pattern block(Rule condition, Rule pair) {
    return either(
        needs("id-ref", Plain.IDREF),
        all(id(), maybe(score()), mix(maybe(child(condition)), any(child(pair)))));
  }

  /// @param byReference whether it may refer to another pair
  private Pattern pair(boolean byReference, Pattern nameAndValue) {
    var reference = needs("id-ref", Plain.IDREF);
    return either(
        byReference ? isSince(4_00) ? reference : all(reference, has("name")) : Pattern.REFUSED,
        all(id(), nameAndValue));
  }

  private Pattern named(ValueType name) {
    return all(needs("name", name), value());
  }

  private Pattern value() {
    return isSince(4_00) ? needs("value") : has("value");
  }

  private Pattern clusterOption() {
    if (!isSince(3_00)) {
      return named(Plain.TEXT);
    }
    if (!isSince(4_00)) {
      return either(
          all(
              needs("name", new ValueType.Exactly("cluster-infrastructure")),
              needs("value", new NoneOf(OLD_STACKS))),
          named(new NoneOf(OLD_OPTIONS)));
    }
    return either(
        named(
            none(
                "crmd-finalization-timeout",
                "crmd-integration-timeout",
                "crmd-transition-delay",
                "remove-after-stop",
                "stonith-action")),
        all(
            needs("name", new ValueType.Exactly("stonith-action")),
            needs("value", none("poweroff"))));
  }

  private ValueType primitiveMeta() {
    if (isSince(4_00)) {
      return none("restart-type");
    }
    return isSince(3_00)
        ? none("isolation", "isolation-host", "isolation-instance", "isolation-wrapper")
        : Plain.TEXT;
  }

  private ValueType primitiveParameters() {
    return isSince(3_00) && !isSince(3_01)
        ? none(
            "pcmk_arg_map",
            "pcmk_list_cmd",
            "pcmk_monitor_cmd",
            "pcmk_off_cmd",
            "pcmk_on_cmd",
            "pcmk_reboot_cmd",
            "pcmk_status_cmd")
        : Plain.TEXT;
  }

  private ValueType operationMeta() {
    if (isSince(4_00)) {
      return none("can_fail", "role_after_failure");
    }
    return isSince(3_00) ? none("requires") : Plain.TEXT;
  }

  private ValueType operationParameters() {
    return isSince(3_00) && !isSince(3_01)
        ? none(
            "interval-origin",
            "start-delay",
            "enabled",
            "on-fail",
            "record-pending",
            "role",
            "timeout",
            "requires")
        : Plain.TEXT;
  }

  /// @param byAgent whether conditions on the agent and the operation are accepted
  private Pattern rule(Rule self, Rule expression, boolean byAgent) {
    var score = either(score(), needs("score-attribute"));
    return either(
        needs("id-ref", Plain.IDREF),
        all(
            id(),
            isSince(3_09) ? maybe(score) : score,
            has("boolean-op", words("or", "and")),
            has("role"),
            some(
                either(
                    child(expression),
                    child(Rule.DATE_EXPRESSION),
                    byAgent ? child(Rule.RSC_EXPRESSION) : Pattern.REFUSED,
                    byAgent ? child(Rule.OP_EXPRESSION) : Pattern.REFUSED,
                    child(self)))));
  }

  private Pattern expression(boolean valueSource) {
    return all(
        id(),
        needs("attribute"),
        needs("operation", words("lt", "gt", "lte", "gte", "eq", "ne", "defined", "not_defined")),
        has("value"),
        has("type", words("string", "number", "version", since(3_05, "integer"))),
        valueSource ? has("value-source", words("literal", "param", "meta")) : Pattern.EMPTY);
  }

  private static Pattern operation(String name) {
    return needs("operation", words(name));
  }

  private static Pattern oldDateExpression() {
    return all(
        id(),
        either(
            all(
                operation("in_range"),
                either(all(has("start"), needs("end")), all(needs("start"), child(Rule.DURATION)))),
            all(operation("gt"), needs("start")),
            all(operation("lt"), needs("end")),
            all(operation("date_spec"), child(Rule.DATE_SPEC))));
  }

  private static Pattern dateExpression() {
    return all(
        id(),
        either(
            all(
                operation("in_range"),
                either(all(needs("start"), has("end")), needs("end")),
                maybe(child(Rule.DURATION))),
            all(operation("gt"), needs("start")),
            all(operation("lt"), needs("end")),
            all(operation("date_spec"), child(Rule.DATE_SPEC))));
  }

  private Pattern duration() {
    return all(
        id(),
        has("hours", "monthdays", "weekdays", "yearsdays", "months", "weeks", "years", "weekyears"),
        has("moon"),
        isSince(3_09) ? has("days", "minutes", "seconds") : Pattern.EMPTY);
  }

  private Pattern dateSpec() {
    return all(
        id(),
        has("hours", "monthdays", "weekdays", "yearsdays", "months", "weeks", "years", "weekyears"),
        isSince(4_00) ? Pattern.EMPTY : has("moon"),
        isSince(3_09) ? has("minutes", "seconds", "yeardays") : Pattern.EMPTY);
  }
}
