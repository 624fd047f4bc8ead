package org.systole.tools.pacemakerd;

import java.util.List;
import java.util.function.BiConsumer;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;

/// FD_ALL3 that also tells of which peers this process hears nothing. By itself it only speaks
/// where that makes this process the first of a view.
final class Silences extends FD_ALL3 {
  private final BiConsumer<Address, Boolean> silent;

  Silences(BiConsumer<Address, Boolean> silent) {
    this.silent = silent;
    id = ClassConfigurator.getProtocolId(FD_ALL3.class);
  }

  @Override
  protected void suspect(List<Address> suspects) {
    suspects.forEach(it -> silent.accept(it, true));
    super.suspect(suspects);
  }

  @Override
  protected boolean unsuspect(Address peer) {
    var suspected = super.unsuspect(peer);
    if (suspected) {
      silent.accept(peer, false);
    }
    return suspected;
  }
}
