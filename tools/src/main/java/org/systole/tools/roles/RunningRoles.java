package org.systole.tools.roles;

import java.time.Duration;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
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

  private final CibConnection cib;

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
          e.rc().exit(), "Could not connect to the CIB manager: " + e.rc().text());
    }
  }

  ClusterRoles read() throws CommandException {
    var answer = checked(cib.roles());
    try {
      return answer.xml() == null
          ? ClusterRoles.fresh()
          : ClusterRoles.read(XmlReader.parse(answer.xml()));
    } catch (XmlException | DocumentFault e) {
      throw new CommandException(
          ExitStatus.DATAERR, "the cluster's roles cannot be read: " + e.getMessage());
    }
  }

  void change(Element steps) throws CommandException {
    checked(cib.update(CibOp.roles(steps)));
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
