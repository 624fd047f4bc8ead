package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Channels;
import org.systole.common.world.TestWorld;

/// Which addresses of other nodes are used.
final class PeerRoutesTest {
  private static final Map<String, String> ADDRESSES =
      Map.of("one", "10.0.0.1", "one-b", "10.0.1.1", "two", "10.0.0.2", "two-b", "10.0.1.2");

  private final TestWorld world = new TestWorld();
  private boolean answers = true;

  private InetAddress find(String name) throws UnknownHostException {
    var literal = ADDRESSES.get(name);
    if (!answers || literal == null) {
      throw new UnknownHostException(name);
    }
    return InetAddress.ofLiteral(literal);
  }

  private static Channels.Network network(long token) {
    return new Channels.Network(
        List.of(
            new TreeMap<>(Map.of(0, "one", 1, "one-b")), new TreeMap<>(Map.of(0, "two", 1, "two-b"))),
        new TreeMap<>(),
        token);
  }

  @Test
  void aNodeKeepsItsLinksWhileNoNameServerAnswers() {
    var routes = new PeerRoutes(world, InetAddress.ofLiteral("10.0.0.1"), 5405, new KnownAddresses(this::find));
    routes.use(network(3000));
    var before = Set.copyOf(routes.others());
    assertEquals(2, before.size());
    answers = false;
    assertFalse(routes.use(network(10_000)), "the same links");
    assertEquals(before, Set.copyOf(routes.others()));
    assertEquals(2, routes.own().size());
    assertEquals(List.of(), world.lines());
  }
}
