package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Commands on the host that is no member, ours and Pacemaker's own.
final class RemoteCommandScenarios {
  private static final String HOST = RemoteScenarios.HOST;
  private static final String TO_ALL = "-INFINITY";

  private RemoteCommandScenarios() {}

  /// A command as it is run on the host.
  interface Shell {
    LocalNode.Outcome run(String command, String... arguments) throws IOException;
  }

  /// All of them, and what is seen of them on a member.
  static void all(Run run, Shell shell) throws IOException {
    var member = run.lab().nodes().getFirst();
    run.fault(() -> asks(shell));
    changes(shell, member);
    mayNot(shell);
    run.reached("commands");
  }

  private static void asks(Shell shell) throws IOException {
    says(shell, HOST, "crm_node", "-n");
    says(shell, "RemoteOnline: [ " + HOST + " ]", "crm_mon", "-1");
    says(shell, "distant", "crm_resource", "--list");
    says(shell, "is running on: " + HOST, "crm_resource", "-r", "distant", "-W");
    says(shell, "<cib ", "cibadmin", "-Q");
    says(shell, "id=\"distant\"", "cibadmin", "-Q", "--xpath", "//primitive[@id='distant']");
    says(shell, "power", "stonith_admin", "-L");
    says(shell, "node1", "crm_node", "-l");
  }

  private static void changes(Shell shell, LocalNode member) throws IOException {
    says(shell, "", "attrd_updater", "-n", "shade", "-U", "7");
    says(shell, "name=\"shade\" host=\"%s\" value=\"7\"".formatted(HOST), "attrd_updater", "-n", "shade", "-Q");
    isSeen(member, "value=\"7\"", "attrd_updater", "-n", "shade", "-Q", "-N", HOST);
    says(shell, "", "crm_attribute", "-n", "tint", "-l", "forever", "-v", "blue");
    isSeen(member, "value=blue", "crm_attribute", "-N", HOST, "-n", "tint", "-l", "forever", "-G");
    says(shell, "", "crm_attribute", "-n", "hue", "-l", "reboot", "-v", "red");
    isSeen(member, "value=red", "crm_attribute", "-N", HOST, "-n", "hue", "-l", "reboot", "-G");
    says(shell, "", "crm_attribute", "-n", "tint", "-l", "forever", "-D");
    says(
        shell,
        "",
        "cibadmin",
        "--create",
        "-o",
        "constraints",
        "--xml-text",
        "<rsc_location id=\"far-made-there\" rsc=\"first\" node=\"%s\" score=\"%s\"/>"
            .formatted(HOST, TO_ALL));
    isSeen(member, "far-made-there", "cibadmin", "-Q", "-o", "constraints");
    says(
        shell,
        "",
        "cibadmin",
        "--delete",
        "--xml-text",
        "<rsc_location id=\"far-made-there\"/>");
  }

  /// A remote node has not the rights of a member.
  private static void mayNot(Shell shell) throws IOException {
    var outcome = shell.run("stonith_admin", "--fence", "node1", "-t", "20");
    LabFailure.unless(!outcome.ok(), "a remote node could fence a member");
  }

  private static void says(Shell shell, String part, String command, String... arguments)
      throws IOException {
    check(shell.run(command, arguments), "on " + HOST, part, command, arguments);
  }

  private static void isSeen(LocalNode member, String part, String command, String... arguments)
      throws IOException {
    check(member.run(command, arguments), "on " + member.name(), part, command, arguments);
  }

  private static void check(
      LocalNode.Outcome outcome, String where, String part, String command, String... arguments) {
    LabFailure.unless(
        outcome.ok() && outcome.output().contains(part),
        "%s %s %s ends with %d and says: %s"
            .formatted(
                command,
                String.join(" ", List.of(arguments)),
                where,
                outcome.status(),
                outcome.output().strip()));
  }
}
