package org.systole.pacemakerd.qdevice;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.QuorumDevice;
import org.systole.common.cluster.QuorumDevice.TieBreaker;

/// What `corosync-qdevice-tool -s` shows, line by line as Corosync's.
public final class DeviceText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT);

  private final StringBuilder text = new StringBuilder();
  private final QnetClient client;
  private final DeviceState state;
  private final ZoneId zone;
  private final boolean verbose;

  private DeviceText(QnetClient client, ZoneId zone, boolean verbose) {
    this.client = client;
    this.state = client.state();
    this.zone = zone;
    this.verbose = verbose;
  }

  public static String of(QnetClient client, ZoneId zone, boolean verbose) {
    var it = new DeviceText(client, zone, verbose);
    it.device();
    it.net();
    return it.text.toString();
  }

  private void line(String format, Object... values) {
    text.append(format.formatted(values)).append('\n');
  }

  private void more(String format, Object... values) {
    if (verbose) {
      line(format, values);
    }
  }

  private void device() {
    var config = client.config();
    line("Qdevice information");
    line("-------------------");
    line("Model:\t\t\tNet");
    line("Node ID:\t\t%s", client.local());
    more("HB interval:\t\t%dms", client.timing().silence().toMillis());
    more("Sync HB interval:\t%dms", client.timing().sync().toMillis());
    line("Configured node list:");
    var index = 0;
    for (var node : config.nodes()) {
      line("    %d\tNode ID = %s", index++, node.id());
    }
    more("Heuristics:\t\t%s", client.device().heuristics().mode().shown());
    var side = client.side();
    if (side != null) {
      more("Ring ID:\t\t%x.%x", side.leader().number(), side.number());
    }
    line(
        "Membership node list:\t%s",
        state.side().stream().map(Object::toString).collect(Collectors.joining(", ")));
    more("Quorate:\t\t%s", client.isQuorate() ? "Yes" : "No");
    more("Expected votes:\t\t%d", config.quorum().expectedVotes());
    more("Last poll call:\t\t%s%s", time(state.heardAt()), state.votes() ? " (cast vote)" : "");
    line("");
  }

  private void net() {
    var net = client.device().net();
    line("Qdevice-net information");
    line("----------------------");
    line("Cluster name:\t\t%s", client.config().name());
    line("QNetd host:\t\t%s:%d", net.server(), net.port());
    if (net.ipVersion() != 0) {
      more("Force IP version:\t%d", net.ipVersion());
    }
    more("Connect timeout:\t%dms", client.timing().connecting().toMillis());
    more("HB interval:\t\t%dms", client.timing().heartbeat().toMillis());
    more("VQ vote timer interval:\t%dms", client.timing().poll().toMillis());
    more("TLS:\t\t\t%s", net.tls().shown());
    line("Algorithm:\t\t%s", net.algorithm().shown());
    line(
        "Tie-breaker:\t\t%s",
        switch (net.tieBreaker()) {
          case TieBreaker.Lowest() -> "Node with lowest node ID";
          case TieBreaker.Highest() -> "Node with highest node ID";
          case TieBreaker.Node(var id) -> "Node with node ID " + id;
        });
    more(
        "KAP Tie-breaker:\t%s",
        net.algorithm() == QuorumDevice.Algorithm.LMS
            ? "Algorithm hard-coded"
            : net.keepActivePartition() ? "Enabled" : "Disabled");
    more(
        "Poll timer running:\t%s%s",
        state.connection().equals("Connected") ? "Yes" : "No",
        state.votes() ? " (cast vote)" : "");
    line("State:\t\t\t%s", state.connection());
    if (state.heuristics() != null) {
      line("Heuristics result:\t%s", state.heuristics());
    }
    if (state.connection().equals("Connected")) {
      more(
          "TLS active:\t\t%s%s",
          state.encrypted() ? "Yes" : "No",
          state.clientProved() ? " (client certificate sent)" : "");
      more("Connected since:\t%s", time(state.connectedSince()));
      more("Echo reply received:\t%s", time(state.heardAt()));
    }
    if (state.trouble() != null) {
      more("Last trouble:\t\t%s", state.trouble());
    }
  }

  private String time(@Nullable Instant at) {
    return at == null ? "Never" : TIME.format(at.atZone(zone));
  }
}
