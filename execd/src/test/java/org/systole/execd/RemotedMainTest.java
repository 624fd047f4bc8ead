package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.operation.OperationResult;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.RemoteExecutor;

final class RemotedMainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int run(String... args) {
    return RemotedMain.run(args, Map.of(), new PrintStream(out), new PrintStream(errors));
  }

  @Test
  void itsOptionsAreAnsweredOrRefused() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("--port=PORT, -p"));
    out.reset();
    assertEquals(0, run("-$"));
    assertTrue(out.toString(StandardCharsets.UTF_8).startsWith("Pacemaker 3."));
    out.reset();
    assertEquals(0, run("--version", "--output-as=xml"));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("request=\"pacemaker-remoted --version --output-as=xml\""));
    assertEquals(64, run("--stand-alone"));
    assertEquals(64, run("-Vp"));
    assertEquals(64, run("3121"));
    assertEquals(
        List.of(
            "pacemaker-remoted: unknown option '--stand-alone'; try pacemaker-remoted --help",
            "pacemaker-remoted: -p needs a value: PORT; try pacemaker-remoted --help",
            "pacemaker-remoted: unknown argument '3121'; try pacemaker-remoted --help"),
        errors.toString(StandardCharsets.UTF_8).lines().toList());
  }

  @Test
  void variablesOfAContainerAreReadAsAShellWould() {
    var file =
        """
        # a comment
        PLAIN=value

          INDENTED=1   # with a comment
        QUOTED="two words" # more
        SINGLE='a "b" \\c'
        ESCAPED=a\\ b
        EMPTY=
        SET=again
        TWO=a b
        OPEN="never closed
        1BAD=x
        "NAME"=x
        no assignment
        """;
    var expected = new LinkedHashMap<String, String>();
    expected.put("SET", "before");
    expected.put("PLAIN", "value");
    expected.put("INDENTED", "1");
    expected.put("QUOTED", "two words");
    expected.put("SINGLE", "a \"b\" \\c");
    expected.put("ESCAPED", "a b");
    expected.put("EMPTY", "");
    assertEquals(expected, ContainerVariables.add(file, Map.of("SET", "before")));
  }

  /// Remembers what is to be served.
  private static final class Served implements SecureStreams {
    private String where = "";

    @Override
    public Server listen(String address, int port, ServerHandler handler) {
      where = address + " " + port;
      return () -> {};
    }

    @Override
    public void prepare() {}

    @Override
    public void connect(String host, int port, Duration within, ConnectionHandler handler) {
      throw new AssertionError("nothing to connect to");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', null 3121",
    "4000, 10.0.0.1, 10.0.0.1 4000",
    "0, '', null 3121",
    "65536, '', null 3121",
    "eight, '', null 3121",
  })
  void itServesWhatTheEnvironmentSays(String port, String address, String where) {
    var world = new TestWorld();
    var served = new Served();
    var environment = Map.of("PCMK_remote_port", port, "PCMK_remote_address", address);
    RemotedDaemon.start(world, ExecutorUnderTest.LAYOUT, environment, served);
    world.settle();
    world.programs().all().getFirst().exits(0, "");
    assertEquals(where, served.where);
  }

  @ParameterizedTest
  @CsvSource({"15, PT15S", "0, PT0S", "'', PT0S", "60, PT60S", "61, PT0S", "soon, PT0S", "-1, PT0S"})
  void itSaysInWhatTimeItIsThereAgain(String told, Duration said) {
    var world = new TestWorld();
    var network = new MemoryStreams(world);
    RemotedDaemon.start(
        world,
        ExecutorUnderTest.LAYOUT,
        Map.of("PATH", "/bin", RemotedDaemon.RETURNS, told),
        network);
    world.settle();
    world.programs().all().getFirst().exits(0, ""); // mkdir
    var heard = new ArrayList<Duration>();
    var remote =
        new RemoteExecutor(
            world,
            network,
            "host1",
            3121,
            "one",
            new RemoteExecutor.Listener() {
              @Override
              public void connected(RemoteExecutor.Greeting greeting) {
                heard.add(greeting.returnsWithin());
              }

              @Override
              public void disconnected(String why) {}

              @Override
              public void result(OperationResult result) {}

              @Override
              public void otherClient() {}

              @Override
              public void forwarded(Element message) {}
            });
    remote.open(Duration.ofSeconds(10));
    world.settle();
    assertEquals(List.of(said), heard);
  }
}
