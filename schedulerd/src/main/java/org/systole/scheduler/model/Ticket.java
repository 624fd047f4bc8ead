package org.systole.scheduler.model;

import java.util.LinkedHashMap;
import java.util.Map;

/// A cluster ticket and its state.
public final class Ticket {
  private final String id;

  private final Map<String, String> state = new LinkedHashMap<>();

  private boolean granted;
  private boolean standby;

  private long lastGranted = -1;

  public Ticket(String id) {
    this.id = id;
  }

  public String id() {
    return id;
  }

  /// The attributes of the ticket state as read.
  @WrittenBy("unpack")
  public Map<String, String> state() {
    return state;
  }

  public boolean granted() {
    return granted;
  }

  @WrittenBy("unpack")
  public void setGranted(boolean granted) {
    this.granted = granted;
  }

  public boolean standby() {
    return standby;
  }

  @WrittenBy("unpack")
  public void setStandby(boolean standby) {
    this.standby = standby;
  }

  /// When it was last granted, seconds since the epoch; -1 if unknown.
  public long lastGranted() {
    return lastGranted;
  }

  @WrittenBy("unpack")
  public void setLastGranted(long lastGranted) {
    this.lastGranted = lastGranted;
  }
}
