package org.systole.tools.pacemakerd;

import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.stack.Protocol;

/// Listens to the failure detector below: of which peers this process hears nothing. The protocols
/// above only care about that where it makes this process the first of a view.
final class Silences extends Protocol {
  private final BiConsumer<Address, Boolean> silent;

  Silences(BiConsumer<Address, Boolean> silent) {
    this.silent = silent;
  }

  @Override
  public Object up(Event event) {
    if (event.getType() == Event.SUSPECT) {
      tell(event.getArg(), true);
    } else if (event.getType() == Event.UNSUSPECT) {
      tell(event.getArg(), false);
    }
    return up_prot.up(event);
  }

  private void tell(Object who, boolean isSilent) {
    var addresses = who instanceof Collection<?> several ? several : List.of(who);
    for (var address : addresses) {
      if (address instanceof Address it) {
        silent.accept(it, isSilent);
      }
    }
  }
}
