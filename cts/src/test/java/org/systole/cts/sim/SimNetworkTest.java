package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Channels;

final class SimNetworkTest {
  private final SimCluster cluster = new SimCluster(11, 3);
  private final Map<String, Party> parties = new LinkedHashMap<>();

  /// A process with a channel that notes what it hears.
  private static final class Party implements Channels.Listener {
    private final List<String> heard = new ArrayList<>();
    private final List<Channels.View> views = new ArrayList<>();
    private Channels.Channel channel;

    @Override
    public void opened(Channels.Address self) {}

    @Override
    public void view(Channels.View view) {
      views.add(view);
    }

    @Override
    public void message(Channels.Address from, byte[] message) {
      heard.add(from.text().substring(0, 5) + ":" + new String(message));
    }

    @Override
    public void silent(Channels.Address peer, boolean silent) {}

    @Override
    public void ended(Channels.Address peer) {
      heard.add("ended " + peer.text().substring(0, 5));
    }

    @Override
    public void closed(String why) {}

    List<String> members() {
      return views.getLast().members().stream().map(it -> it.text().substring(0, 5)).toList();
    }
  }

  SimNetworkTest() {
    bring(cluster, parties);
  }

  private static void bring(SimCluster cluster, Map<String, Party> parties) {
    cluster.daemon(
        "pacemakerd",
        (node, _, _, _) -> {
          var party = new Party();
          party.channel = cluster.network().channels(node.process("pacemakerd")).open(party);
          parties.put(node.name(), party);
        });
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(20));
  }

  /// A whole CIB of 88 kB does not take longer than the token time where it takes a third of a second, as the transport packs it.
  @Test
  void whatIsLongTravelsPacked() {
    var network = cluster.network();
    network.narrow(30_000);
    assertTrue(network.delay(1000) >= 30_000_000);
    var whole = network.delay(88_000);
    assertTrue(whole >= 300_000_000 && whole < 500_000_000, whole + " ns");
  }

  private Party party(String name) {
    return parties.get(name);
  }

  @Test
  void nodesThatHearEachOtherEndInOneView() {
    var view = party("node1").views.getLast();

    assertEquals(3, view.members().size());
    assertEquals(view, party("node2").views.getLast());
    assertEquals(view, party("node3").views.getLast());
  }

  @Test
  void whatOneSendsArrivesInOrder() {
    cluster.loss(0.3);
    IntStream.range(0, 50).forEach(it -> party("node1").channel.broadcast(("" + it).getBytes()));
    cluster.run(Duration.ofSeconds(5));

    var expected = IntStream.range(0, 50).mapToObj(it -> "node1:" + it).toList();
    assertEquals(expected, party("node1").heard);
    assertEquals(expected, party("node2").heard);
    assertEquals(expected, party("node3").heard);
  }

  @Test
  void aCutOffNodeKeepsAViewOfItsOwnUntilTheLinesAreMended() {
    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3")));
    cluster.run(Duration.ofSeconds(10));
    assertEquals(List.of("node3"), party("node3").members());
    assertEquals(2, party("node1").members().size());

    cluster.heal();
    cluster.run(Duration.ofSeconds(15));
    assertEquals(3, party("node3").members().size());
    assertEquals(party("node1").members(), party("node3").members());
  }

  /// The first member of a merged view misses it, and makes its next one itself, without a node that was cut off meanwhile. With one name
  /// for both nobody would see that they are two, and those who have the merged one would follow a leader that knows nothing of them.
  @Test
  void whoMissesAMergedViewAndMakesItsNextOneItselfIsFoundByTheOthers() {
    var cluster = new SimCluster(25, 5);
    var parties = new LinkedHashMap<String, Party>();
    bring(cluster, parties);
    for (var round = 0; round < 8; round++) {
      cluster.partition(List.of(List.of("node1", "node2", "node3"), List.of("node4", "node5")));
      cluster.run(Duration.ofSeconds(10));
      cluster.partition(List.of(List.of("node1", "node2", "node4", "node5"), List.of("node3")));
      cluster.run(Duration.ofSeconds(30));
      assertEquals(List.of("node1", "node2", "node4", "node5"), parties.get("node1").members().stream().sorted().toList());
      for (var name : List.of("node2", "node4", "node5")) {
        assertEquals(parties.get("node1").views.getLast(), parties.get(name).views.getLast());
      }
    }
  }

  @Test
  void whatWaitsForALineIsSentOnceAnotherPartitionMendsIt() {
    cluster.partition(List.of(List.of("node1", "node2"), List.of("node3")));
    party("node1").channel.broadcast("one".getBytes());
    cluster.run(Duration.ofSeconds(1));
    cluster.partition(List.of(List.of("node1", "node3"), List.of("node2")));
    party("node1").channel.broadcast("two".getBytes());
    cluster.run(Duration.ofSeconds(1));
    assertEquals(List.of("node1:one", "node1:two"), party("node3").heard);
  }

  @Test
  void aKilledProcessIsNoticedAtOnceASilentMachineAfterTheToken() {
    cluster.node("node2").kill("pacemakerd");
    cluster.run(Duration.ofMillis(600));
    assertTrue(party("node1").heard.contains("ended node2"), party("node1").heard::toString);

    cluster.run(Duration.ofSeconds(20));
    cluster.node("node3").powerOff();
    cluster.run(Duration.ofMillis(600));
    assertTrue(party("node1").members().contains("node3"));
    cluster.run(Duration.ofSeconds(5));
    assertEquals(List.of("node1", "node2"), party("node1").members().stream().sorted().toList());
  }
}
