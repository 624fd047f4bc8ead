package org.systole.pacemakerd.qdevice;

/// What the server's errors mean, and what to do.
final class QnetErrors {
  private QnetErrors() {}

  static String text(int code) {
    return "it refuses this node: "
        + switch (code) {
          case 3 -> "it wants encryption; set tls in corosync.conf to on or required";
          case 11 -> "it takes no message before the introduction";
          case 12, 18 -> "it cannot use the node list; correct corosync.conf";
          case 13 ->
              "it does not take the heartbeat interval; set timeout of the device, half of it has to be between heartbeat_interval_min and _max of qnetd";
          case 15 -> "tie_breaker differs from that of other nodes; make corosync.conf the same";
          case 16 -> "algorithm differs from that of other nodes; make corosync.conf the same";
          case 17 ->
              "it still has a connection of a node with this nodeid, from before or from another machine";
          default -> "error " + code;
        };
  }
}
