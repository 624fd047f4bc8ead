package org.systole.common.schema;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Small CIBs, each with one thing in it, and the versions that accept it.
final class Documents {
  private static final String RULE = "<expression id='e' attribute='a' operation='eq' value='1'/>";
  private static final String P = "<primitive id='p' class='ocf' provider='x' type='T'/>";
  private static final String Q = "<primitive id='q' class='ocf' provider='x' type='T'/>";

  /// One CIB.
  ///
  /// @param reason what is tried
  /// @param accepted versions as "1.2-3.10 4.0", or "never" or "always"
  record Document(String reason, String accepted, String xml) {
    Element cib() {
      try {
        return XmlReader.parse(xml);
      } catch (XmlException e) {
        throw new IllegalStateException(reason + ": " + e.getMessage(), e);
      }
    }

    boolean isFor(String schema) {
      if (accepted.equals("always") || accepted.equals("never")) {
        return accepted.equals("always");
      }
      var names = CibSchemas.names();
      for (var range : accepted.split(" ")) {
        var ends = range.split("-");
        var from = names.indexOf("pacemaker-" + ends[0]);
        var to = names.indexOf("pacemaker-" + ends[ends.length - 1]);
        if (names.indexOf(schema) >= from && names.indexOf(schema) <= to) {
          return true;
        }
      }
      return false;
    }
  }

  private final List<Document> documents = new ArrayList<>();

  private Documents() {}

  static List<Document> all() {
    var all = new Documents();
    all.cib();
    all.nodes();
    all.blocks();
    all.options();
    all.rules();
    all.resources();
    all.bundles();
    all.operations();
    all.constraints();
    all.others();
    return all.documents;
  }

  private static String frame(String options, String nodes, String resources, String constraints) {
    return "<configuration><crm_config>"
        + options
        + "</crm_config><nodes>"
        + nodes
        + "</nodes><resources>"
        + resources
        + "</resources><constraints>"
        + constraints
        + "</constraints>";
  }

  private static String cib(String content) {
    return "<cib admin_epoch='0' epoch='1' num_updates='0' validate-with='none'>"
        + content
        + "</cib>";
  }

  private void whole(String reason, String accepted, String xml) {
    documents.add(new Document(reason, accepted, xml));
  }

  private void option(String reason, String accepted, String xml) {
    whole(reason, accepted, cib(frame(xml, "", "", "") + "</configuration>"));
  }

  private void node(String reason, String accepted, String xml) {
    whole(reason, accepted, cib(frame("", xml, "", "") + "</configuration>"));
  }

  private void resource(String reason, String accepted, String xml) {
    whole(reason, accepted, cib(frame("", "", xml, "") + "</configuration>"));
  }

  private void constraint(String reason, String accepted, String xml) {
    whole(reason, accepted, cib(frame("", "", P + Q, xml) + "</configuration>"));
  }

  private void section(String reason, String accepted, String xml) {
    whole(reason, accepted, cib(frame("", "", P, "") + xml + "</configuration>"));
  }

