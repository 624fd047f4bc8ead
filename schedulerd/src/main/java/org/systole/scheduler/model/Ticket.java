package org.systole.scheduler.model;

import java.util.LinkedHashMap;
import java.util.Map;

/// A cluster ticket and its state.
public final class Ticket {
  public final String id;

  /// The attributes of the ticket state as read.
  public final Map<String, String> state = new LinkedHashMap<>();

  public boolean granted;
  public boolean standby;

  /// When it was last granted, seconds since the epoch; -1 if unknown.
  public long lastGranted = -1;

  public Ticket(String id) {
    this.id = id;
  }
}
