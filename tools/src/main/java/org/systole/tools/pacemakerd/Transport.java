package org.systole.tools.pacemakerd;

import java.util.Collection;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP;

/// TCP that does not wait for those who left the view. JGroups says goodbye on a connection before
/// it closes it, and where the other end takes nothing any more, as behind a cut line, that would
/// hold up the new view until the system gives the connection up, for minutes.
final class Transport extends TCP {
  Transport() {
    id = ClassConfigurator.getProtocolId(TCP.class);
  }

  @Override
  public void retainAll(Collection<Address> members) {
    var present = List.copyOf(members);
    Thread.ofVirtual().name("close-connections").start(() -> super.retainAll(present));
  }
}