  private void cib() {
    var empty = frame("", "", "", "") + "</configuration>";
    whole("an empty CIB", "always", cib(empty));
    whole("any status", "always", cib(empty + "<status foo='1'><x y='2'>text<z/></x></status>"));
    whole("ids of the status do not count", "always", cib(empty + "<status><a id='1'/></status>"));
    whole("status before the configuration", "never", cib("<status/>" + empty));
    whole("two configurations", "never", cib(empty + empty));
    whole("no configuration", "never", cib("<status/>"));
    whole("an element nobody knows", "never", cib(empty + "<foo/>"));
    whole("comments", "always", cib("<!-- a -->" + empty + "<!-- b -->"));
    whole("another root", "never", "<cub>" + empty + "</cub>");
    var root = "<cib admin_epoch='0' epoch='%s' num_updates='0' validate-with='%s'%s>" + empty;
    whole("an epoch below 0", "never", root.formatted("-1", "none", "") + "</cib>");
    whole("an epoch that is no number", "never", root.formatted("x", "none", "") + "</cib>");
    whole("spaces around a number", "always", root.formatted(" +01 ", "none", "") + "</cib>");
    whole("a schema nobody knows", "never", root.formatted("1", "pacemaker-9.9", "") + "</cib>");
    whole("an attribute nobody knows", "never", root.formatted("1", "none", " a='1'") + "</cib>");
    whole(
        "who changed it last",
        "1.2-4.0",
        root.formatted("1", "none", " update-user='me' execution-date='1'") + "</cib>");
    whole(
        "quorum as a word", "never", root.formatted("1", "none", " have-quorum='yes'") + "</cib>");
    whole("a namespace", "never", root.formatted("1", "none", " xmlns='urn:x'") + "</cib>");
    whole(
        "a namespace that is not used",
        "always",
        root.formatted("1", "none", " xmlns:x='urn:x'") + "</cib>");
    whole(
        "sections in any order",
        "always",
        cib(
            "<configuration><constraints/><op_defaults/><resources/><nodes/><rsc_defaults/>"
                + "<crm_config/></configuration>"));
    whole("a section twice", "never", cib(frame("", "", "", "") + "<nodes/></configuration>"));
    whole(
        "a section missing",
        "never",
        cib("<configuration><crm_config/><nodes/><resources/></configuration>"));
  }

  private void nodes() {
    node("a node with a type", "always", "<node id='1' uname='a' type='member'/>");
    node("a node without a type", "1.2-4.0", "<node id='1' uname='a'/>");
    node("a normal node", "1.0-2.10", "<node id='1' uname='a' type='normal'/>");
    node("a remote node", "1.3-4.0", "<node id='1' uname='a' type='remote'/>");
    node("a pinged node", "1.0-3.10", "<node id='1' uname='a' type='ping'/>");
    node("a node of another kind", "never", "<node id='1' uname='a' type='x'/>");
    node("a node without a name", "never", "<node id='1' type='member'/>");
    node("a node's score", "1.2-4.0", "<node id='1' uname='a' type='member' score='5'/>");
    node(
        "a node's utilization",
        "1.2-4.0",
        "<node id='1' uname='a' type='member'><utilization id='u'/></node>");
    node(
        "node ids need not be unique",
        "always",
        "<node id='1' uname='a' type='member'/><node id='1' uname='b' type='member'/>");
  }

  private static String options(String content) {
    return "<cluster_property_set id='s'>" + content + "</cluster_property_set>";
  }

  private static String pair(String name, String value) {
    return "<nvpair id='n' name='%s' value='%s'/>".formatted(name, value);
  }

  private void blocks() {
    option("a pair", "always", options(pair("a", "1")));
    option("a pair without a value", "1.0-3.10", options("<nvpair id='n' name='a'/>"));
    option("a pair without a name", "never", options("<nvpair id='n' value='a'/>"));
    option("a block without id", "never", "<cluster_property_set/>");
    option("an id that is no name", "never", options("<nvpair id='1n' name='a' value='1'/>"));
    option("an id with a colon", "never", options("<nvpair id='a:b' name='a' value='1'/>"));
    option("an id with letters", "always", options("<nvpair id='_é-1.x' name='a' value='1'/>"));
    option(
        "an id twice",
        "never",
        options("<nvpair id='n' name='a' value='1'/><nvpair id='n' name='b' value='1'/>"));
    option(
        "a reference to a pair, in options",
        "3.0-4.0",
        options(pair("a", "1") + "<nvpair id-ref='n'/>"));
    option(
        "a reference under a name of its own",
        "3.0-3.10",
        options(pair("a", "1") + "<nvpair id-ref='n' name='b'/>"));
    option("a reference to nothing", "never", options("<nvpair id-ref='x'/>"));
    option(
        "a reference to a block",
        "always",
        options(pair("a", "1")) + "<cluster_property_set id-ref='s'/>");
    option(
        "a reference with content",
        "never",
        options(pair("a", "1"))
            + "<cluster_property_set id-ref='s'>"
            + pair("b", "2")
            + "</cluster_property_set>");
    option("a score", "always", "<cluster_property_set id='s' score='-INFINITY'/>");
    option("a score that is none", "never", "<cluster_property_set id='s' score='much'/>");
    option("a number of 24 digits", "always", score("123456789012345678901234"));
    option("a number of 25 digits", "never", score("1234567890123456789012345"));
    resource(
        "a reference to a pair, in a resource",
        "1.3-4.0",
        primitive(
            "<instance_attributes id='i'>"
                + pair("a", "1")
                + "</instance_attributes><instance_attributes id='j'><nvpair id-ref='n'/>"
                + "</instance_attributes>"));
  }

