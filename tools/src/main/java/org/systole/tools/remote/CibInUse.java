package org.systole.tools.remote;

import java.time.Duration;
import java.util.Map;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.world.ClusterAccount;
import org.systole.tools.cli.CommandException;

/// Opens the CIB that the environment names: as [Cibs#open], or, with `CIB_port`, that of a member of
/// another machine (`CIB_server`), as the user `CIB_user` with the password `CIB_passwd`.
public final class CibInUse {
  static final String PORT = "CIB_port";
  static final String SERVER = "CIB_server";
  static final String USER = "CIB_user";
  static final String PASSWORD = "CIB_passwd";
  static final String ENCRYPTED = "CIB_encrypted";

  private static final int PORT_MAX = 65_535;

  private CibInUse() {}

  /// @param command the command's name, written into the CIB as `update-client`
  /// @param timeout how long to wait for each answer
  /// @throws CibException if it cannot be opened
  /// @throws CommandException if it is that of another machine, and why it cannot be opened
  public static CibTarget open(
      Layout layout, Map<String, String> environment, String command, Duration timeout)
      throws CibException, CommandException {
    if (!isElsewhere(environment)) {
      return Cibs.open(layout, environment, command, timeout);
    }
    try {
      return elsewhere(layout, environment, command, timeout);
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(), "Could not connect to the CIB of another machine: " + e.getMessage());
    }
  }

  private static CibTarget elsewhere(
      Layout layout, Map<String, String> environment, String command, Duration timeout)
      throws CibException {
    var port = Numbers.integer(given(environment, PORT), 0);
    if (port < 1 || port > PORT_MAX) {
      throw new CibException(
          Rc.EINVAL,
          given(environment, PORT).isEmpty()
              ? "%s is set and %s is not: it is what the CIB there has as remote-tls-port"
                  .formatted(SERVER, PORT)
              : "%s is no port: %s".formatted(PORT, given(environment, PORT)));
    }
    var encrypted = given(environment, ENCRYPTED);
    if (!encrypted.isEmpty() && !Bool.isTrue(encrypted)) {
      throw new CibException(
          Rc.EINVAL, ENCRYPTED + " says no: a password is not sent without encryption");
    }
    var server = given(environment, SERVER);
    var user = given(environment, USER);
    try {
      return RemoteCib.open(
          new RemoteCib.Member(server.isEmpty() ? "localhost" : server, port),
          layout,
          environment,
          user.isEmpty() ? ClusterAccount.USER : user,
          command,
          timeout);
    } catch (LinkageError e) { // the launcher adds what is there
      throw new CibException(
          Rc.EOPNOTSUPP, "this copy of Systole has no part for other machines (lib/remote)");
    }
  }

  /// Whether the environment names the CIB of another machine.
  public static boolean isElsewhere(Map<String, String> environment) {
    return given(environment, "CIB_shadow").isEmpty()
        && given(environment, "CIB_file").isEmpty()
        && !(given(environment, PORT).isEmpty() && given(environment, SERVER).isEmpty());
  }

  /// For what only the daemons of a member can do.
  ///
  /// @throws CommandException if the environment names the CIB of another machine
  public static void refuseElsewhere(Map<String, String> environment, String what)
      throws CommandException {
    if (isElsewhere(environment)) {
      throw new CommandException(
          ExitStatus.UNSAFE,
          "%s cannot be asked from another machine (%s, %s): only its CIB is served there. Do it on a member"
              .formatted(what, SERVER, PORT));
    }
  }

  private static String given(Map<String, String> environment, String name) {
    return environment.getOrDefault(name, "");
  }
}
