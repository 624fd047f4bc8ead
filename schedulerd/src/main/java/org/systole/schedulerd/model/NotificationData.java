package org.systole.schedulerd.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the instances of a clone are told before and after one kind of action.
public final class NotificationData {
  /// An instance and where it is or will be.
  public record Entry(Resource resource, @Nullable Node node) {}

  /// The action: start, stop, promote or demote.
  public final String task;

  /// Milestones: before the action is announced, after that was confirmed by all, and so for after it.
  public @Nullable Action pre;

  public @Nullable Action preDone;
  public @Nullable Action post;
  public @Nullable Action postDone;

  public final List<Entry> active = new ArrayList<>();
  public final List<Entry> inactive = new ArrayList<>();
  public final List<Entry> start = new ArrayList<>();
  public final List<Entry> stop = new ArrayList<>();
  public final List<Entry> promote = new ArrayList<>();
  public final List<Entry> demote = new ArrayList<>();
  public final List<Entry> promoted = new ArrayList<>();
  public final List<Entry> unpromoted = new ArrayList<>();

  /// Where the clone may run at all.
  public @Nullable NodeTable available;

  /// The variables that agents get, as meta-attributes.
  public final Map<String, String> variables = new LinkedHashMap<>();

  public NotificationData(String task) {
    this.task = task;
  }
}
