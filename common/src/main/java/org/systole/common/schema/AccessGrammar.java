package org.systole.common.schema;

import org.systole.common.schema.ValueType.Plain;

/// Access rights: users with rights of their own up to 1.3, then targets and groups with roles.
final class AccessGrammar extends Build {
  AccessGrammar(int version) {
    super(version);
  }

  Pattern content(Rule rule) {
    return switch (rule) {
      case ACLS ->
          any(
              until(1_03, child(Rule.ACL_USER)),
              since(2_00, child(Rule.ACL_TARGET)),
              since(2_00, child(Rule.ACL_GROUP)),
              child(Rule.ACL_ROLE));
      case ACL_USER -> all(id(), either(any(child(Rule.ROLE_REF)), rights()));
      case ACL_TARGET -> holder(needs("id"));
      case ACL_GROUP -> holder(id());
      case ACL_ROLE ->
          isSince(2_00)
              ? all(id(), description(), any(child(Rule.ACL_PERMISSION)))
              : all(id(), rights());
      case ACL_PERMISSION -> permission();
      case ROLE_REF, ROLE -> needs("id", Plain.IDREF);
      case READ, WRITE, DENY -> right();
      default -> throw new IllegalArgumentException(rule.toString());
    };
  }

  private static Pattern rights() {
    return any(child(Rule.READ), child(Rule.WRITE), child(Rule.DENY));
  }

  private Pattern holder(Pattern id) {
    return all(id, maybe(since(3_08, needs("name"))), any(child(Rule.ROLE)));
  }

  private static Pattern right() {
    var ref = needs("ref", Plain.IDREF);
    return all(id(), either(ref, all(needs("tag"), maybe(ref)), needs("xpath")), has("attribute"));
  }

  private static Pattern permission() {
    return all(
        id(),
        needs("kind", words("read", "write", "deny")),
        either(
            needs("xpath"),
            needs("reference", Plain.IDREF),
            all(needs("object-type"), has("attribute"))),
        description());
  }
}