  private static String score(String score) {
    return "<cluster_property_set id='s' score='" + score + "'/>";
  }

  private void options() {
    option("an option's old spelling", "1.0-2.10 4.0", options(pair("stonith_enabled", "1")));
    option(
        "an option that became a default",
        "1.0-2.10 4.0",
        options(pair("default-resource-stickiness", "1")));
    option("a stack that is gone", "1.0-2.10 4.0", options(pair("cluster-infrastructure", "cman")));
    option("another stack", "always", options(pair("cluster-infrastructure", "corosync")));
    option("an option gone with 4.0", "1.0-3.10", options(pair("crmd-transition-delay", "1")));
    option("powering off", "1.0-3.10", options(pair("stonith-action", "poweroff")));
    option("turning off", "always", options(pair("stonith-action", "off")));
    section(
        "a default gone with 4.0",
        "1.0-3.10",
        "<rsc_defaults><meta_attributes id='m'>"
            + pair("restart-type", "x")
            + "</meta_attributes></rsc_defaults>");
    section(
        "an operation's default gone with 4.0",
        "1.0-3.10",
        "<op_defaults><meta_attributes id='m'>"
            + pair("can_fail", "x")
            + "</meta_attributes></op_defaults>");
    section(
        "defaults are meta-attributes",
        "never",
        "<rsc_defaults><instance_attributes id='m'/></rsc_defaults>");
  }

  private static String rule(String content) {
    return options("<rule id='r' score='1'>" + content + "</rule>");
  }

  private static String date(String attributes, String content) {
    return rule("<date_expression id='d' " + attributes + ">" + content + "</date_expression>");
  }

  private void rules() {
    option("a rule", "always", rule(RULE));
    option("a rule in a rule", "always", rule("<rule id='r2' score='1'>" + RULE + "</rule>"));
    option("a rule without score", "3.9-4.0", options("<rule id='r'>" + RULE + "</rule>"));
    option("an empty rule", "never", rule(""));
    option("two rules", "never", rule(RULE) + rule(RULE));
    option(
        "words in capitals",
        "never",
        options("<rule id='r' score='1' boolean-op='AND'>" + RULE + "</rule>"));
    option(
        "an operation nobody knows",
        "never",
        rule("<expression id='e' attribute='a' operation='like'/>"));
    option(
        "numbers as integers",
        "3.5-4.0",
        rule("<expression id='e' attribute='a' operation='lt' type='integer' value='1'/>"));
    option(
        "a value from a parameter, in options",
        "3.0-4.0",
        rule("<expression id='e' attribute='a' operation='lt' value-source='param'/>"));
    resource(
        "a value from a parameter, in a resource",
        "2.9-4.0",
        primitive(
            "<instance_attributes id='i'><rule id='r' score='1'><expression id='e' attribute='a'"
                + " operation='lt' value-source='param'/></rule></instance_attributes>"));
    option("a rule on the agent", "3.4-4.0", rule("<rsc_expression id='e' type='T'/>"));
    constraint(
        "a rule on the agent, in a constraint",
        "3.5-4.0",
        "<rsc_location id='l' rsc='p'><rule id='r' score='1'><op_expression id='e' name='x'/>"
            + "</rule></rsc_location>");
    option("a time after", "always", date("operation='gt' start='2020-01-01'", ""));
    option("a time after without start", "never", date("operation='gt'", ""));
    option("a time before with a start", "never", date("operation='lt' start='x'", ""));
    option("a range with an end", "always", date("operation='in_range' end='x'", ""));
    option("a range with a start only", "3.9-4.0", date("operation='in_range' start='x'", ""));
    option(
        "a range with a duration",
        "always",
        date("operation='in_range' start='x'", "<duration id='u' hours='1'/>"));
    option(
        "a range with a duration in minutes",
        "3.9-4.0",
        date("operation='in_range' start='x'", "<duration id='u' minutes='1'/>"));
    option(
        "a range with end and duration",
        "3.9-4.0",
        date("operation='in_range' start='x' end='y'", "<duration id='u' hours='1'/>"));
    option("the moon", "1.0-3.10", date("operation='date_spec'", "<date_spec id='u' moon='1'/>"));
    option("a specification missing", "never", date("operation='date_spec'", ""));
  }

