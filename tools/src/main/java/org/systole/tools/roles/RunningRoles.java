package org.systole.tools.roles;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.options.ClusterOptions;
import org.systole.common.options.NodeMaintenance;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.Bool;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.ClusterRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// The roles of the running cluster.
final class RunningRoles implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  static final String GATE = "join-gate-roles";
  private static final String OPTIONS = "cib-bootstrap-options";

  private final CibConnection cib;
  private String lost = "";

  private RunningRoles(CibConnection cib) {
    this.cib = cib;
  }

  static RunningRoles open(Terminal terminal) throws CommandException {
    var environment = terminal.environment();
    for (var name : new String[] {"CIB_file", "CIB_shadow"}) {
      if (!environment.getOrDefault(name, "").isEmpty()) {
        throw new CommandException(
            ExitStatus.USAGE, name + " is set, but roles are in no CIB: use --simulate for a file");
      }
    }
    try {
      return new RunningRoles(
          CibConnection.open(
              Layout.of(environment),
              "crm_role",
              environment.getOrDefault("CIB_user", ""),
              TIMEOUT));
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(),
          "Could not reach the CIB manager: %s. The cluster has to run on this node"
              .formatted(e.rc().text()));
    }
  }

  /// Without roles where there are none, or where they are lost.
  ClusterRoles read() throws CommandException {
    var answer = checked(cib.roles());
    lost = answer.xml() == null ? answer.why() : "";
    try {
      return answer.xml() == null
          ? ClusterRoles.fresh()
          : ClusterRoles.read(XmlReader.parse(answer.xml()));
    } catch (XmlException | DocumentFault e) {
      throw new CommandException(
          ExitStatus.DATAERR, "the cluster's roles cannot be read: " + e.getMessage());
    }
  }

  /// Why those that were read last are lost, and what to do; empty if they are not.
  String lost() {
    return lost;
  }

  /// Refuses to go on where the roles are lost: what is shown would look like a cluster that never had any.
  void checkLost() throws CommandException {
    if (!lost.isEmpty()) {
      throw new CommandException(Rc.CIB_SAVE.exit(), lost);
    }
  }

  void change(Element steps) throws CommandException {
    checked(cib.update(CibOp.roles(steps)));
  }

  /// Sets the cluster's option `join-gate-roles`, or takes it away.
  ///
  /// @param roles their names; empty for none
  void gate(List<String> roles) throws CommandException {
    var names = String.join(" ", roles);
    try {
      var config = cib.cib().path("configuration", "crm_config");
      var old = config == null ? null : config.find(RunningRoles::isGate);
      if (names.isEmpty() && old == null) {
        return;
      }
      CibOp change;
      if (names.isEmpty()) {
        change = CibOp.delete("crm_config", Element.of("nvpair", "id", old.get("id", "")));
      } else if (old != null) {
        change = CibOp.modify("crm_config", old.with("value", names));
      } else {
        var pair =
            Element.of("nvpair", "id", OPTIONS + "-" + GATE, "name", GATE, "value", names);
        change =
            CibOp.put("crm_config", Element.of("cluster_property_set", "id", OPTIONS).plus(pair));
      }
      checked(cib.update(List.of(change), false, ""));
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// The roles of the cluster's option `join-gate-roles`.
  List<String> gate() throws CommandException {
    try {
      var config = cib.cib().path("configuration", "crm_config");
      var gate = config == null ? null : config.find(RunningRoles::isGate);
      return gate == null ? List.of() : ClusterOptions.names(gate.get("value", ""));
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// The names of the nodes that the CIB knows: all members are among them.
  Set<String> nodes() throws CommandException {
    try {
      var nodes = cib.cib().path("configuration", "nodes");
      var names = new TreeSet<String>();
      for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
        names.add(node.get("uname", ""));
      }
      return names;
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// Why nothing is begun in the whole cluster, whatever the roles say; empty if there is no such reason.
  String held() throws CommandException {
    try {
      var all = cib.cib();
      if (!Bool.isTrue(all.get("have-quorum"))) {
        return "the cluster has no quorum: nothing is begun, and nothing can be changed, until it has";
      }
      var config = all.path("configuration", "crm_config");
      var mode = config == null ? null : config.find(it -> it.is("nvpair") && "maintenance-mode".equals(it.get("name")));
      return mode != null && Bool.isTrue(mode.get("value"))
          ? "the cluster is in maintenance (maintenance-mode): nothing is begun until it is not"
          : "";
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// The nodes on which nothing is begun, as they are in maintenance by an attribute of their own.
  List<NodeName> maintained(Collection<NodeName> nodes, IsoTime now) throws CommandException {
    try {
      var all = cib.cib();
      return nodes.stream().filter(it -> NodeMaintenance.isOn(all, it, now)).toList();
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// The names of remote nodes and guests, which have no roles.
  List<String> remote() throws CommandException {
    try {
      return GateDoubts.remote(cib.cib());
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// The agents that resources use.
  List<String> agents() throws CommandException {
    try {
      return LiveInventory.wanted(cib.cib());
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  static boolean isGate(Element at) {
    return at.is("nvpair") && GATE.equals(at.get("name"));
  }

  private static CibMessage.Answer checked(CibMessage.Answer answer) throws CommandException {
    if (!answer.rc().isOk()) {
      throw new CommandException(
          answer.rc().exit(), answer.why().isEmpty() ? answer.rc().text() : answer.why());
    }
    return answer;
  }

  @Override
  public void close() {
    cib.close();
  }
}
