package org.systole.common.schema;

import java.util.ArrayList;
import java.util.Arrays;
import org.systole.common.schema.ValueType.Plain;

/// The roles document: jigs, roles, nodes, deployments and snapshots; packages of roles; and stories
/// of a roles document.
final class RolesGrammar extends Build implements Grammar {
  private static final int VERSION = 1;
  private static final String[] FLAGS = {
    "discovery",
    "bootstrap",
    "implicit",
    "library",
    "cluster",
    "service",
    "destructive",
    "abstract",
    "milestone"
  };

  private final Rule start;

  RolesGrammar(Rule start) {
    super(VERSION);
    this.start = start;
  }

  @Override
  public Rule start() {
    return start;
  }

  @Override
  public Pattern content(Rule rule) {
    return switch (rule) {
      case ROLES_DOCUMENT ->
          all(
              needs("version", words("1")),
              needs("domain"),
              has("spent", Plain.POSITIVE),
              has("anew", Plain.POSITIVE),
              maybe(child(Rule.ROLE_JIGS)),
              maybe(child(Rule.ROLE_ROLES)),
              maybe(child(Rule.ROLE_NODES)),
              maybe(child(Rule.ROLE_DEPLOYMENTS)),
              maybe(child(Rule.ROLE_SNAPSHOTS)),
              maybe(child(Rule.ROLE_GONE)));
      case ROLE_PACKAGE ->
          all(needs("id"), description(), maybe(child(Rule.ROLE_DEFAULTS)), any(child(Rule.ROLE_OVERRIDE)));
      case ROLE_JIGS -> any(child(Rule.ROLE_JIG));
      case ROLE_JIG -> all(needs("id"), has("active", Plain.BOOLEAN));
      case ROLE_ROLES -> any(child(Rule.ROLE_ROLE));
      case ROLE_ROLE -> all(needs("id"), needs("jig"), properties());
      case ROLE_OVERRIDE -> all(needs("id"), has("jig"), properties());
      case ROLE_DEFAULTS -> all(has("jig"), properties());
      case ROLE_REQUIRES, ROLE_CONFLICTS -> needs("role");
      case ROLE_PROVIDES -> needs("name");
      case ROLE_ON -> needs("event");
      case ROLE_NODES -> any(child(Rule.ROLE_NODE));
      case ROLE_NODE ->
          all(
              needs("name"),
              has("admin", Plain.BOOLEAN),
              has("alive", Plain.BOOLEAN),
              has("available", Plain.BOOLEAN),
              has("deployment"),
              any(child(Rule.ROLE_ONCE)));
      case ROLE_GONE -> any(child(Rule.ROLE_GONE_NODE));
      case ROLE_GONE_NODE -> all(needs("name"), any(child(Rule.ROLE_ONCE)));
      case ROLE_ONCE -> all(needs("role"), needs("done", Plain.BOOLEAN));
      case ROLE_DEPLOYMENTS -> any(child(Rule.ROLE_DEPLOYMENT));
      case ROLE_DEPLOYMENT -> all(needs("id"), has("parent"));
      case ROLE_SNAPSHOTS -> any(child(Rule.ROLE_SNAPSHOT));
      case ROLE_SNAPSHOT ->
          all(
              needs("deployment"),
              needs("number", Plain.POSITIVE),
              needs("state", words("proposed", "committed", "archived")),
              any(child(Rule.ROLE_DEPLOYMENT_ROLE)),
              any(child(Rule.ROLE_NODEROLE)));
      case ROLE_DEPLOYMENT_ROLE -> needs("role");
      case ROLE_NODEROLE -> nodeRole();
      case ROLE_PARENT -> all(needs("role"), needs("node"));
      case ROLE_DATA, ROLE_USER, ROLE_SYSTEM, ROLE_WALL -> Pattern.EMPTY;
      default -> step(rule);
    };
  }