  private static String primitive(String content) {
    return "<primitive id='p' class='ocf' provider='x' type='T'>" + content + "</primitive>";
  }

  private void resources() {
    resource("a primitive", "always", P);
    resource("no provider", "never", "<primitive id='p' class='ocf' type='T'/>");
    resource(
        "a provider too many", "never", "<primitive id='p' class='lsb' provider='x' type='T'/>");
    resource("systemd", "1.2-4.0", "<primitive id='p' class='systemd' type='T'/>");
    resource("upstart", "1.0-3.10", "<primitive id='p' class='upstart' type='T'/>");
    resource("nagios", "1.2-3.10", "<primitive id='p' class='nagios' type='T'/>");
    resource("a class nobody knows", "never", "<primitive id='p' class='cool' type='T'/>");
    resource(
        "a template",
        "1.2-4.0",
        "<template id='t' class='lsb' type='T'/><primitive id='p' template='t'/>");
    resource("a systemd template", "2.7-4.0", "<template id='t' class='systemd' type='T'/>");
    resource("a template that is not there", "never", "<primitive id='p' template='t'/>");
    resource(
        "template and class",
        "never",
        "<template id='t' class='lsb' type='T'/><primitive id='p' template='t' class='lsb'"
            + " type='T'/>");
    resource("a group", "always", "<group id='g'>" + P + Q + "</group>");
    resource("an empty group", "never", "<group id='g'/>");
    resource(
        "a group in a group", "never", "<group id='g'><group id='h'>" + P + "</group></group>");
    resource("a cloned group", "always", "<clone id='c'><group id='g'>" + P + "</group></clone>");
    resource("a clone of two", "never", "<clone id='c'>" + P + Q + "</clone>");
    resource("a master", "1.0-3.10", "<master id='c'>" + P + "</master>");
    resource(
        "meta-attributes behind the members",
        "always",
        "<group id='g'>" + P + "<meta_attributes id='m'/>" + Q + "</group>");
    resource("utilization", "1.2-4.0", primitive("<utilization id='u'/>"));
    resource(
        "utilization of a group", "never", "<group id='g'><utilization id='u'/>" + P + "</group>");
    resource(
        "isolation",
        "1.0-2.10 4.0",
        primitive("<meta_attributes id='m'>" + pair("isolation", "1") + "</meta_attributes>"));
    resource(
        "isolation of a group",
        "always",
        "<group id='g'><meta_attributes id='m'>"
            + pair("isolation", "1")
            + "</meta_attributes>"
            + P
            + "</group>");
    resource(
        "an old parameter of fence devices",
        "1.0-2.10 3.1-4.0",
        primitive(
            "<instance_attributes id='m'>" + pair("pcmk_on_cmd", "1") + "</instance_attributes>"));
    resource(
        "a restart type",
        "1.0-3.10",
        primitive("<meta_attributes id='m'>" + pair("restart-type", "x") + "</meta_attributes>"));
    resource(
        "operations twice",
        "never",
        primitive("<operations/><meta_attributes id='m'/><operations/>"));
  }

  private static String bundle(String content) {
    return "<bundle id='b'>" + content + "</bundle>";
  }

