package org.systole.controld.hosts;

import org.systole.common.values.OneLine;
import org.systole.controld.client.CtlMessage;
import org.systole.hostha.Input;

/// What a person wants of a host, as the decider takes it.
final class PersonsOrder {
  private static final int REASON_MAX = 300;

  private PersonsOrder() {}

  static Input input(CtlMessage.OrderHost it) {
    return switch (it.what()) {
      case HOLD -> new Input.Hold(it.host(), OneLine.of(it.why(), REASON_MAX));
      case RELEASE -> new Input.Release(it.host());
      case RECOVER -> new Input.ForceRecovery(it.host());
      case FENCE -> new Input.ForceFencing(it.host());
      case CONFIRM -> new Input.Confirm(it.host());
      case CLEAR -> new Input.Clear(it.host());
      case CHECK -> new Input.CheckNow(it.host());
    };
  }
}
