package org.systole.controld.hosts;

import org.systole.controld.client.CtlMessage;
import org.systole.hostha.Input;

/// What a person wants of a host, as the decider takes it.
final class PersonsOrder {
  private static final int REASON_MAX = 300;

  private PersonsOrder() {}

  static Input input(CtlMessage.OrderHost it) {
    return switch (it.what()) {
      case HOLD -> new Input.Hold(it.host(), oneLine(it.why()));
      case RELEASE -> new Input.Release(it.host());
      case RECOVER -> new Input.ForceRecovery(it.host());
      case FENCE -> new Input.ForceFencing(it.host());
      case CONFIRM -> new Input.Confirm(it.host());
      case CLEAR -> new Input.Clear(it.host());
      case CHECK -> new Input.CheckNow(it.host());
    };
  }

  /// A person's reason is kept in the CIB and shown to others.
  private static String oneLine(String why) {
    var text = why.replaceAll("\\p{Cntrl}+", " ").strip();
    return text.length() > REASON_MAX ? text.substring(0, REASON_MAX) : text;
  }
}
