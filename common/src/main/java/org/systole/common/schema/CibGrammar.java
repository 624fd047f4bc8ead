package org.systole.common.schema;

import org.jspecify.annotations.Nullable;
import org.systole.common.schema.ValueType.Plain;

/// The grammar of one version: for each element, what it may hold. Rules are built when they are
/// first needed.
///
/// Safe for use by any number of threads: a rule that two build at once comes out the same.
final class CibGrammar extends Build implements Grammar {
  private final @Nullable Pattern[] contents = new Pattern[Rule.values().length];
  private final ResourceGrammar resources;
  private final ConstraintGrammar constraints;
  private final BlockGrammar blocks;
  private final AccessGrammar access;

  CibGrammar(int version) {
    super(version);
    resources = new ResourceGrammar(version);
    constraints = new ConstraintGrammar(version);
    blocks = new BlockGrammar(version);
    access = new AccessGrammar(version);
  }

  @Override
  public Rule start() {
    return Rule.CIB;
  }

  @Override
  public Pattern content(Rule rule) {
    var content = contents[rule.ordinal()];
    if (content == null) {
      content = build(rule);
      contents[rule.ordinal()] = content;
    }
    return content;
  }

  private Pattern build(Rule rule) {
    return switch (rule) {
      case CIB -> cib();
      case CONFIGURATION -> configuration();
      case STATUS -> Pattern.EMPTY; // whatever is in it is accepted, without a look
      case CRM_CONFIG -> any(child(Rule.CLUSTER_OPTIONS));
      case RSC_DEFAULTS -> any(child(Rule.RSC_DEFAULTS_META));
      case OP_DEFAULTS -> any(child(Rule.OP_DEFAULTS_META));
      case NODES -> any(child(Rule.NODE));
      case NODE -> node();
      case FENCING_TOPOLOGY -> any(child(Rule.FENCING_LEVEL));
      case FENCING_LEVEL -> fencingLevel();
      case TAGS -> any(child(Rule.TAG));
      case TAG -> all(id(), some(child(Rule.OBJ_REF)));
      case OBJ_REF -> needs("id", isSince(3_03) ? Plain.TEXT : Plain.IDREF);
      case ALERTS -> any(child(Rule.ALERT));
      case ALERT -> alert();
      case RECIPIENT -> all(id(), description(), needs("value"), alertBlocks());
      case SELECT -> select();
      case SELECT_ATTRIBUTES -> any(child(Rule.SELECTED_ATTRIBUTE));
      case SELECTED_ATTRIBUTE -> all(id(), needs("name"));
      case SELECT_FENCING, SELECT_NODES, SELECT_RESOURCES -> Pattern.EMPTY;
      case RESOURCES,
          PRIMITIVE,
          TEMPLATE,
          GROUP,
          CLONE,
          MASTER,
          BUNDLE,
          DOCKER,
          RKT,
          PODMAN,
          NETWORK,
          PORT_MAPPING,
          STORAGE,
          STORAGE_MAPPING,
          OPERATIONS,
          OP ->
          resources.content(rule);
      case CONSTRAINTS, LOCATION, COLOCATION, ORDER, TICKET, RESOURCE_SET, RESOURCE_REF, LIFETIME ->
          constraints.content(rule);
      case ACLS,
          ACL_USER,
          ACL_TARGET,
          ACL_GROUP,
          ACL_ROLE,
          ACL_PERMISSION,
          ROLE_REF,
          ROLE,
          READ,
          WRITE,
          DENY ->
          access.content(rule);
      default -> blocks.content(rule);
    };
  }

  private Pattern cib() {
    return all(
        needs("validate-with", new ValueType.OneOf(CibSchemas.namesAndNone())),
        needs("admin_epoch", Plain.NOT_NEGATIVE),
        needs("epoch", Plain.NOT_NEGATIVE),
        needs("num_updates", Plain.NOT_NEGATIVE),
        has("crm_feature_set", "dc-uuid", "cib-last-written"),
        has("remote-tls-port", Plain.NOT_NEGATIVE),
        has("remote-clear-port", Plain.NOT_NEGATIVE),
        has("have-quorum", Plain.BOOLEAN),
        has("no-quorum-panic", Plain.BOOLEAN),
        maybe(since(1_02, has("update-origin", "update-client", "update-user", "execution-date"))),
        child(Rule.CONFIGURATION),
        maybe(child(Rule.STATUS)));
  }

  private Pattern configuration() {
    return mix(
        child(Rule.CRM_CONFIG),
        maybe(child(Rule.RSC_DEFAULTS)),
        maybe(child(Rule.OP_DEFAULTS)),
        child(Rule.NODES),
        child(Rule.RESOURCES),
        child(Rule.CONSTRAINTS),
        maybe(since(1_02, child(Rule.FENCING_TOPOLOGY))),
        maybe(since(1_02, child(Rule.ACLS))),
        maybe(since(1_03, child(Rule.TAGS))),
        maybe(since(2_05, child(Rule.ALERTS))));
  }

  private Pattern node() {
    var type =
        needs(
            "type",
            words("member", since(1_03, "remote"), until(3_10, "ping"), until(2_10, "normal")));
    return all(
        needs("id"),
        needs("uname"),
        isSince(1_02) ? maybe(type) : type,
        description(),
        maybe(since(1_02, score())),
        any(child(Rule.NODE_ATTRIBUTES), since(1_02, child(Rule.UTILIZATION))));
  }

  private Pattern select() {
    return mix(
        maybe(child(Rule.SELECT_ATTRIBUTES)),
        maybe(child(Rule.SELECT_FENCING)),
        maybe(child(Rule.SELECT_NODES)),
        maybe(child(Rule.SELECT_RESOURCES)));
  }

  private Pattern fencingLevel() {
    return all(
        id(),
        either(
            needs("target"),
            needs("target-pattern"),
            since(2_04, all(needs("target-attribute"), needs("target-value")))),
        needs("index", isSince(4_00) ? Plain.LEVEL : Plain.POSITIVE),
        needs("devices", Plain.DEVICES));
  }

  private Pattern alert() {
    var about = all(id(), description(), needs("path"));
    var recipients = any(child(Rule.RECIPIENT));
    return isSince(2_10)
        ? all(about, mix(alertBlocks(), maybe(child(Rule.SELECT)), recipients))
        : all(about, alertBlocks(), recipients);
  }

  private static Pattern alertBlocks() {
    return any(child(Rule.ALERT_META), child(Rule.ALERT_PARAMETERS));
  }
}
