package org.systole.controld.proxy;

import java.util.List;
import java.util.function.Consumer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// The way back from a session to its command.
interface Outlet {
  World world();

  /// The session's name on the connection.
  String session();

  /// Looks up the groups that a user has on this member.
  ///
  /// @param done told once, unless the session ends before
  void groupsOf(String user, Consumer<List<String>> done);

  /// Sends a message when it is its turn.
  void send(Element message);

  /// Sends a short message before all that waits.
  void sendNow(Element message);

  /// Ends the session from this side.
  void end(String why);
}
