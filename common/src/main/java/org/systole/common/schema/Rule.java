package org.systole.common.schema;

/// An element in its place: elements of one name that may hold different things in different places
/// have a rule for each.
enum Rule {
  CIB("cib"),
  CONFIGURATION("configuration"),
  STATUS("status"),
  CRM_CONFIG("crm_config"),
  RSC_DEFAULTS("rsc_defaults"),
  OP_DEFAULTS("op_defaults"),
  NODES("nodes"),
  NODE("node"),
  RESOURCES("resources"),
  PRIMITIVE("primitive"),
  TEMPLATE("template"),
  GROUP("group"),
  CLONE("clone"),
  MASTER("master"),
  BUNDLE("bundle"),
  DOCKER("docker"),
  RKT("rkt"),
  PODMAN("podman"),
  NETWORK("network"),
  PORT_MAPPING("port-mapping"),
  STORAGE("storage"),
  STORAGE_MAPPING("storage-mapping"),
  OPERATIONS("operations"),
  OP("op"),
  CONSTRAINTS("constraints"),
  LOCATION("rsc_location"),
  COLOCATION("rsc_colocation"),
  ORDER("rsc_order"),
  TICKET("rsc_ticket"),
  RESOURCE_SET("resource_set"),
  RESOURCE_REF("resource_ref"),
  LIFETIME("lifetime"),
  FENCING_TOPOLOGY("fencing-topology"),
  FENCING_LEVEL("fencing-level"),
  ACLS("acls"),
  ACL_USER("acl_user"),
  ACL_TARGET("acl_target"),
  ACL_GROUP("acl_group"),
  ACL_ROLE("acl_role"),
  ACL_PERMISSION("acl_permission"),
  ROLE_REF("role_ref"),
  ROLE("role"),
  READ("read"),
  WRITE("write"),
  DENY("deny"),
  TAGS("tags"),
  TAG("tag"),
  OBJ_REF("obj_ref"),
  ALERTS("alerts"),
  ALERT("alert"),
  RECIPIENT("recipient"),
  SELECT("select"),
  SELECT_ATTRIBUTES("select_attributes"),
  SELECT_FENCING("select_fencing"),
  SELECT_NODES("select_nodes"),
  SELECT_RESOURCES("select_resources"),
  SELECTED_ATTRIBUTE("attribute"),

  /// Cluster options.
  CLUSTER_OPTIONS("cluster_property_set"),
  CLUSTER_OPTION("nvpair"),
  /// Blocks of the defaults, the alerts, the nodes and of resources that are no primitives.
  RSC_DEFAULTS_META("meta_attributes"),
  OP_DEFAULTS_META("meta_attributes"),
  RESOURCE_META("meta_attributes"),
  RESOURCE_PARAMETERS("instance_attributes"),
  PRIMITIVE_META("meta_attributes"),
  PRIMITIVE_PARAMETERS("instance_attributes"),
  OP_META("meta_attributes"),
  OP_PARAMETERS("instance_attributes"),
  ALERT_META("meta_attributes"),
  ALERT_PARAMETERS("instance_attributes"),
  NODE_ATTRIBUTES("instance_attributes"),
  UTILIZATION("utilization"),
  /// The pairs in them.
  DEFAULTS_PAIR("nvpair"),
  PAIR("nvpair"),
  RSC_DEFAULTS_PAIR("nvpair"),
  OP_DEFAULTS_PAIR("nvpair"),
  RESOURCE_META_PAIR("nvpair"),
  PRIMITIVE_META_PAIR("nvpair"),
  PRIMITIVE_PARAMETERS_PAIR("nvpair"),
  OP_META_PAIR("nvpair"),
  OP_PARAMETERS_PAIR("nvpair"),

  /// Conditions of blocks, of the options' and defaults' blocks, and of constraints and alerts: the
  /// latter two had the newer expressions later.
  BLOCK_RULE("rule"),
  OPTION_RULE("rule"),
  CONSTRAINT_RULE("rule"),
  BLOCK_EXPRESSION("expression"),
  OPTION_EXPRESSION("expression"),
  DATE_EXPRESSION("date_expression"),
  RSC_EXPRESSION("rsc_expression"),
  OP_EXPRESSION("op_expression"),
  DURATION("duration"),
  DATE_SPEC("date_spec"),

  /// The roles document and role packages.
  ROLES_DOCUMENT("roles-document"),
  ROLE_PACKAGE("role-package"),
  ROLE_JIGS("jigs"),
  ROLE_JIG("jig"),
  ROLE_ROLES("roles"),
  ROLE_ROLE("role"),
  ROLE_DEFAULTS("defaults"),
  ROLE_OVERRIDE("role"),
  ROLE_REQUIRES("requires"),
  ROLE_CONFLICTS("conflicts"),
  ROLE_PROVIDES("provides"),
  ROLE_DATA("data"),
  ROLE_ON("on"),
  ROLE_NODES("nodes"),
  ROLE_NODE("node"),
  ROLE_ONCE("once"),
  ROLE_GONE("gone"),
  ROLE_GONE_NODE("node"),
  ROLE_DEPLOYMENTS("deployments"),
  ROLE_DEPLOYMENT("deployment"),
  ROLE_SNAPSHOTS("snapshots"),
  ROLE_SNAPSHOT("snapshot"),
  ROLE_DEPLOYMENT_ROLE("deployment-role"),
  ROLE_NODEROLE("noderole"),
  ROLE_PARENT("parent"),
  ROLE_USER("user"),
  ROLE_SYSTEM("system"),
  ROLE_WALL("wall"),

  /// Stories of a roles document.
  ROLE_SIMULATION("role-simulation"),
  ROLE_STEPS("steps"),
  STEP_CREATE_NODE("create-node"),
  STEP_DELETE_NODE("delete-node"),
  STEP_ALIVE("alive"),
  STEP_DEAD("dead"),
  STEP_AVAILABLE("available"),
  STEP_UNAVAILABLE("unavailable"),
  STEP_RESTARTED("restarted"),
  STEP_MOVE_NODE("move-node"),
  STEP_REMOVE_ROLE("remove-role"),
  STEP_CREATE_DEPLOYMENT("create-deployment"),
  STEP_DELETE_DEPLOYMENT("delete-deployment"),
  STEP_PROPOSE("propose"),
  STEP_BIND("bind"),
  STEP_UNBIND("unbind"),
  STEP_SET("set"),
  STEP_COMMIT("commit"),
  STEP_ARCHIVE("archive"),
  STEP_RETRY("retry"),
  STEP_ACCEPT("accept"),
  STEP_ANSWER("answer"),
  STEP_END("end"),
  STEP_CHECK("check"),
  STEP_GATE("gate"),
  STEP_PASS("pass"),
  STEP_ANNEAL("anneal"),
  STEP_SHOW("show");

  private final String element;

  Rule(String element) {
    this.element = element;
  }

  /// Whether it holds text.
  boolean holdsText() {
    return switch (this) {
      case ROLE_DATA, ROLE_ON, ROLE_DEPLOYMENT_ROLE, ROLE_USER, ROLE_SYSTEM, ROLE_WALL -> true;
      case STEP_SET, STEP_ANSWER, STEP_END, STEP_CHECK -> true;
      default -> false;
    };
  }

  /// The element's name.
  String element() {
    return element;
  }
}
