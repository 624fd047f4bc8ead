package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.controld.io.PeerMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.hostha.PowerState;

/// The power of hosts is read by whoever may use a device for them.
final class PowerReadsTest implements HostOrders.Host {
  private record Sent(NodeId to, PeerMessage.ReadPower what) {}

  private static final NodeName HOST = new NodeName("h1");
  private static final Duration TIME = Duration.ofSeconds(9);

  private final TestWorld world = new TestWorld();
  private final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  private final PowerReads reads = new PowerReads(world, this, PowerReader.connected(world));
  private final List<Sent> sent = new ArrayList<>();
  private final List<PowerState> read = new ArrayList<>();
  private boolean others = true;
  private long lastId;

  PowerReadsTest() {
    fencer.script(
        (id, request) -> {
          if (!(request instanceof FenceMessage.Subscribe)) {
            lastId = id;
          }
        });
  }

  private void read() {
    world.settle();
    reads.read(HOST, TIME, read::add);
    world.settle();
  }

  private void devices(String... names) {
    var all =
        List.of(names).stream().map(it -> new FenceMessage.Device(it, "fence_x", true)).toList();
    fencer.reply(lastId, new FenceMessage.Devices(all));
    world.settle();
  }

  private void status(int rc) {
    fencer.reply(
        lastId,
        new FenceMessage.DeviceResult(rc, rc == 0 ? ExecStatus.DONE : ExecStatus.ERROR, "", ""));
    world.settle();
  }

  private void answer(int at, String state) {
    var one = sent.get(at);
    reads.heard(one.to(), new PeerMessage.PowerRead(one.what().number(), state));
    world.settle();
  }

  private List<Integer> askedNodes() {
    return sent.stream().map(it -> it.to().number()).toList();
  }

  @Test
  void whoHasADeviceThatAnswersAsksNobody() {
    read();
    devices("a");
    status(0);

    assertEquals(List.of(PowerState.ON), read);
    world.pass(TIME);
    assertEquals(List.of(), sent);
    assertEquals(1, read.size());
  }

  @Test
  void whoHasNoneAsksOneAfterTheOther() {
    read();
    devices();
    assertEquals(List.of(2), askedNodes());
    answer(0, "NONE");
    assertEquals(List.of(2, 3), askedNodes());
    answer(1, "OFF");

    assertEquals(List.of(PowerState.OFF), read);
    sent.clear();
    read();
    devices();
    assertEquals(List.of(3), askedNodes(), "who knew last time is asked first");
  }

  @Test
  void oneThatDoesNotAnswerHereMayAnswerElsewhere() {
    read();
    devices("a");
    status(1);
    assertEquals(List.of(2), askedNodes());
    answer(0, "UNKNOWN");
    answer(1, "UNKNOWN");

    assertEquals(List.of(PowerState.UNKNOWN), read);
  }

  @Test
  void nobodyIsWaitedForAlone() {
    read();
    assertEquals(List.of(), sent);
    world.pass(Duration.ofSeconds(3));
    assertEquals(List.of(2), askedNodes());
    world.pass(Duration.ofSeconds(3));
    assertEquals(List.of(2, 3), askedNodes());
    answer(1, "ON");
    assertEquals(List.of(PowerState.ON), read);

    answer(0, "OFF");
    assertEquals(1, read.size(), "who is late changes nothing");
  }

  @Test
  void whatNobodyCanTellIsUnknownWhenTheTimeIsOver() {
    others = false;
    read();
    devices();
    world.pass(TIME);

    assertEquals(List.of(PowerState.UNKNOWN), read);
    assertEquals(List.of(), sent);
  }

  // What the controller does

  @Override
  public NodeName nodeName() {
    return new NodeName("n1");
  }

  @Override
  public @Nullable NodeId nodeId(NodeName name) {
    return new NodeId(1);
  }

  @Override
  public boolean isOnline(NodeId id) {
    return true;
  }

  @Override
  public List<NodeId> online() {
    return List.of(new NodeId(1), new NodeId(2), new NodeId(3));
  }

  @Override
  public boolean knowPowerReads() {
    return others;
  }

  @Override
  public void send(NodeId node, PeerMessage message) {
    if (message instanceof PeerMessage.ReadPower it) {
      sent.add(new Sent(node, it));
    }
  }

  @Override
  public long membershipNumber() {
    return 1;
  }
}
