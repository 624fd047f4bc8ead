package org.systole.tools.launch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.tools.attributes.AttrdUpdater;
import org.systole.tools.attributes.CrmAttribute;
import org.systole.tools.attributes.CrmFailcount;
import org.systole.tools.attributes.CrmStandby;
import org.systole.tools.attributes.CrmTicket;
import org.systole.tools.cib.Cibadmin;
import org.systole.tools.cib.CrmDiff;
import org.systole.tools.cib.CrmRule;
import org.systole.tools.cib.CrmShadow;
import org.systole.tools.cib.CrmSimulate;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cib.Iso8601;
import org.systole.tools.cli.Command;
import org.systole.tools.corosync.CorosyncCfgtool;
import org.systole.tools.corosync.CorosyncCmapctl;
import org.systole.tools.fencing.Sbd;
import org.systole.tools.fencing.StonithAdmin;
import org.systole.tools.hosts.CrmHostha;
import org.systole.tools.report.CrmReport;
import org.systole.tools.resource.CrmResource;
import org.systole.tools.roles.CrmRole;
import org.systole.tools.secrets.Cibsecret;
import org.systole.tools.corosync.CorosyncQdeviceTool;
import org.systole.tools.corosync.CorosyncQuorumtool;
import org.systole.tools.status.CrmError;
import org.systole.tools.status.CrmMon;
import org.systole.tools.status.CrmNode;
import org.systole.tools.status.Crmadmin;

/// The administrator's commands. A new one has its name and its line here, and its name in
/// `src/main/dist/assemble`, so that there is a launcher.
public final class Commands {
  /// All names but `crm_master`, which is `crm_attribute` called otherwise.
  public static final List<String> NAMES =
      List.of(
          "attrd_updater",
          "cibadmin",
          "cibsecret",
          "corosync-cfgtool",
          "corosync-cmapctl",
          "corosync-qdevice-tool",
          "corosync-quorumtool",
          "crm_attribute",
          "crm_diff",
          "crm_error",
          "crm_failcount",
          "crm_hostha",
          "crm_mon",
          "crm_node",
          "crm_report",
          "crm_resource",
          "crm_role",
          "crm_rule",
          "crm_shadow",
          "crm_simulate",
          "crm_standby",
          "crm_ticket",
          "crm_verify",
          "crmadmin",
          "iso8601",
          "pacemakerd",
          "sbd",
          "stonith_admin");

  private Commands() {}

  /// A command to run once; null if there is none of that name.
  // A switch, not a table: of all these classes the JVM loads only the one that is asked for.
  public static @Nullable Command named(String name) {
    return switch (name) {
      case "attrd_updater" -> new AttrdUpdater();
      case "cibsecret" -> new Cibsecret();
      case "cibadmin" -> new Cibadmin();
      case "corosync-cfgtool" -> new CorosyncCfgtool();
      case "corosync-cmapctl" -> new CorosyncCmapctl();
      case "corosync-qdevice-tool" -> new CorosyncQdeviceTool();
      case "corosync-quorumtool" -> new CorosyncQuorumtool();
      case "crm_attribute" -> new CrmAttribute();
      case "crm_diff" -> new CrmDiff();
      case "crm_error" -> new CrmError();
      case "crm_failcount" -> new CrmFailcount();
      case "crm_hostha" -> new CrmHostha();
      case "crm_mon" -> new CrmMon();
      case "crm_node" -> new CrmNode();
      case "crm_report" -> new CrmReport();
      case "crm_resource" -> new CrmResource();
      case "crm_role" -> new CrmRole();
      case "crm_rule" -> new CrmRule();
      case "crm_shadow" -> new CrmShadow();
      case "crm_simulate" -> new CrmSimulate();
      case "crm_standby" -> new CrmStandby();
      case "crm_ticket" -> new CrmTicket();
      case "crm_verify" -> new CrmVerify();
      case "crmadmin" -> new Crmadmin();
      case "iso8601" -> new Iso8601();
      case "pacemakerd" -> new Pacemakerd();
      case "sbd" -> new Sbd();
      case "stonith_admin" -> new StonithAdmin();
      default -> null;
    };
  }

  /// One of each.
  static List<Command> all() {
    var all = new ArrayList<Command>();
    for (var name : NAMES) {
      var command = named(name);
      if (command == null) {
        throw new IllegalStateException(name + " is no command");
      }
      all.add(command);
    }
    return all;
  }
}
