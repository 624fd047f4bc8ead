package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.freedesktop.dbus.DBusPath;
import org.freedesktop.dbus.exceptions.DBusException;
import org.freedesktop.dbus.messages.MethodCall;
import org.freedesktop.dbus.types.UInt32;
import org.freedesktop.dbus.types.Variant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.SystemBus;
import org.systole.common.world.SystemBus.Call;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Returned;
import org.systole.common.world.SystemBus.Signal;

/// A connection to a real message bus, with a program on it that plays a service.
final class RealBusTest {
  private static final String DAEMON = "/usr/bin/dbus-daemon";
  private static final String NAME = "org.systole.Service";
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path root;
  private final EventLoop loop = new EventLoop();
  private final BlockingQueue<Object> told = new LinkedBlockingQueue<>();
  private @Nullable Process daemon;

  private record Open() {}

  private final class Tells implements SystemBus.Handler {
    @Override
    public void opened() {
      told.add(new Open());
    }

    @Override
    public void signal(Signal signal) {
      told.add(signal);
    }

    @Override
    public void closed(String why) {
      told.add(why);
    }
  }

  @BeforeEach
  void runsTheLoop() {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                loop.run();
              } catch (InterruptedException | IOException e) {
                told.add(e);
              }
            });
  }

  @AfterEach
  void endsTheBus() throws InterruptedException {
    if (daemon != null) {
      daemon.destroyForcibly().waitFor();
    }
  }

  private Path socket() {
    return root.resolve("bus");
  }

  private void startBus() throws IOException {
    assumeTrue(Files.isExecutable(Path.of(DAEMON)), DAEMON + " is not installed");
    var begun =
        new ProcessBuilder(DAEMON, "--session", "--nofork", "--nopidfile", "--print-address", "--address=unix:path=" + socket())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    daemon = begun;
    assertTrue(begun.getInputStream().read() > 0, "it is there");
  }

  private SystemBus.Link open(String addresses) throws InterruptedException {
    var links = new LinkedBlockingQueue<SystemBus.Link>();
    var bus = new RealBus(loop, Map.of(RealBus.ADDRESS, addresses));
    loop.post(() -> links.add(bus.open(new Tells())));
    return links.take();
  }

  private SystemBus.Link opened() throws InterruptedException {
    var link = open("unix:abstract=/nowhere;unix:path=" + socket() + ",guid=1");
    assertEquals(new Open(), next());
    return link;
  }

  private Object next() throws InterruptedException {
    var it = told.poll(20, TimeUnit.SECONDS);
    assertNotNull(it, "nothing was told");
    return it;
  }

  private Object ask(SystemBus.Link link, String to, String path, String type, String name, String... arguments)
      throws InterruptedException {
    loop.post(() -> link.call(new Call(to, path, type, name, List.of(arguments)), LIMIT, told::add));
    return next();
  }

  private Object askBus(SystemBus.Link link, String name, String... arguments) throws InterruptedException {
    return ask(link, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", name, arguments);
  }

  private static BusProgram.@Nullable Said answer(MethodCall call) {
    return switch (call.getName()) {
      case "Echo" -> {
        try {
          yield new BusProgram.Said(null, "os", new DBusPath("/a"), call.getParameters()[0]);
        } catch (DBusException e) {
          throw new IllegalStateException(e);
        }
      }
      case "Job" ->
          new BusProgram.Said(null, "v", new Variant<>(new Object[] {new UInt32(7), new DBusPath("/b")}, "(uo)"));
      case "Fails" -> new BusProgram.Said("org.systole.Bad", "s", "it is bad");
      case "Empty" -> new BusProgram.Said(null, "");
      default -> null;
    };
  }

  @Test
  void callsAreAnsweredByValuesOrErrors() throws Exception {
    startBus();
    try (var _ = new BusProgram(socket(), NAME, RealBusTest::answer)) {
      var link = opened();
      assertEquals(new Returned(List.of("/a", "ü")), ask(link, NAME, "/x", NAME, "Echo", "ü"));
      assertEquals(new Returned(List.of(List.of(7L, "/b"))), ask(link, NAME, "/x", NAME, "Job"));
      assertEquals(new Failed("org.systole.Bad", "it is bad"), ask(link, NAME, "/x", NAME, "Fails"));
      assertEquals(new Returned(List.of()), ask(link, NAME, "/x", NAME, "Empty"));
      var unknown = assertInstanceOf(Failed.class, ask(link, "org.systole.Nobody", "/x", NAME, "Echo", ""));
      assertEquals("org.freedesktop.DBus.Error.NameHasNoOwner", unknown.error(), "it is not started for this");
      loop.post(() -> link.call(new Call(NAME, "/x", NAME, "Silent", List.of()), Duration.ofMillis(50), told::add));
      assertEquals(Failed.NO_REPLY, ((Failed) next()).error());
    }
  }

  @Test
  void signalsThatWereAskedForAreToldAndNoOthers() throws Exception {
    startBus();
    try (var service = new BusProgram(socket(), NAME, RealBusTest::answer)) {
      var link = opened();
      askBus(link, "AddMatch", "type='signal',sender='" + NAME + "',member='Changed'");
      var owner = ((Returned) askBus(link, "GetNameOwner", NAME)).text();
      service.signal("/x", NAME, "Other", "s", "no");
      service.signal("/x", NAME, "Changed", "s", "x".repeat(3 << 20)); // longer than anything that is read
      service.signal("/x", NAME, "Changed", "sa{sv}", "u", Map.of("ActiveState", new Variant<>("failed")));
      assertEquals(
          new Signal(owner, "/x", NAME, "Changed", List.of("u", Map.of("ActiveState", "failed"))), next());
    }
  }

  /// Anybody may send to anybody.
  @Test
  void whatAnotherSendsToThisConnectionAloneIsNotTold() throws Exception {
    startBus();
    var send = Path.of("/usr/bin/dbus-send");
    assumeTrue(Files.isExecutable(send), send + " is not installed");
    try (var service = new BusProgram(socket(), NAME, RealBusTest::answer)) {
      var link = opened();
      askBus(link, "AddMatch", "type='signal',member='Changed'");
      var names = (List<?>) ((Returned) askBus(link, "ListNames")).values().getFirst();
      for (var name : names) {
        var sent =
            new ProcessBuilder(
                    send.toString(), "--bus=unix:path=" + socket(), "--type=signal", "--dest=" + name, "/x", NAME + ".Changed", "string:forged")
                .start();
        assertEquals(0, sent.waitFor());
      }
      service.signal("/x", NAME, "Changed", "s", "true");
      assertEquals(List.of("true"), ((Signal) next()).values());
    }
  }

  @Test
  void whatWaitsIsToldWhenTheBusEnds() throws Exception {
    startBus();
    try (var _ = new BusProgram(socket(), NAME, RealBusTest::answer)) {
      var link = opened();
      loop.post(() -> link.call(new Call(NAME, "/x", NAME, "Silent", List.of()), LIMIT, told::add));
      askBus(link, "GetId");
      Objects.requireNonNull(daemon).destroyForcibly();
      assertEquals(Failed.DISCONNECTED, ((Failed) next()).error());
      assertInstanceOf(String.class, next());
      loop.post(() -> link.call(new Call(NAME, "/x", NAME, "Echo", List.of("")), LIMIT, told::add));
      assertEquals(Failed.DISCONNECTED, ((Failed) next()).error(), "also what comes later");
    }
  }

  @Test
  void aBusThatIsNotThereOrDoesNotAnswerIsClosed() throws Exception {
    open("unix:path=" + socket());
    assertEquals("there is no " + socket(), next());
    open("tcp:host=localhost,port=1");
    assertTrue(next().toString().contains("tcp:host=localhost"));
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket()));
      open("unix:path=" + socket());
      assertTrue(next().toString().contains("has not let this daemon in within 5 s"));
    }
  }

  @Test
  void aConnectionThatWasClosedTellsNothing() throws Exception {
    startBus();
    var link = opened();
    loop.post(link::close);
    loop.post(() -> told.add("later"));
    assertEquals("later", next());
    assertEquals(null, told.poll(300, TimeUnit.MILLISECONDS));
  }
}
