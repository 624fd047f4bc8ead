package org.systole.tools.pacemakerd;

import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_SOCK2;

/// FD_SOCK2 that says which peer's system closed a connection: that process has ended, which is
/// more
/// than a suspicion.
final class ClosedConnections extends FD_SOCK2 {
  private final Consumer<Address> closed;

  ClosedConnections(Consumer<Address> closed) {
    this.closed = closed;
    id = ClassConfigurator.getProtocolId(FD_SOCK2.class);
  }

  /// The one whose connection was closed is no longer pingable afterwards.
  @Override
  public void connectionClosed(Connection connection) {
    var before = pingable_mbrs.getMembers();
    super.connectionClosed(connection);
    var after = pingable_mbrs.getMembers();
    before.stream().filter(it -> !after.contains(it)).forEach(closed);
  }
}
