package org.systole.scheduler.unpack;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// Puts small CIBs together.
final class TestCib {
  static final long NOW = 1_700_000_000L;

  private final StringBuilder options = new StringBuilder();
  private final StringBuilder nodes = new StringBuilder();
  private final StringBuilder resources = new StringBuilder();
  private final StringBuilder status = new StringBuilder();
  private final StringBuilder defaults = new StringBuilder();
  private int ids;

  TestCib option(String name, String value) {
    options.append(pair(name, value));
    return this;
  }

  String pair(String name, String value) {
    return "<nvpair id='p" + ids++ + "' name='" + name + "' value='" + value + "'/>";
  }

  String meta(String name, String value) {
    return "<meta_attributes id='m" + ids++ + "'>" + pair(name, value) + "</meta_attributes>";
  }

  TestCib node(String name) {
    nodes.append("<node id='id-" + name + "' uname='" + name + "'/>");
    return this;
  }

  TestCib resource(String xml) {
    resources.append(xml);
    return this;
  }

  TestCib dummy(String id, String inside) {
    return resource(dummyXml(id, inside));
  }

  static String dummyXml(String id, String inside) {
    return "<primitive id='"
        + id
        + "' class='ocf' provider='pacemaker' type='Dummy'>"
        + inside
        + "</primitive>";
  }

  TestCib fenceDevice() {
    return resource("<primitive id='fencing' class='stonith' type='fence_xvm'/>");
  }

  /// A node that is a member, with histories of resources.
  TestCib online(String name, String... histories) {
    return state(name, "in_ccm='true' crmd='online' join='member' expected='member'", histories);
  }

  TestCib state(String name, String attributes, String... histories) {
    status.append("<node_state id='id-" + name + "' uname='" + name + "' " + attributes + ">");
    status.append("<lrm id='id-" + name + "'><lrm_resources>");
    for (var history : histories) {
      status.append(history);
    }
    status.append("</lrm_resources></lrm></node_state>");
    return this;
  }

  TestCib remoteState(String name, String attributes, String inside) {
    status.append(
        "<node_state id='"
            + name
            + "' uname='"
            + name
            + "' "
            + attributes
            + ">"
            + inside
            + "</node_state>");
    return this;
  }

  static String history(String resource, String... entries) {
    return "<lrm_resource id='"
        + resource
        + "' class='ocf' provider='pacemaker' type='Dummy'>"
        + String.join("", entries)
        + "</lrm_resource>";
  }

  /// An entry of a history.
  ///
  /// @param operation such as `start` or `monitor 10000`
  /// @param result the exit code
  /// @param expected the exit code that was expected
  String entry(String resource, String operation, int call, int result, int expected) {
    return entry(resource, operation, call, 0, result, expected, "");
  }

  String entry(
      String resource,
      String operation,
      int call,
      int opStatus,
      int result,
      int expected,
      String more) {
    var words = operation.split(" ");
    var interval = words.length > 1 ? words[1] : "0";
    var key = resource + "_" + words[0] + "_" + interval;
    var transition = "1:2:" + expected + ":00000000-0000-0000-0000-000000000000";
    return "<lrm_rsc_op id='"
        + key
        + "' operation_key='"
        + key
        + "' operation='"
        + words[0]
        + "' interval='"
        + interval
        + "' call-id='"
        + call
        + "' op-status='"
        + opStatus
        + "' rc-code='"
        + result
        + "' transition-key='"
        + transition
        + "' transition-magic='"
        + opStatus
        + ":"
        + result
        + ";"
        + transition
        + "' last-rc-change='"
        + (NOW - 100)
        + "' "
        + more
        + "/>";
  }

  TestCib resourceDefault(String name, String value) {
    defaults.append(meta(name, value));
    return this;
  }

  WorkingSet read() {
    var xml =
        "<cib have-quorum='true' crm_feature_set='3.19.0' dc-uuid='id-a'><configuration>"
            + "<crm_config><cluster_property_set id='cib-bootstrap-options'>"
            + options
            + "</cluster_property_set></crm_config><nodes>"
            + nodes
            + "</nodes>"
            + "<resources>"
            + resources
            + "</resources><constraints/>"
            + "<rsc_defaults>"
            + defaults
            + "</rsc_defaults></configuration><status>"
            + status
            + "</status></cib>";
    try {
      return Status.of(XmlReader.parse(xml), Instant.ofEpochSecond(NOW), ZoneOffset.UTC, Set.of());
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  static Resource resource(WorkingSet ws, String id) {
    var found = ws.resource(id);
    if (found == null) {
      throw new AssertionError("no resource " + id);
    }
    return found;
  }
}
