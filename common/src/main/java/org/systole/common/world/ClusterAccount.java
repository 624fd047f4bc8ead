package org.systole.common.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The account of the daemons that need none of root's rights.
public final class ClusterAccount {
  public static final String USER = "hacluster";
  public static final String GROUP = "haclient";

  /// The environment variable by which the supervisor tells its children, and an administrator the
  /// supervisor, what those daemons run as: `hacluster`, or `root` for all of them.
  public static final String VARIABLE = "SYSTOLE_DAEMON_USER";

  /// Where the program may be that gives up root's rights, the likelier place first.
  public static final List<String> SETPRIV = List.of("/usr/bin/setpriv", "/bin/setpriv");

  private ClusterAccount() {}

  /// Whether the environment says that there are daemons of the account.
  public static boolean isUsed(Map<String, String> environment) {
    return USER.equals(environment.get(VARIABLE));
  }

  /// How a command is run as the account, if the environment says that the account is used, else as
  /// this process is. Without any of [#SETPRIV] a command of the account does not start: it never
  /// keeps root's rights by accident.
  ///
  /// @return for [Processes#startFirst]; not empty
  public static List<List<String>> commands(Map<String, String> environment, List<String> command) {
    if (!isUsed(environment)) {
      return List.of(command);
    }
    return SETPRIV.stream().map(it -> as(it, command)).toList();
  }

  /// @param setpriv one of [#SETPRIV]
  public static List<String> as(String setpriv, List<String> command) {
    var all =
        new ArrayList<>(
            List.of(setpriv, "--reuid=" + USER, "--regid=" + GROUP, "--init-groups", "--"));
    all.addAll(command);
    return all;
  }
}
