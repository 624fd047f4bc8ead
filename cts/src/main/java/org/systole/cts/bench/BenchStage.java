package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// What the nodes of a benchmark share: an agent and a fence agent that note when they did what.
final class BenchStage {
  /// One line of an agent: when it ended, where, what, how.
  ///
  /// @param at the end, seconds since the epoch
  /// @param begun the beginning, likewise
  record Stamp(double at, String node, String resource, String action, int status, double begun) {}

  private static final Path HEARTBEAT = Path.of("/usr/lib/ocf/resource.d/heartbeat/Dummy");

  private final Path dir;

  private BenchStage(Path dir) {
    this.dir = dir;
  }

  static BenchStage make(Path home, Path dir) throws IOException {
    var stage = new BenchStage(dir);
    var agents = stage.ocfRoot().resolve("resource.d/bench");
    Files.createDirectories(agents);
    Files.createDirectories(stage.fenceAgents());
    Files.writeString(stage.stamps(), "");
    program(agents.resolve("Dummy"), stage.dummy(home));
    program(stage.fenceAgents().resolve("fence_bench"), stage.fenceAgent());
    return stage;
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  Path ocfRoot() {
    return dir.resolve("ocf");
  }

  Path fenceAgents() {
    return dir.resolve("fence");
  }

  private Path stamps() {
    return dir.resolve("stamps");
  }

  void forget() throws IOException {
    Files.writeString(stamps(), "");
  }

  /// What the agents noted since a moment.
  List<Stamp> since(double moment) throws IOException {
    var found = new ArrayList<Stamp>();
    for (var line : Files.readAllLines(stamps())) {
      var words = line.split(" ");
      if (words.length == 6 && Double.parseDouble(words[0]) >= moment) {
        found.add(
            new Stamp(
                Double.parseDouble(words[0]),
                words[1],
                words[2],
                words[3],
                Integer.parseInt(words[4]),
                Double.parseDouble(words[5])));
      }
    }
    return found;
  }

  List<Stamp> since(double moment, String action) throws IOException {
    return since(moment).stream().filter(it -> it.action().equals(action)).toList();
  }

  /// The usual Dummy, and a line for each start, stop and failed recurring monitor.
  private String dummy(Path home) {
    var installed = Files.exists(HEARTBEAT);
    var agent =
        installed ? HEARTBEAT : home.resolve("share/systole/ocf/resource.d/pacemaker/Dummy");
    return """
        #!/bin/bash
        begun=$EPOCHREALTIME
        %s
        '%s' "$@"
        status=$?
        interval=${OCF_RESKEY_CRM_meta_interval:-0}
        case $1 in
          start | stop) note=1 ;;
          monitor) [ $status = 0 ] || [ $interval = 0 ] || note=1 ;;
        esac
        [ -z "$note" ] || echo "$EPOCHREALTIME $HOSTNAME $OCF_RESOURCE_INSTANCE $1 $status $begun" >>'%s'
        exit $status
        """
        .formatted(
            installed ? "export OCF_ROOT=/usr/lib/ocf; unset OCF_FUNCTIONS_DIR" : ":",
            agent,
            stamps());
  }

  /// Switching off takes a second and does nothing: the node is down already.
  private String fenceAgent() {
    return """
        #!/bin/bash
        begun=$EPOCHREALTIME action=reboot plug=
        while [ $# -gt 0 ]; do
          case $1 in -o) action=$2; shift ;; -n) plug=$2; shift ;; esac
          shift
        done
        if [ ! -t 0 ]; then
          while read -r line; do
            case $line in action=*) action=${line#*=} ;; port=* | plug=*) plug=${line#*=} ;; esac
          done
        fi
        case $action in
          metadata | meta-data)
            cat <<'END'
        <?xml version="1.0"?>
        <resource-agent name="fence_bench" shortdesc="a second of waiting">
        <longdesc>waits</longdesc>
        <vendor-url></vendor-url>
        <parameters>
        <parameter name="action" unique="0" required="1"><getopt mixed="-o"/><content type="string" default="reboot"/><shortdesc lang="en">action</shortdesc></parameter>
        <parameter name="port" unique="0" required="1"><getopt mixed="-n"/><content type="string"/><shortdesc lang="en">node</shortdesc></parameter>
        </parameters>
        <actions><action name="on"/><action name="off"/><action name="reboot"/><action name="status"/><action name="list"/><action name="monitor"/><action name="metadata"/></actions>
        </resource-agent>
        END
            ;;
          off | reboot)
            sleep 1
            echo "$EPOCHREALTIME $HOSTNAME ${plug:--} fence_$action 0 $begun" >>'%s' ;;
        esac
        exit 0
        """
        .formatted(stamps());
  }
}
