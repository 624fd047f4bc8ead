package org.systole.hostha.fsm;

import org.jspecify.annotations.Nullable;

/// Where a host is in its life. What may happen in a state is in [Transitions], nowhere else.
public enum HostState {
  /// Host HA is off for it, or for what it is in.
  DISABLED("Ineligible/Disabled"),
  /// It answers, and everything that its recovery would take is there.
  AVAILABLE("Up"),
  /// Host HA is on, but cannot work for it now: maintenance, no neighbour, power off or not known.
  INELIGIBLE("Ineligible/Disabled"),
  /// It does not answer; its neighbours are to be asked for signs of life.
  SUSPECT("Up (Investigating)"),
  /// It does not answer, but was seen to work.
  DEGRADED("Alert"),
  /// A neighbour is looking for signs of life.
  CHECKING("Up (Investigating)"),
  /// It shows no life: its power cycle is due or under way.
  RECOVERING("Disconnected"),
  /// Its power was cycled; it has some time to come back.
  RECOVERED("Disconnected"),
  /// It cannot be recovered: its power is to be switched off, until that is proved.
  FENCING("Disconnected"),
  /// Its power is off, which was proved. A person has to look after it.
  FENCED("Down");

  private final String seenAs;

  HostState(String seenAs) {
    this.seenAs = seenAs;
  }

  /// What a host in this state is for whoever looks after what runs on it.
  public String seenAs() {
    return seenAs;
  }

  /// Whether host HA looks after a host in this state; otherwise the cluster does, as without it.
  public boolean isManaged() {
    return this != DISABLED && this != INELIGIBLE;
  }

  /// Whether a host in this state counts as sick where the share of sick hosts matters.
  public boolean isSick() {
    return isManaged() && this != AVAILABLE;
  }

  /// Whether a host in this state has to be told apart from a new one after a change of the DC and
  /// after a restart of the whole cluster.
  public boolean isDurable() {
    return switch (this) {
      case RECOVERING, RECOVERED, FENCING, FENCED -> true;
      case DISABLED, AVAILABLE, INELIGIBLE, SUSPECT, DEGRADED, CHECKING -> false;
    };
  }

  /// The state of a name, null if there is none.
  public static @Nullable HostState of(@Nullable String name) {
    for (var state : values()) {
      if (state.name().equals(name)) {
        return state;
      }
    }
    return null;
  }
}
