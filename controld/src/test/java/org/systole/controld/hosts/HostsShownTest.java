package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HostsQuery;
import org.systole.hostha.Decider;
import org.systole.hostha.HostRecords;
import org.systole.hostha.Order;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;

/// What commands are told of very many hosts.
final class HostsShownTest {
  private static final int HOSTS = 5_000;
  private static final int FRAME_MAX = 64 << 20;

  private static HostsShown many() {
    var builder = new Configuration.Builder();
    for (var at = 0; at < HOSTS; at++) {
      assertNull(builder.host(new NodeName("host" + at), null, List.of()));
    }
    var configuration = builder.build();
    var hosts = configuration.hosts().keySet();
    var board = new HostBoard(new HostEntries(Element.of("cib"), false), hosts);
    for (var host : hosts) {
      for (var at = 0; at < 50; at++) {
        var why = "\"\n".repeat(150); // what takes most
        board.moved(new Order.Moved(host, HostState.CHECKING, HostState.SUSPECT, HostEvent.ELIGIBLE, why), at);
      }
    }
    var setup = new HostSetup(configuration, Map.of(), Map.of(), List.of(), null, List.of());
    return new HostsShown(
        new Decider(1, configuration, HostRecords.EMPTY, Set.of(), 0, 0), setup, board, 0);
  }

  private static int size(CtlMessage.Hosts all) {
    return CtlMessage.PROTOCOL.reply(1, all).length;
  }

  @Test
  void historiesAreToldOfOneHostAndNoMoreThanAMessageTakes() {
    var shown = many();

    var brief = shown.answer(new HostsQuery(null, true), List.of());
    assertEquals(HOSTS, brief.hosts().size());
    assertTrue(brief.hosts().stream().allMatch(it -> it.history().isEmpty()));
    assertTrue(size(brief) < FRAME_MAX / 16, "" + size(brief));

    var one = shown.answer(new HostsQuery(new NodeName("host4711"), null), List.of());
    assertEquals(1, one.hosts().size());
    assertEquals(40, one.hosts().getFirst().history().size());

    var all = shown.answer(new HostsQuery(null, null), List.of());
    assertEquals(HOSTS, all.hosts().size());
    assertFalse(all.hosts().getFirst().history().isEmpty());
    assertTrue(size(all) < FRAME_MAX / 2, "" + size(all));
  }

  /// Of a command, or a DC, of a build before there was a choice.
  @Test
  void whatAnEarlierBuildSaysIsUnderstood() throws Exception {
    var request = new String(CtlMessage.PROTOCOL.request(7, new HostsQuery(null, null)), StandardCharsets.UTF_8);
    var before = request.replaceAll("\"brief\":null,?", "").replaceAll("\"host\":null,?", "");
    var read = CtlMessage.PROTOCOL.requestIn(before.getBytes(StandardCharsets.UTF_8)).body();

    assertEquals(new HostsQuery(null, null), read);
  }
}