  private void bundles() {
    var docker = "<docker image='i'/>";
    resource("a bundle", "2.8-4.0", bundle(docker + P));
    resource("a bundle of rkt", "2.10-3.10", bundle("<rkt image='i'/>"));
    resource("a bundle of podman", "3.2-4.0", bundle("<podman image='i'/>"));
    resource("a bundle of nothing", "never", bundle(P));
    resource("a bundle of both", "never", bundle(docker + "<podman image='i'/>"));
    resource("masters", "2.8-3.10", bundle("<docker image='i' masters='1'/>"));
    resource("promoted-max", "3.0-4.0", bundle("<docker image='i' promoted-max='1'/>"));
    resource("both of them", "never", bundle("<docker image='i' promoted-max='1' masters='1'/>"));
    resource("hosts added", "3.0-4.0", bundle("<network add-host='true'/>" + docker));
    resource(
        "ports",
        "2.8-4.0",
        bundle(docker + "<network><port-mapping id='m' range='80-90'/></network>"));
    resource(
        "port and range",
        "never",
        bundle(docker + "<network><port-mapping id='m' port='1' range='80'/></network>"));
    resource(
        "a mount",
        "2.8-4.0",
        bundle(
            docker
                + "<storage><storage-mapping id='m' source-dir='/a' target-dir='/b'/>"
                + "</storage>"));
    resource(
        "a mount of nothing",
        "never",
        bundle(docker + "<storage><storage-mapping id='m' target-dir='/b'/></storage>"));
  }

  private static String op(String attributes, String content) {
    return primitive(
        "<operations><op id='o' name='monitor' interval='1s' "
            + attributes
            + ">"
            + content
            + "</op></operations>");
  }

  private void operations() {
    resource("an operation", "always", op("timeout='x' role='Master' enabled='false'", ""));
    resource("a new role", "3.7-4.0", op("role='Promoted'", ""));
    resource("what it requires", "1.0-2.10", op("requires='fencing'", ""));
    resource("unfencing", "1.3-2.10", op("requires='unfencing'", ""));
    resource("demoting on failure", "3.4-4.0", op("on-fail='demote'", ""));
    resource("restarting the container", "1.2-4.0", op("on-fail='restart-container'", ""));
    resource("a delay and an origin", "never", op("start-delay='1' interval-origin='2'", ""));
    resource("a boolean as a word", "never", op("enabled='yes'", ""));
    resource(
        "requires as a meta-attribute",
        "1.0-2.10 4.0",
        op("", "<meta_attributes id='m'>" + pair("requires", "x") + "</meta_attributes>"));
    resource(
        "a timeout as a parameter",
        "1.0-2.10 3.1-4.0",
        op("", "<instance_attributes id='m'>" + pair("timeout", "x") + "</instance_attributes>"));
    resource(
        "what may fail",
        "1.0-3.10",
        op("", "<meta_attributes id='m'>" + pair("can_fail", "x") + "</meta_attributes>"));
    resource(
        "no interval", "never", primitive("<operations><op id='o' name='start'/></operations>"));
  }

  private void constraints() {
    var place = "<rsc_location id='l' %s score='1' node='n'/>";
    constraint("a place", "always", place.formatted("rsc='p'"));
    constraint("a place for a role", "1.2-4.0", place.formatted("rsc='p' role='Started'"));
    constraint("a place for a pattern", "2.6-4.0", place.formatted("rsc-pattern='p.*'"));
    constraint("a place for nobody", "never", place.formatted(""));
    constraint("a place for somebody else", "never", place.formatted("rsc='z'"));
    constraint("discovery", "2.2-4.0", place.formatted("rsc='p' resource-discovery='never'"));
    var rule =
        "<rule id='%s' score='1'><expression id='%s' attribute='a' operation='defined'/></rule>";
    constraint(
        "two rules for a place",
        "1.0-3.10",
        "<rsc_location id='l' rsc='p'>"
            + rule.formatted("r", "e")
            + rule.formatted("s", "f")
            + "</rsc_location>");
    constraint(
        "a lifetime",
        "1.0-3.10",
        "<rsc_location id='l' rsc='p' score='1' node='n'><lifetime>"
            + rule.formatted("r", "e")
            + "</lifetime></rsc_location>");
    constraint(
        "together", "always", "<rsc_colocation id='l' rsc='p' with-rsc='q' score='INFINITY'/>");
    constraint(
        "a score from an attribute",
        "1.0-2.10",
        "<rsc_colocation id='l' rsc='p' with-rsc='q' score-attribute='a'/>");
    constraint(
        "influence", "3.6-4.0", "<rsc_colocation id='l' rsc='p' with-rsc='q' influence='x'/>");
    constraint(
        "the new roles",
        "3.7-4.0",
        "<rsc_colocation id='l' rsc='p' with-rsc='q' rsc-role='Unpromoted'/>");
    constraint("an order", "always", "<rsc_order id='l' first='p' then='q' kind='Optional'/>");
    constraint(
        "kind and score",
        "never",
        "<rsc_order id='l' first='p' then='q' kind='Optional' score='1'/>");
    constraint(
        "not all of them", "2.3-4.0", "<rsc_order id='l' first='p' then='q' require-all='0'/>");
    var set =
        "<rsc_order id='l'><resource_set id='s'%s><resource_ref"
            + " id='p'/></resource_set></rsc_order>";
    constraint("a set", "always", set.formatted(" sequential='true' action='start'"));
    constraint("a set of any of them", "1.2-4.0", set.formatted(" require-all='false'"));
    constraint("an ordered set", "2.1-4.0", set.formatted(" ordering='listed'"));
    constraint("a set with a kind", "3.0-4.0", set.formatted(" kind='Serialize'"));
    constraint("an empty set", "never", "<rsc_order id='l'><resource_set id='s'/></rsc_order>");
    constraint("a ticket", "1.2-4.0", "<rsc_ticket id='l' rsc='p' ticket='t' loss-policy='stop'/>");
    constraint("no ticket", "never", "<rsc_ticket id='l' rsc='p'/>");
  }

