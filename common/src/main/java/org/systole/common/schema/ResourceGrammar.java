package org.systole.common.schema;

import org.systole.common.schema.ValueType.Plain;

/// Resources and their operations.
final class ResourceGrammar extends Build {
  ResourceGrammar(int version) {
    super(version);
  }

  Pattern content(Rule rule) {
    return switch (rule) {
      case RESOURCES -> resources();
      case PRIMITIVE -> primitive();
      case TEMPLATE -> template();
      case GROUP -> collective(some(child(Rule.PRIMITIVE)));
      case CLONE, MASTER -> collective(either(child(Rule.PRIMITIVE), child(Rule.GROUP)));
      case BUNDLE -> bundle();
      case DOCKER, RKT, PODMAN -> container();
      case NETWORK -> network();
      case PORT_MAPPING -> portMapping();
      case STORAGE -> any(child(Rule.STORAGE_MAPPING));
      case STORAGE_MAPPING ->
          all(
              id(),
              either(needs("source-dir"), needs("source-dir-root")),
              needs("target-dir"),
              has("options"));
      case OPERATIONS -> all(has("id", Plain.ID), has("id-ref", Plain.IDREF), any(child(Rule.OP)));
      case OP -> operation();
      default -> throw new IllegalArgumentException(rule.toString());
    };
  }

  private Pattern resources() {
    return any(
        child(Rule.PRIMITIVE),
        child(Rule.GROUP),
        child(Rule.CLONE),
        since(1_02, child(Rule.TEMPLATE)),
        since(2_08, child(Rule.BUNDLE)),
        until(3_10, child(Rule.MASTER)));
  }

  /// @param newer whether classes that came with 1.2 are accepted; templates had them only in 2.7
  private Pattern agent(boolean newer) {
    var classes =
        words(
            "lsb",
            "heartbeat",
            "stonith",
            newer ? "service" : null,
            newer ? "systemd" : null,
            newer ? until(3_10, "nagios") : null,
            until(3_10, "upstart"));
    return all(
        either(all(needs("class", words("ocf")), needs("provider")), needs("class", classes)),
        needs("type"));
  }

  private Pattern primitive() {
    return all(
        id(),
        either(agent(isSince(1_02)), since(1_02, needs("template", Plain.IDREF))),
        description(),
        primitiveContent());
  }

  private Pattern template() {
    return all(id(), agent(isSince(2_07)), description(), primitiveContent());
  }

  private Pattern primitiveContent() {
    return mix(
        any(
            child(Rule.PRIMITIVE_META),
            child(Rule.PRIMITIVE_PARAMETERS),
            since(1_02, child(Rule.UTILIZATION))),
        maybe(child(Rule.OPERATIONS)));
  }

  private static Pattern blocks() {
    return any(child(Rule.RESOURCE_META), child(Rule.RESOURCE_PARAMETERS));
  }

  private static Pattern collective(Pattern members) {
    return all(id(), description(), mix(blocks(), members));
  }

  private Pattern bundle() {
    return all(
        id(),
        description(),
        mix(
            blocks(),
            either(
                child(Rule.DOCKER),
                since(2_10, until(3_10, child(Rule.RKT))),
                since(3_02, child(Rule.PODMAN))),
            maybe(child(Rule.NETWORK)),
            maybe(child(Rule.STORAGE)),
            maybe(child(Rule.PRIMITIVE))));
  }

  private Pattern container() {
    return all(
        needs("image"),
        has("replicas", Plain.INTEGER),
        has("replicas-per-host", Plain.INTEGER),
        maybe(
            either(
                until(3_10, needs("masters", Plain.INTEGER)),
                since(3_00, needs("promoted-max", Plain.INTEGER)))),
        has("run-command", "network", "options"));
  }

  private Pattern network() {
    return all(
        has("ip-range-start", "host-interface"),
        has("control-port", Plain.INTEGER),
        has("host-netmask", Plain.INTEGER),
        maybe(since(3_00, needs("add-host", Plain.BOOLEAN))),
        any(child(Rule.PORT_MAPPING)));
  }

  private Pattern portMapping() {
    return all(
        id(),
        either(
            all(needs("port", Plain.INTEGER), has("internal-port", Plain.INTEGER)),
            needs("range", Plain.PORTS)));
  }

  private Pattern operation() {
    return all(
        id(),
        needs("name"),
        needs("interval"),
        has("description", "timeout"),
        maybe(either(needs("start-delay"), needs("interval-origin"))),
        has("enabled", Plain.BOOLEAN),
        has("record-pending", Plain.BOOLEAN),
        has(
            "role",
            words(
                "Stopped",
                "Started",
                "Slave",
                "Master",
                since(3_07, "Promoted"),
                since(3_07, "Unpromoted"))),
        maybe(
            until(
                2_10,
                needs(
                    "requires", words("nothing", "quorum", "fencing", since(1_03, "unfencing"))))),
        has(
            "on-fail",
            words(
                "ignore",
                "block",
                "stop",
                "restart",
                "standby",
                "fence",
                since(1_02, "restart-container"),
                since(3_04, "demote"))),
        any(child(Rule.OP_META), child(Rule.OP_PARAMETERS)));
  }
}
