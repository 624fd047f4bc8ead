package org.systole.hostha.fsm;

/// What is to be done because of an event.
public enum Deed {
  CHECK_ELIGIBILITY("ask whether it is eligible"),
  CHECK_HEALTH("check its health"),
  CHECK_POWER("read its power"),
  /// Counts start at nothing, and the time of suspicion is now.
  INVESTIGATE("begin an investigation"),
  CHECK_ACTIVITY("have a neighbour look"),
  RECOVER("queue its recovery"),
  ENTER_MAINTENANCE("put it into maintenance"),
  FENCE("queue its fencing"),
  LEAVE_MAINTENANCE("take it out of maintenance"),
  RESET_ATTEMPTS("forget its recoveries");

  private final String text;

  Deed(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
