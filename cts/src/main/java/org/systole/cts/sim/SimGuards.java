package org.systole.cts.sim;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// Whether the nodes of a random cluster have watchdogs, and by what else they are fenced.
enum SimGuards {
  NONE("none"),
  /// Watchdogs, and a power switch that is tried first.
  BESIDE_A_SWITCH("beside"),
  /// Watchdogs alone.
  ALONE("alone"),
  /// Watchdogs, and three disks by which nodes are told to be gone.
  WITH_DISKS("disks");

  private static final int PERCENT = 100;

  private final String word;

  SimGuards(String word) {
    this.word = word;
  }

  /// By a stream of chance of its own, so that it moves nothing else in a seed.
  static SimGuards of(long seed, int nodes, SimOptions options) {
    var percent = new SplittableRandom(seed * 0xD1342543DE82EF95L + 29).nextInt(PERCENT);
    if (nodes == 2 || !options.fences() || percent >= 24) {
      return NONE;
    }
    if (options.hosts() > 0) {
      return BESIDE_A_SWITCH; // remote nodes have neither watchdogs nor slots
    }
    return percent < 6 ? BESIDE_A_SWITCH : percent < 16 ? ALONE : WITH_DISKS;
  }

  static SimGuards named(String word) {
    for (var it : values()) {
      if (it.word.equals(word)) {
        return it;
      }
    }
    throw new IllegalArgumentException("no kind of watchdogs is called " + word);
  }

  /// A cluster whose nodes have them.
  void into(SimCluster cluster) {
    variables().forEach(cluster::variable);
    if (this == ALONE) {
      cluster.checks().roles().gate().watchdogsAlone();
    }
    if (this == WITH_DISKS) {
      cluster.messageDisks().fence();
    }
  }

  /// What the nodes' cluster software is told.
  private Map<String, String> variables() {
    return switch (this) {
      case NONE -> Map.of();
      case BESIDE_A_SWITCH, ALONE -> Map.of("SBD_WATCHDOG_DEV", "/dev/watchdog");
      case WITH_DISKS -> Map.of("SBD_DEVICE", "/dev/one;/dev/two;/dev/three");
    };
  }

  /// The cluster options that go with it.
  Map<String, String> options() {
    return this == BESIDE_A_SWITCH || this == ALONE
        ? new TreeMap<>(Map.of("fencing-watchdog-timeout", "-1"))
        : Map.of();
  }

  /// The configuration with such devices.
  Element fencedBy(Element cib) {
    return switch (this) {
      case NONE, BESIDE_A_SWITCH -> cib;
      case ALONE -> changed(cib, "name=\"pcmk_host_list\" value=\"[^\"]*\"",
          "name=\"pcmk_host_list\" value=\"nobody\"");
      case WITH_DISKS -> changed(cib, "fence_sim", "fence_sbd");
    };
  }

  private static Element changed(Element cib, String what, String to) {
    try {
      return XmlReader.parse(XmlWriter.compact(cib).replaceAll(what, to));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return word;
  }
}