  private static String level(String attributes) {
    return "<fencing-topology><fencing-level id='f' " + attributes + "/></fencing-topology>";
  }

  private void others() {
    section("a level", "1.2-4.0", level("target='n' index='1' devices='a,b-c'"));
    section(
        "a level by attribute",
        "2.4-4.0",
        level("target-attribute='n' target-value='v' index='1' devices='a'"));
    section("half an attribute", "never", level("target-attribute='n' index='1' devices='a'"));
    section("level 10", "1.2-3.10", level("target='n' index='10' devices='a'"));
    section("level 0", "never", level("target='n' index='0' devices='a'"));
    section("devices with a hole", "never", level("target='n' index='1' devices='a,,b'"));
    section("a tag", "1.3-4.0", "<tags><tag id='t'><obj_ref id='p'/></tag></tags>");
    section("a tag of nobody", "3.3-4.0", "<tags><tag id='t'><obj_ref id='z'/></tag></tags>");
    section("an empty tag", "never", "<tags><tag id='t'/></tags>");
    section(
        "rights of a user",
        "1.2-1.3",
        "<acls><acl_user id='u'><read id='r' xpath='/cib'/></acl_user></acls>");
    section(
        "rights by tag",
        "1.2-1.3",
        "<acls><acl_user id='u'><deny id='r' tag='x' ref='p'/></acl_user></acls>");
    section(
        "rights and roles",
        "never",
        "<acls><acl_role id='o'/><acl_user id='u'><role_ref id='o'/><read id='r' xpath='/'/>"
            + "</acl_user></acls>");
    var role = "<acl_role id='o'><acl_permission id='r' kind='read' xpath='/cib'/></acl_role>";
    section(
        "a role",
        "2.0-4.0",
        "<acls>" + role + "<acl_target id='1u'><role id='o'/></acl_target>" + "</acls>");
    section("a name for it", "3.8-4.0", "<acls><acl_target id='u' name='x'/></acls>");
    section(
        "a right by two ways",
        "never",
        "<acls><acl_role id='o'><acl_permission id='r' kind='read' xpath='/' reference='p'/>"
            + "</acl_role></acls>");
    section(
        "an alert",
        "2.5-4.0",
        "<alerts><alert id='a' path='/x'><recipient id='r' value='v'/></alert></alerts>");
    section(
        "an alert for some",
        "2.10-4.0",
        "<alerts><alert id='a' path='/x'><select><select_nodes/></select></alert></alerts>");
    section(
        "attributes behind the recipient",
        "2.10-4.0",
        "<alerts><alert id='a' path='/x'><recipient id='r' value='v'/><meta_attributes id='m'/>"
            + "</alert></alerts>");
    section("an alert without a path", "never", "<alerts><alert id='a'/></alerts>");
  }
}
