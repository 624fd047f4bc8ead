package org.systole.hostha.replay;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.HostView;
import org.systole.hostha.Order;
import org.systole.hostha.PowerState;
import org.systole.hostha.fsm.HostState;

/// Something that happened in a replay.
public sealed interface Entry {
  /// When, in milliseconds from the beginning.
  long at();

  /// A host came into another state.
  record Moved(long at, Order.Moved what) implements Entry {}

  /// Something was ordered.
  ///
  /// @param action such as `recover`
  /// @param detail such as the neighbour that looks; may be empty
  /// @param minor whether it is one of the checks that come again and again
  record Action(long at, NodeName host, String action, String detail, boolean minor)
      implements Entry {}

  /// People were told something.
  record Told(long at, @Nullable NodeName host, boolean alert, String text) implements Entry {}

  /// How full a queue is.
  record Queue(long at, String name, int waiting, int running, long refused) implements Entry {}

  /// How a host is.
  record Shown(long at, HostView host) implements Entry {}

  /// Something the script says, which is no answer of a provider.
  record Said(long at, String text) implements Entry {}

  /// Something is not as the script expects it.
  record Unexpected(long at, int line, String text) implements Entry {}

  /// The time as it is printed: seconds.
  static String seconds(long at) {
    return String.format(Locale.ROOT, "%.3f", at / 1000.0);
  }

  /// As a line of text, without the time.
  default String describe() {
    return switch (this) {
      case Moved it ->
          "%s: %s -> %s (%s)%s"
              .formatted(
                  it.what.host(),
                  it.what.from(),
                  it.what.to(),
                  it.what.event().text(),
                  it.what.why().isEmpty() ? "" : ": " + it.what.why());
      case Action it ->
          it.detail.isEmpty()
              ? "%s: %s".formatted(it.host, it.action)
              : "%s: %s %s".formatted(it.host, it.action, it.detail);
      case Told it -> (it.alert ? "alert: " : "event: ") + it.text;
      case Queue it ->
          "queue %s: %d waiting, %d running%s"
              .formatted(
                  it.name,
                  it.waiting,
                  it.running,
                  it.refused == 0 ? "" : ", " + it.refused + " refused");
      case Shown it -> shown(it.host);
      case Said it -> "script: " + it.text;
      case Unexpected it -> "UNEXPECTED: line %d: %s".formatted(it.line, it.text);
    };
  }

  private static String shown(HostView it) {
    var text =
        new StringBuilder("%s: %s since %s s".formatted(it.name(), it.state(), seconds(it.since())));
    if (!it.reason().isEmpty()) {
      text.append(" (").append(it.reason()).append(')');
    }
    text.append(", power ").append(it.power() == null ? "not read" : it.power());
    if (it.state() == HostState.FENCED && it.power() == PowerState.ON) {
      text.append(" when it was read last");
    }
    text.append(", recoveries ").append(it.attempts());
    if (it.looks() > 0) {
      text.append(
          ", activity checks %d, of which %d saw nothing and %d could not look"
              .formatted(it.looks(), it.failures(), it.blind()));
    }
    text.append(it.maintenance() ? ", maintenance" : "");
    text.append(it.held() == null ? "" : ", held");
    return text.toString();
  }
}