  private static Pattern step(Rule rule) {
    return switch (rule) {
      case ROLE_SIMULATION -> all(maybe(child(Rule.ROLES_DOCUMENT)), child(Rule.ROLE_STEPS));
      case ROLE_STEPS -> any(steps());
      case STEP_CREATE_NODE -> all(needs("node"), has("admin", Plain.BOOLEAN));
      case STEP_DELETE_NODE -> all(needs("node"), has("force", Plain.BOOLEAN));
      case STEP_ALIVE,
          STEP_DEAD,
          STEP_AVAILABLE,
          STEP_UNAVAILABLE,
          STEP_RESTARTED ->
          needs("node");
      case STEP_MOVE_NODE -> all(needs("node"), has("deployment"));
      case STEP_REMOVE_ROLE -> needs("role");
      case STEP_CREATE_DEPLOYMENT -> all(needs("id"), has("parent"));
      case STEP_DELETE_DEPLOYMENT -> needs("id");
      case STEP_PROPOSE -> all(has("deployment"), has("from", Plain.POSITIVE));
      case STEP_BIND, STEP_UNBIND -> all(has("deployment"), needs("role"), needs("node"));
      case STEP_SET -> all(has("deployment"), needs("role"), has("node"));
      case STEP_COMMIT -> has("deployment");
      case STEP_ARCHIVE -> all(has("deployment"), needs("number", Plain.POSITIVE));
      case STEP_RETRY -> all(needs("role"), needs("node"), has("again", Plain.BOOLEAN));
      case STEP_ACCEPT -> all(needs("role"), needs("node"));
      case STEP_ANSWER ->
          all(
              needs("role"),
              has("node"),
              has("as", words("ok", "error", "lost", "hang")),
              has("times", Plain.POSITIVE));
      case STEP_END ->
          all(
              needs("role"),
              needs("node"),
              has("as", words("ok", "error", "lost")),
              has("run", Plain.POSITIVE));
      case STEP_CHECK -> all(needs("role"), needs("node"), has("as", words("ok", "error")));
      case STEP_GATE -> has("roles");
      case STEP_PASS, STEP_ANNEAL -> Pattern.EMPTY;
      case STEP_SHOW -> show();
      default -> throw new IllegalArgumentException(rule.toString());
    };
  }

  private static Pattern[] steps() {
    var steps =
        Arrays.stream(Rule.values())
            .filter(it -> it.name().startsWith("STEP_"))
            .map(Build::child)
            .toList();
    var all = new ArrayList<>(steps);
    all.add(child(Rule.ROLE_JIG));
    all.add(child(Rule.ROLE_ROLE));
    return all.toArray(new Pattern[0]);
  }

  private static Pattern show() {
    return all(
        needs(
            "what",
            words(
                "graph",
                "proposed",
                "waits",
                "attributes",
                "data",
                "groups",
                "difference",
                "dot",
                "document")),
        has("deployment"),
        has("role"),
        has("node"),
        has("number", Plain.POSITIVE),
        has("from", Plain.POSITIVE),
        has("to", Plain.POSITIVE));
  }

  private static Pattern properties() {
    var flags = Pattern.EMPTY;
    for (var at = FLAGS.length - 1; at >= 0; at--) {
      flags = Pattern.sequence(has(FLAGS[at], Plain.BOOLEAN), flags);
    }
    return all(
        description(),
        has("timeout"),
        has("check-interval"),
        has("check-then", words("error", "redo")),
        flags,
        any(child(Rule.ROLE_REQUIRES), child(Rule.ROLE_CONFLICTS), child(Rule.ROLE_PROVIDES)),
        maybe(child(Rule.ROLE_DATA)),
        any(child(Rule.ROLE_ON)));
  }

  private static Pattern nodeRole() {
    return all(
        needs("role"),
        needs("node"),
        needs("state", words("proposed", "todo", "blocked", "transition", "active", "error")),
        has("run", Plain.NOT_NEGATIVE),
        has("cause"),
        any(child(Rule.ROLE_PARENT)),
        maybe(child(Rule.ROLE_USER)),
        maybe(child(Rule.ROLE_SYSTEM)),
        maybe(child(Rule.ROLE_WALL)));
  }
}
