package org.systole.controld.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Processes;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;
import org.systole.execd.client.remote.RemoteXml;

/// The port for commands of other machines; the test is those, the system that knows the passwords,
/// and the CIB manager.
final class CibPortTest {
  private static final String HELLO =
      "<cib_command op='authenticate' user='hacluster' password='right'/>";
  private static final String QUERY =
      "<cib_command t='cib' cib_op='cib_query' cib_section='nodes' cib_callid='7' cib_callopt='4096'/>";

  private final TestWorld world = new TestWorld();
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private final Ports ports = new Ports();
  private final CibPort port = new CibPort(world, () -> ports, Map.of());

  CibPortTest() {
    world.user("hacluster", List.of("haclient"));
    world.user("kim", List.of("staff"));
    world
        .programs()
        .script(
            it ->
                new Processes.Exit.Exited(
                    it.command().contains("chkexpiry") || it.input().equals("right\0") ? 0 : 7,
                    0,
                    "",
                    "",
                    Duration.ZERO));
  }

  /// The network as the port sees it.
  private static final class Ports implements SecureStreams {
    private final List<Integer> open = new ArrayList<>();
    private @Nullable ServerHandler handler;
    private @Nullable String at;
    private boolean taken;

    @Override
    public Server listen(@Nullable String address, int number, ServerHandler to) {
      if (taken) {
        throw new CannotStart("Cannot serve port %d: another program may have it".formatted(number), 100);
      }
      open.add(number);
      at = address;
      handler = to;
      return () -> open.remove((Integer) number);
    }

    @Override
    public void prepare() {}

    @Override
    public void connect(String server, int number, Duration within, ConnectionHandler to) {
      throw new AssertionError("nobody is called");
    }
  }

  /// A command of another machine.
  private final class Visitor implements Connection {
    private final List<Element> told = new ArrayList<>();
    private final ConnectionHandler handler;
    private boolean closed;

    Visitor() {
      handler = assertNotNullHandler().accept(this);
      handler.opened(this);
    }

    private ServerHandler assertNotNullHandler() {
      var it = ports.handler;
      assertNotNull(it);
      return it;
    }

    void says(String xml) {
      handler.received(this, RemoteXml.bytes(TestCib.xml(xml)));
      world.settle();
    }

