package org.systole.roles.model;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.systole.roles.data.Json;

/// A unit of work that nodes are made fit by.
///
/// @param jig carries it out
/// @param requires the roles, or what roles provide, that must be done before: direct ones only
/// @param conflicts roles, or what roles provide, that may not be on the same node
/// @param provides what else it may be required by
/// @param data the template of its configuration
/// @param on what an event lays over the system's data of the noderole
/// @param timeoutMillis how long a run of its jig may take, and a check
/// @param check whether the cluster makes sure, time and again, that what is active is fit still
public record Role(
    RoleId id,
    String description,
    JigId jig,
    Set<RoleFlag> flags,
    SortedSet<RoleId> requires,
    SortedSet<RoleId> conflicts,
    SortedSet<RoleId> provides,
    Json.Obj data,
    Map<RoleEvent, Json.Obj> on,
    long timeoutMillis,
    Check check) {
  /// How what is done is looked at again. A check changes nothing on the node.
  ///
  /// @param intervalMillis how long after the end of one check the next begins; 0 for none at all
  /// @param redo whether a check that fails has the jig run anew, and only that one's failure is an
  ///     error; what may run only once never runs for it
  public record Check(long intervalMillis, boolean redo) {
    public static final Check NONE = new Check(0, false);

    /// The shortest interval.
    public static final long INTERVAL_MIN_MILLIS = 1_000;

    public boolean isNone() {
      return intervalMillis == 0;
    }
  }

  /// What a run may take where a role says nothing.
  public static final long TIMEOUT_MILLIS = 300_000;

  /// The most that a run may be given.
  public static final long TIMEOUT_MAX_MILLIS = 86_400_000;

  public Role(
      RoleId id,
      String description,
      JigId jig,
      Set<RoleFlag> flags,
      SortedSet<RoleId> requires,
      SortedSet<RoleId> conflicts,
      SortedSet<RoleId> provides,
      Json.Obj data,
      Map<RoleEvent, Json.Obj> on) {
    this(
        id,
        description,
        jig,
        flags,
        requires,
        conflicts,
        provides,
        data,
        on,
        TIMEOUT_MILLIS,
        Check.NONE);
  }

  public Role {
    flags = Collections.unmodifiableSet(flags.isEmpty() ? Set.of() : EnumSet.copyOf(flags));
    requires = Collections.unmodifiableSortedSet(new TreeSet<>(requires));
    conflicts = Collections.unmodifiableSortedSet(new TreeSet<>(conflicts));
    provides = Collections.unmodifiableSortedSet(new TreeSet<>(provides));
    on = Collections.unmodifiableMap(on.isEmpty() ? Map.of() : new EnumMap<>(on));
  }

  public boolean is(RoleFlag flag) {
    return flags.contains(flag);
  }

  /// Whether it goes by that name.
  public boolean answersTo(RoleId name) {
    return id.equals(name) || provides.contains(name);
  }
}
