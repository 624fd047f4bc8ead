package org.systole.tools.cli;

import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibUser;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What a user is told whom access control lists have kept from something: the daemons answer
/// "Permission denied" without a reason.
final class AccessNote {
  private static final String MEND =
      "; have root or hacluster look (cibadmin --query --user %1$s --show-access=text) and give %1$s a role"
          + " (pcs acl, crm configure acl_target, or an acl_target in the CIB as in security.md, \"Access control lists\")";

  private AccessNote() {}

  /// Asks the running cluster what the user may see, once something was denied.
  ///
  /// @param command the command's name
  /// @param as the user whose rights counted, empty for that of the process
  /// @return null if it is not the lists that deny it
  static @Nullable String of(Terminal terminal, String command, String as) {
    var layout = Layout.of(terminal.environment());
    if (terminal.environment().containsKey("CIB_port") || Cibs.file(layout, terminal.environment()) != null) {
      return null;
    }
    var user = as.isEmpty() ? user(terminal) : as;
    if (CibUser.isExempt(user)) {
      return null;
    }
    try (var cib = CibConnection.open(layout, command, CibTarget.TIMEOUT)) {
      var answer = cib.query(CibQuery.ALL, user);
      if (answer.rc() == Rc.EACCES) {
        return ("access control lists are in force (enable-acl), and no role in them lets user %1$s or a group of this"
                + " user see or change anything"
                + MEND)
            .formatted(user);
      }
      var xml = answer.xml();
      if (!answer.rc().isOk() || xml == null) {
        return null;
      }
      var seen = XmlReader.parse(xml);
      var whole = seen.attributeCount() > 0; // else only the way to what may be read
      return whole && seen.path("configuration", "crm_config") != null && !CibAccess.isEnforced(seen)
          ? null
          : ("access control lists are in force (enable-acl), and the roles they have for user %1$s let this user "
                  + (whole ? "see the CIB, but not make this change" : "see only parts of the CIB")
                  + MEND)
              .formatted(user);
    } catch (CibException | XmlException e) {
      return null; // what was denied has been told
    }
  }

  /// Root and `hacluster` may say whose rights count, others always have their own.
  private static String user(Terminal terminal) {
    var own = System.getProperty("user.name", "");
    var named = terminal.variable("CIB_user", "");
    return named.isEmpty() || !CibUser.isExempt(own) ? own : named;
  }
}
