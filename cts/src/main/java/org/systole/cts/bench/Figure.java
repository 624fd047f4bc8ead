package org.systole.cts.bench;

import org.jspecify.annotations.Nullable;

/// What is measured, what is aimed at, and what Pacemaker 2.1.5 with Corosync 3.1.7 was recorded
/// with on a machine of two cores.
enum Figure {
  COLD_DC("cold start, default settings: DC", "s", "22.2", 6, false),
  COLD_RESOURCE("cold start, default settings: first resource", "s", "23.5", 7, false),
  KILLED("node killed, 10 resources, no fencing", "s", "8.2-9.1", 1.5, false),
  KILLED_FENCED("node killed, 10 resources, fencing of 1 s", "s", "10.2", 2.5, false),
  CUT_OFF("node cut off, beyond the token timeout", "s", "4.8-5.9", 1.5, false),
  STOPPED("node hung (SIGSTOP), beyond the token timeout", "s", "4.8-5.9", 1.5, false),
  MONITOR("failed monitor to started again", "s", "0.07-0.10", 0.10, false),
  WRITES_1("CIB changes, one connection, on disk", "1/s", "77-90", 500, true),
  WRITES_8("CIB changes, eight connections, on disk", "1/s", "206-255", 2000, true),
  WRITES_1_MEMORY("CIB changes, one connection, files in memory", "1/s", "77-90", null, true),
  WRITES_8_MEMORY("CIB changes, eight connections, in memory", "1/s", "206-255", null, true),
  ATTRIBUTES("attribute updates, one connection", "1/s", "395-742", 5000, true),
  CREATE("100 resources: create", "s", "8.9-10.6", 6, false),
  STOP("100 resources: stop", "s", "2.1", 2, false),
  START("100 resources: start", "s", "4.1", 3, false),
  DELETE("100 resources: delete", "s", "9.8-11.8", null, false),
  MEMORY("memory per node, PSS, 10 resources", "MiB", "126-144", 400, false),
  IDLE_CPU("idle CPU per node, 10 resources", "% of a core", "0.8-1.0", 1.5, false),
  MON("crm_mon -1", "ms", "25", 120, false);

  private final String text;
  private final String unit;
  private final String recorded;
  private final @Nullable Double target;
  private final boolean more;

  Figure(String text, String unit, String recorded, double target, boolean more) {
    this(text, unit, recorded, Double.valueOf(target), more);
  }

  Figure(String text, String unit, String recorded, @Nullable Double target, boolean more) {
    this.text = text;
    this.unit = unit;
    this.recorded = recorded;
    this.target = target;
    this.more = more;
  }

  String text() {
    return text + ", " + unit;
  }

  String recorded() {
    return recorded;
  }

  @Nullable Double target() {
    return target;
  }

  boolean isReached(double value) {
    var wanted = target;
    return wanted == null || (more ? value >= wanted : value <= wanted);
  }
}
