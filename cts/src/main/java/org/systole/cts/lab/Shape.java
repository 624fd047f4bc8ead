package org.systole.cts.lab;

import java.util.List;

/// What kind of cluster a scenario needs.
///
/// @param tokenMillis longer than the default: on a machine with little to spare a node may stand
///     still for a while
/// @param quorum lines for the quorum section of corosync.conf
/// @param fencingDelay `pcmk_delay_base` of the fence device
/// @param links networks between the nodes, 1 or 2
record Shape(int nodes, int tokenMillis, List<String> quorum, String fencingDelay, int links) {
  static final Shape THREE = new Shape(3, 3000, List.of(), "0s");

  /// Three nodes with two networks.
  static final Shape LINKS = new Shape(3, 3000, List.of(), "0s", 2);

  /// Only a directory and a switch, for a scenario that makes machines itself.
  static final Shape NONE = new Shape(0, 3000, List.of(), "0s");

  static final Shape FOUR = new Shape(4, 3000, List.of(), "0s");
  static final Shape FIVE = new Shape(5, 5000, List.of(), "0s");

  /// Two nodes that fence each other when cut apart; the delay decides who is first.
  static final Shape TWO =
      new Shape(2, 3000, List.of("two_node: 1", "wait_for_all: 1"), "node1:6s;node2:0s");

  /// Two nodes and a quorum device, which decides who fences the other.
  static final Shape DEVICE =
      new Shape(
          2,
          3000,
          List.of(
              "device {",
              "  model: net",
              "  votes: 1",
              "  net {",
              "    host: " + LabQnetd.HOST,
              "    algorithm: ffsplit",
              "    tls: required",
              "  }",
              "}"),
          "0s");

  Shape(int nodes, int tokenMillis, List<String> quorum, String fencingDelay) {
    this(nodes, tokenMillis, quorum, fencingDelay, 1);
  }

  boolean hasDevice() {
    return quorum.stream().anyMatch(it -> it.contains(LabQnetd.HOST));
  }
}
