package org.systole.tools.status;

import java.util.ArrayList;
import org.systole.common.output.Output;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.WorkingSet;

/// The status of the cluster in one line, as monitoring programs ask for it.
final class SimpleStatus {
  private SimpleStatus() {}

  /// Shows the line.
  ///
  /// @return whether there is a DC and every node is online
  static boolean show(WorkingSet status, Output out) {
    var online = 0;
    var standby = 0;
    var maintenance = 0;
    var wrong = new ArrayList<String>();
    if (status.dc() == null) {
      wrong.add("No DC");
    }
    var offline = new StringBuilder();
    for (var node : status.nodes()) {
      if (!node.online()) {
        offline.append(offline.isEmpty() ? "" : " ").append("offline node: ").append(node);
      } else if (node.is(NodeFlag.STANDBY)) {
        standby++;
      } else if (node.maintenance()) {
        maintenance++;
      } else {
        online++;
      }
    }
    if (!offline.isEmpty()) {
      wrong.add(offline.toString());
    }
    if (!wrong.isEmpty()) {
      out.info("CLUSTER WARN: " + String.join(", ", wrong));
      return false;
    }
    out.info(
        "CLUSTER OK: %s online%s%s, %s configured"
            .formatted(
                count(online, "node"),
                standby == 0 ? "" : ", " + count(standby, "standby node"),
                maintenance == 0 ? "" : ", " + count(maintenance, "maintenance node"),
                count(status.instanceCount(), "resource instance")));
    return true;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
