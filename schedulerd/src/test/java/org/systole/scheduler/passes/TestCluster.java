package org.systole.scheduler.passes;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.systole.common.transition.GraphAction;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Resource;

/// Puts small clusters together and plans for them.
final class TestCluster {
  static final long NOW = 1_700_000_000L;

  // The digest of an operation without parameters.
  private static final String NO_PARAMETERS = "f2317cad3d54cec5d7d7aa7d0bf35cf8";

  private final StringBuilder options = new StringBuilder();
  private final StringBuilder nodes = new StringBuilder();
  private final StringBuilder resources = new StringBuilder();
  private final StringBuilder constraints = new StringBuilder();
  private final StringBuilder status = new StringBuilder();
  private String quorum = "true";
  private int ids;

  /// Two nodes, `a` and `b`, members both, with a fence device.
  static TestCluster ofTwo() {
    return new TestCluster()
        .resource("<primitive id='fencing' class='stonith' type='fence_xvm'/>")
        .node("a")
        .node("b");
  }

  TestCluster option(String name, String value) {
    options.append("<nvpair id='o%d' name='%s' value='%s'/>".formatted(ids++, name, value));
    return this;
  }

  TestCluster node(String name) {
    nodes.append("<node id='id-%s' uname='%s'/>".formatted(name, name));
    return this;
  }

  TestCluster resource(String xml) {
    resources.append(xml);
    return this;
  }

  TestCluster dummy(String id, String... inside) {
    return resource(dummyXml(id, inside));
  }

  static String dummyXml(String id, String... inside) {
    return "<primitive id='%s' class='ocf' provider='pacemaker' type='Dummy'>%s</primitive>"
        .formatted(id, String.join("", inside));
  }

  String meta(String name, String value) {
    return "<meta_attributes id='m%d'><nvpair id='n%d' name='%s' value='%s'/></meta_attributes>"
        .formatted(ids++, ids++, name, value);
  }

  TestCluster constraint(String xml) {
    constraints.append(xml);
    return this;
  }

  TestCluster withoutQuorum() {
    quorum = "false";
    return this;
  }

  TestCluster online(String name, String... histories) {
    return state(name, "in_ccm='true' crmd='online' join='member' expected='member'", histories);
  }

  TestCluster lost(String name, String... histories) {
    return state(name, "in_ccm='false' crmd='offline' join='down' expected='member'", histories);
  }

  TestCluster state(String name, String attributes, String... histories) {
    status.append(
        "<node_state id='id-%s' uname='%s' %s><lrm id='id-%s'><lrm_resources>%s</lrm_resources></lrm></node_state>"
            .formatted(name, name, attributes, name, String.join("", histories)));
    return this;
  }

  /// The history of a resource that was started there and runs.
  static String running(String id) {
    return history(id, "start", 0, 0);
  }

  /// The history of a resource that was looked for and not found.
  static String absent(String id) {
    return history(id, "monitor", 7, 7);
  }

  static String history(String id, String operation, int result, int expected) {
    var key = id + "_" + operation + "_0";
    var transition = "1:2:" + expected + ":00000000-0000-0000-0000-000000000000";
    return ("<lrm_resource id='%s' class='ocf' provider='pacemaker' type='Dummy'><lrm_rsc_op"
            + " id='%s_last_0' operation_key='%s' operation='%s' interval='0' call-id='5'"
            + " op-status='0' rc-code='%d' transition-key='%s' transition-magic='0:%d;%s'"
            + " op-digest='"
            + NO_PARAMETERS
            + "' last-rc-change='%d'/></lrm_resource>")
        .formatted(id, id, key, operation, result, transition, result, transition, NOW - 100);
  }

  Planned plan(ClusterFlag... flags) {
    var xml =
        "<cib have-quorum='%s' crm_feature_set='3.19.0' dc-uuid='id-a' validate-with='pacemaker-4.0'><configuration>"
                .formatted(quorum)
            + "<crm_config><cluster_property_set id='cib-bootstrap-options'>"
            + options
            + "</cluster_property_set></crm_config><nodes>"
            + nodes
            + "</nodes><resources>"
            + resources
            + "</resources><constraints>"
            + constraints
            + "</constraints></configuration><status>"
            + status
            + "</status></cib>";
    try {
      return new Planned(
          Scheduler.run(
              XmlReader.parse(xml), Instant.ofEpochSecond(NOW), ZoneOffset.UTC, Set.of(flags)));
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  /// What came of it.
  record Planned(Scheduler.Transition transition) {
    /// The keys of all actions, each with the node, in the order of the graph.
    List<String> actions() {
      return transition.graph().synapses().stream()
          .flatMap(synapse -> synapse.actions().stream())
          .map(Planned::name)
          .toList();
    }

    private static String name(GraphAction action) {
      return action.node() == null ? action.key() : action.key() + " " + action.node();
    }

    /// What an action waits for.
    List<String> inputs(String name) {
      return transition.graph().synapses().stream()
          .filter(synapse -> synapse.actions().stream().anyMatch(a -> name(a).equals(name)))
          .flatMap(synapse -> synapse.inputs().stream())
          .map(Planned::name)
          .toList();
    }

    GraphAction action(String name) {
      return transition.graph().synapses().stream()
          .flatMap(synapse -> synapse.actions().stream())
          .filter(action -> name(action).equals(name))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + name + " in " + actions()));
    }

    boolean has(String name) {
      return actions().contains(name);
    }

    Resource resource(String id) {
      var found = transition.cluster().resource(id);
      if (found == null) {
        throw new AssertionError("no resource " + id);
      }
      return found;
    }

    /// The name of the node a resource is assigned to, empty for none.
    String nodeOf(String id) {
      var assigned = resource(id).assigned();
      return assigned == null ? "" : assigned.node().name();
    }
  }
}
