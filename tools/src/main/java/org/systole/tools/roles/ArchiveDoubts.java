package org.systole.tools.roles;

import java.util.TreeSet;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotState;
import org.systole.tools.cli.CommandException;

/// Whether who archives a snapshot can mean it: without the one that is committed nothing in its deployment is wanted any more,
/// so that no role of it is done or looked at, and a gate that waits for one is shut.
final class ArchiveDoubts {
  private ArchiveDoubts() {}

  /// Refuses to put away a committed snapshot that has noderoles.
  static void mayGo(Element steps, RolesDocument document) throws CommandException {
    for (var step : steps.children("archive")) {
      for (var snapshot : document.snapshots().values()) {
        var isMeant =
            snapshot.id().deployment().text().equals(step.get("deployment", DeploymentId.SYSTEM.text()))
                && Integer.toString(snapshot.id().number()).equals(step.get("number"));
        if (isMeant && snapshot.state() == SnapshotState.COMMITTED && !snapshot.nodeRoles().isEmpty()) {
          var roles = new TreeSet<String>();
          snapshot.nodeRoles().keySet().forEach(it -> roles.add(it.role().text()));
          throw new CommandException(
              ExitStatus.UNSAFE,
              "%s is what is wanted now: without it none of its roles (%s) is done or looked at on any node. --roll-back=NUMBER goes back to an older one; to archive it all the same add --force"
                  .formatted(snapshot.id(), String.join(", ", roles)));
        }
      }
    }
  }
}
