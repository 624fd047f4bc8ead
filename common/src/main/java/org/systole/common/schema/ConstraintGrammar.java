package org.systole.common.schema;

import org.systole.common.schema.ValueType.Plain;

/// Constraints.
final class ConstraintGrammar extends Build {
  private static final ValueType ACTIONS = words("start", "promote", "demote", "stop");
  private static final ValueType KINDS = words("Optional", "Mandatory", "Serialize");

  ConstraintGrammar(int version) {
    super(version);
  }

  Pattern content(Rule rule) {
    return switch (rule) {
      case CONSTRAINTS ->
          any(
              child(Rule.LOCATION),
              child(Rule.COLOCATION),
              child(Rule.ORDER),
              since(1_02, child(Rule.TICKET)));
      case LOCATION -> location();
      case COLOCATION -> colocation();
      case ORDER -> order();
      case TICKET -> ticket();
      case RESOURCE_SET -> resourceSet();
      case RESOURCE_REF -> needs("id", Plain.IDREF);
      case LIFETIME -> some(child(Rule.CONSTRAINT_RULE));
      default -> throw new IllegalArgumentException(rule.toString());
    };
  }

  private ValueType roles() {
    return words(
        "Stopped",
        "Started",
        "Master",
        "Slave",
        since(3_07, "Promoted"),
        since(3_07, "Unpromoted"));
  }

  private static Pattern sets() {
    return some(child(Rule.RESOURCE_SET));
  }

  private Pattern lifetime() {
    return maybe(until(3_10, child(Rule.LIFETIME)));
  }

  private Pattern location() {
    var resource = needs("rsc", Plain.IDREF);
    var what =
        isSince(1_02)
            ? either(
                all(either(resource, since(2_06, needs("rsc-pattern"))), has("role", roles())),
                sets())
            : resource;
    var rule = child(Rule.CONSTRAINT_RULE);
    return all(
        id(),
        what,
        either(all(score(), needs("node")), isSince(4_00) ? rule : some(rule)),
        lifetime(),
        maybe(since(2_02, needs("resource-discovery", words("always", "never", "exclusive")))));
  }

  private Pattern colocation() {
    return all(
        id(),
        maybe(
            either(
                score(),
                until(2_10, needs("score-attribute")),
                until(2_10, needs("score-attribute-mangle")))),
        maybe(since(3_06, needs("influence"))),
        lifetime(),
        either(
            sets(),
            all(
                needs("rsc", Plain.IDREF),
                needs("with-rsc", Plain.IDREF),
                has("node-attribute"),
                has("rsc-role", roles()),
                has("with-rsc-role", roles()))));
  }

  private Pattern order() {
    return all(
        id(),
        lifetime(),
        has("symmetrical", Plain.BOOLEAN),
        maybe(since(2_03, needs("require-all", Plain.BOOLEAN))),
        maybe(either(score(), needs("kind", KINDS))),
        either(
            sets(),
            all(
                needs("first", Plain.IDREF),
                needs("then", Plain.IDREF),
                has("first-action", ACTIONS),
                has("then-action", ACTIONS))));
  }

  private Pattern ticket() {
    return all(
        id(),
        either(sets(), all(needs("rsc", Plain.IDREF), has("rsc-role", roles()))),
        needs("ticket"),
        has("loss-policy", words("stop", "demote", "fence", "freeze")));
  }

  private Pattern resourceSet() {
    return either(
        needs("id-ref", Plain.IDREF),
        all(
            id(),
            has("sequential", Plain.BOOLEAN),
            maybe(since(1_02, needs("require-all", Plain.BOOLEAN))),
            maybe(since(2_01, needs("ordering", words("group", "listed")))),
            has("action", ACTIONS),
            has("role", roles()),
            maybe(either(score(), since(3_00, needs("kind", KINDS)))),
            some(child(Rule.RESOURCE_REF))));
  }
}