    @Override
    public void send(byte[] frame) {
      assertFalse(closed);
      told.add(TestCib.xml(new String(frame, java.nio.charset.StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials("192.0.2.9", List.of(), true);
    }
  }

  private void configured(String attributes) {
    port.changed(TestCib.xml("<cib " + attributes + "/>"));
    world.settle();
  }

  @Test
  void isServedAtTheAddressThatTheEnvironmentNames() {
    configured("remote-tls-port='8765'");
    assertNull(ports.at);

    var env = Map.of(Layout.CIB_ADDRESS, "127.0.0.11");
    new CibPort(world, () -> ports, env).changed(TestCib.xml("<cib remote-tls-port='8765'/>"));
    assertEquals("127.0.0.11", ports.at);
    assertTrue(world.logged("served at port 8765 of 127.0.0.11"));
  }

  private Visitor visitor() {
    configured("remote-tls-port='8765'");
    return new Visitor();
  }

  @Test
  void nothingListensUnlessTheCibNamesAPort() {
    configured("");
    configured("remote-tls-port='0'");
    configured("remote-tls-port='70000'");
    configured("remote-tls-port='nonsense'");
    assertEquals(List.of(), ports.open);

    configured("remote-tls-port='8765'");
    assertEquals(List.of(8765), ports.open);
    configured("remote-tls-port='8766'");
    assertEquals(List.of(8766), ports.open);
    var guest = new Visitor();
    configured("");
    assertEquals(List.of(), ports.open);
    assertTrue(guest.closed);
  }

  @Test
  void thePortWithoutEncryptionIsNeverServed() {
    configured("remote-clear-port='8765'");
    assertEquals(List.of(), ports.open);
    assertTrue(world.logged("remote-clear-port of the CIB has no effect"));
  }

  @Test
  void aPortThatIsTakenIsTriedAgain() {
    ports.taken = true;
    configured("remote-tls-port='8765'");
    assertTrue(world.logged("another program may have it"));
    ports.taken = false;
    world.pass(Duration.ofSeconds(31));
    assertEquals(List.of(8765), ports.open);
  }

  @Test
  void whoAsksForMoreThanTheCibManagerTakesIsSentAway() {
    var guest = visitor();
    guest.says(HELLO);
    assertFalse(guest.closed);
    guest.says(QUERY);
    world.unsent(Proxies.UNTAKEN_MAX + 1);
    guest.says(QUERY);
    assertTrue(guest.closed);
  }

  @Test
  void whoSaysAPasswordThatIsRightAsksTheCibManager() {
    var guest = visitor();
    guest.says(HELLO);
    assertEquals("register", guest.told.getLast().get("cib_op"));
    var asked = world.programs().all();
    assertEquals(List.of("/usr/sbin/unix_chkpwd", "hacluster", "nonull"), asked.getFirst().program().command());
    assertEquals("right\0", asked.getFirst().program().input());
    assertEquals("chkexpiry", asked.getLast().program().command().getLast());

    guest.says(QUERY);
    assertEquals(
        List.of(new CibMessage.Query(new CibQuery("nodes", false, false, false), "")),
        cib.received());
    assertEquals(
        List.of(
            new Connection.Credentials("hacluster", List.of("haclient"), false, CibPort.ELSEWHERE)),
        cib.spokenFor());
    cib.reply(1, new CibMessage.Answer(Rc.OK, "", "<nodes/>", new CibVersion(0, 1, 0)));
    world.settle();
    var answer = guest.told.getLast();
    assertEquals("7", answer.get("cib_callid"));
    assertEquals("0", answer.get("cib_rc"));
    assertNotNull(answer.path("cib_calldata", "nodes"));
  }

  @Test
  void nobodyElseIsHeard() {
    for (var hello :
        List.of(
            HELLO.replace("right", "wrong"),
            HELLO.replace("hacluster", "kim"),
            HELLO.replace("hacluster", "-r"),
            HELLO.replace("hacluster", "../x"),
            HELLO.replace("right", ""),
            HELLO.replace("right", "x".repeat(300)),
            HELLO.replace("authenticate", "other"),
            HELLO.replace("cib_command", "other"),
            QUERY)) {
      var guest = visitor();
      guest.says(hello);
      assertTrue(guest.closed, hello);
      assertEquals(List.of(), guest.told, hello);
      guest.says(QUERY);
      world.pass(Duration.ofSeconds(3)); // after a wrong password
    }
    assertEquals(List.of(), cib.received());
    assertTrue(world.lines().stream().noneMatch(it -> it.contains("wrong")), "a password in the log");
    assertTrue(
        world.programs().all().stream()
            .allMatch(it -> List.of("hacluster", "kim").contains(it.program().command().get(1))));
  }

  @Test
  void passwordsAreTriedOneByOneAndSlowlyWhenWrong() {
    var first = visitor();
    var second = visitor();
    first.says(HELLO.replace("right", "wrong"));
    second.says(HELLO);
    assertTrue(first.closed);
    assertEquals(List.of(), second.told);
    world.pass(Duration.ofSeconds(3));
    assertEquals("register", second.told.getLast().get("cib_op"));
  }

  @Test
  void whoDoesNotSayWhoItIsHasTenSeconds() {
    var guest = visitor();
    world.pass(Duration.ofSeconds(9));
    assertFalse(guest.closed);
    world.pass(Duration.ofSeconds(2));
    assertTrue(guest.closed);
  }

  @Test
  void aFirstMessageThatIsLongIsNotRead() {
    var guest = visitor();
    guest.says(HELLO.replace("right", "x".repeat(5000)));
    assertTrue(guest.closed);
    assertEquals(List.of(), world.programs().all());
  }

  @Test
  void tooManyAreSentAwayAndThoseThereStay() {
    var guests = new ArrayList<Visitor>();
    for (var count = 0; count < CibPort.VISITORS_MAX; count++) {
      guests.add(visitor());
    }
    var late = new Visitor();
    assertTrue(late.closed);
    assertTrue(guests.stream().noneMatch(it -> it.closed));
    guests.getFirst().handler.closed(guests.getFirst(), "gone");
    assertFalse(new Visitor().closed);
  }

  @Test
  void nonsenseHarmsOnlyWhoSaysIt() {
    var random = new Random(5);
    var good = visitor();
    good.says(HELLO);
    for (var round = 0; round < 500; round++) {
      var guest = visitor();
      if (round % 2 == 0) {
        guest.says(HELLO);
        assertFalse(guest.closed, "round " + round);
      }
      var text = (round % 3 == 0 ? HELLO : QUERY).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      for (var change = 0; change < 1 + random.nextInt(6); change++) {
        text[random.nextInt(text.length)] = (byte) random.nextInt(256);
      }
      guest.handler.received(guest, text);
      world.settle();
      guest.handler.closed(guest, "gone");
      world.pass(Duration.ofSeconds(3));
    }
    assertNull(world.exitStatus());
    assertFalse(good.closed);
  }
}
