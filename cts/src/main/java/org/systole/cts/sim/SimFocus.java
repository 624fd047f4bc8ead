package org.systole.cts.sim;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.DecodedFrames;

/// What a life is mostly about, if it is about one thing: faults that do harm only together are hardly
/// ever drawn together among all the others.
enum SimFocus {
  /// All kinds of faults.
  NONE(""),
  /// Fencing by people, by former DCs, with late and doubled answers, of nodes that are back.
  FENCING("fencing"),
  /// Several daemons of a node end at once, and nothing is looked for at the start of one.
  MEMORY("memory"),
  /// No fencing, and no other faults than processes that end: nothing may run twice.
  UNFENCED("unfenced"),
  /// Power, lines and disks fail in the moment in which a change was acknowledged.
  WRITES("writes"),
  /// Leaders are cut off while members change, and taken for ended while they live.
  MEMBERS("members"),
  /// Resources fail while the attribute managers that count that come and go.
  COUNTS("counts"),
  /// Administrators add resources with parameters, change these, clean up, and take them away, while
  /// nodes lose their memory.
  PEOPLE("people"),
  /// A node is added to the list of nodes, file by file, and the cluster is cut in halves.
  LISTS("lists"),
  /// Members of the cluster's group say to the daemons what they should not.
  STRANGERS("strangers"),
  /// Nodes have two or three links, which are cut and come back. Only where it is asked for.
  LINKS("links"),
  /// What is seldom done or answered, one thing in each life, see [SimOdd]. Only where it is asked for, too.
  ODD("odd"),
  /// Connections of remote nodes move while something is under way there. Only where it is asked for, too.
  MOVES("moves"),
  /// Nodes are left out by `last_man_standing`, and meet one of those who count. Only where it is asked for, too.
  STANDING("standing"),
  /// What a cluster has to bear, see [SimCalm]. Only where it is asked for, too.
  CALM("calm");

  private static final long NARROW = 60_000; // some 16 kB a second, of what is packed
  private static final long SLOW_MILLIS = 150;
  private static final int PERCENT = 100;

  /// So many seeds in a hundred have one, of those that have neither guests nor roles nor host HA.
  private static final int SHARE = 30;

  private static volatile @Nullable SimFocus always;

  private final String word;

  SimFocus(String word) {
    this.word = word;
  }

  /// Has each seed from now on have this focus.
  static void always(SimFocus focus) {
    always = focus;
  }

  /// Whether lives are about what was asked for, whatever chance would have.
  static boolean isGiven() {
    return always != null;
  }

  static SimFocus named(String word) {
    for (var it : values()) {
      if (it.word.equals(word)) {
        return it;
      }
    }
    throw new IllegalArgumentException("no focus is called " + word);
  }

  /// By a stream of chance of its own, so that it moves nothing else in a seed.
  static SimFocus of(long seed) {
    var random = new SplittableRandom(seed * 0xA24BAED4963EE407L + 41);
    var drawn = random.nextInt(PERCENT) < SHARE;
    var which = values()[1 + random.nextInt(LINKS.ordinal() - 1)];
    var wanted = always;
    return wanted != null ? wanted : drawn ? which : NONE;
  }

  /// Whether other faults come among them.
  boolean hasOthers() {
    return this != UNFENCED && this != LISTS && this != LINKS && this != MOVES && this != STANDING && this != CALM;
  }

  /// How many nodes such a life has, of those drawn.
  int nodes(int drawn) {
    return switch (this) {
      case NONE, CALM -> drawn;
      case LISTS -> 4;
      case STANDING -> 5;
      default -> Math.clamp(drawn, 3, 5);
    };
  }

  /// The options such a life has, of those drawn.
  SimOptions options(SimOptions drawn) {
    if (this == NONE) {
      return drawn;
    }
    var cluster = new TreeMap<String, String>();
    if (this == UNFENCED) {
      cluster.put("fencing-enabled", "false");
    }
    if (this == LISTS) {
      cluster.put("startup-fencing", "false"); // who is not in the list yet is not fenced either
    }
    var defaults = new TreeMap<>(drawn.defaults());
    if (this == MEMORY || this == CALM) {
      defaults.put("resource-stickiness", "100");
    }
    return new SimOptions(cluster, this != UNFENCED, this == MOVES || drawn.migrates(), false, false, defaults, this == MOVES ? 2 : 0);
  }

  /// How many of the nodes are there from the start, and in the others' files.
  int listed(int nodes) {
    return this == LISTS ? nodes - 1 : nodes;
  }

  /// In some lives in which members come and go a whole CIB takes a good part of a second on its way, and a promise to a primary
  /// on its way to disk: much can be asked for meanwhile. Where frames of a few bytes stand in for messages no line is narrow: so they do not in
  /// such a life, unless it is a usual one, which is to go as it went.
  void narrow(SimCluster cluster) {
    var nanosPerByte = this == MEMBERS ? NARROW * cluster.random("narrow", "", "", 0).nextInt(3) : 0;
    if (nanosPerByte > 0) {
      if (isGiven()) {
        DecodedFrames.remember(true);
      }
      cluster.network().narrow(nanosPerByte);
      cluster.nodes().forEach(it -> it.slowDisk(Duration.ofMillis(SLOW_MILLIS)));
    }
  }

  /// How many links each node has at the start.
  int links(long seed) {
    return this == LINKS ? 2 + (int) Math.floorMod(seed, 2L) : 1;
  }

  /// Whether nodes look for resources when they start.
  boolean probes(boolean drawn) {
    return this == NONE ? drawn : this != MEMORY;
  }

  @Override
  public String toString() {
    return word;
  }
}
