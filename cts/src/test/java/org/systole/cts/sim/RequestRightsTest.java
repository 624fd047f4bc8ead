package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.DecodedFrames;
import org.systole.common.wire.Protocol;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.xml.XmlReader;
import org.systole.cts.Protocols;
import org.systole.cts.Protocols.Spoken;
import org.systole.cts.Samples;

/// Who may make which request: what the requests' types say, what `docs/security.md` says, and what
/// the daemons of a running node do.
final class RequestRightsTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (\\w+) \\| `(\\w+)` \\| ([^|]+) \\|");

  private static final Map<Class<? extends Allowed>, String> WORDS =
      Map.of(
          Allowed.ToMembers.class, "members",
          Allowed.WithinLists.class, "members, within the lists",
          Allowed.ToNamed.class, "whom the lists name",
          Allowed.ToMembersInPart.class, "members in part",
          Allowed.ToNobodyElse.class, "nobody else");

  /// The daemons that commands ask: to be cut off by them would say nothing.
  private static final List<String> TELLS =
      List.of("attr", "cib", "ctl", "exec", "fence", "pacemakerd", "secret");

  /// One message of a guest, and what came of it.
  private static final class Guest implements ConnectionHandler {
    private final byte[] frame;
    private boolean closed;
    private String answer = ""; // in JSON or a short form

    Guest(byte[] frame) {
      this.frame = frame;
    }

    @Override
    public void opened(Connection connection) {
      connection.send(frame);
    }

    @Override
    public void received(Connection connection, byte[] received) {
      answer = new String(DecodedFrames.bytes(received), StandardCharsets.UTF_8);
    }

    @Override
    public void closed(Connection connection, String why) {
      closed = true;
    }

    boolean isRefused() {
      return closed || answer.contains("may not do this");
    }
  }

  private static List<Class<? extends Record>> requests(Spoken spoken) {
    return spoken.types().stream()
        .filter(
            it ->
                Stream.of(it.getInterfaces())
                    .anyMatch(face -> face.getSimpleName().equals("Request")))
        .toList();
  }

  private static List<Class<?>> rights(Class<?> request) {
    return Stream.<Class<?>>of(request.getInterfaces())
        .filter(Allowed.class::isAssignableFrom)
        .toList();
  }

  /// What the types say: socket and request, and who may make it.
  private static Map<String, String> typed() {
    var found = new TreeMap<String, String>();
    for (var spoken : Protocols.all()) {
      if (!spoken.socket().isEmpty()) {
        for (var request : requests(spoken)) {
          var rights = rights(request);
          assertEquals(1, rights.size(), () -> spoken + "." + request.getSimpleName());
          found.put(spoken.socket() + " " + request.getSimpleName(), WORDS.get(rights.getFirst()));
        }
      }
    }
    return found;
  }

  @Test
  void theDocsSayOfEachRequestWhoMayMakeIt() throws IOException {
    var written = new TreeMap<String, String>();
    var row = ROW.matcher(Files.readString(Path.of("../docs/security.md")));
    while (row.find()) {
      written.put(row.group(1) + " " + row.group(2), row.group(3).strip());
    }
    assertEquals(typed(), written);
  }

  @Test
  void aMemberIsRefusedWhatIsForNobodyElseAndNothingElse() throws Exception {
    var cluster = RealDaemons.cluster(1, 1);
    cluster.loadCib(SimCibs.standard(1));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    var node = cluster.node("node1");
    var before = node.processes().stream().map(SimProcess::pid).toList();
    var wrong = new ArrayList<String>();
    var asked = 0;
    for (var spoken : Protocols.all()) {
      if (!spoken.socket().isEmpty() && !spoken.socket().equals("sched")) {
        for (var request : requests(spoken)) {
          var guest = say(cluster, spoken, new Samples().message(request));
          var mayNot = // there are no lists here
              Allowed.ToNobodyElse.class.isAssignableFrom(request)
                  || Allowed.ToNamed.class.isAssignableFrom(request);
          if (guest.closed && TELLS.contains(spoken.socket())) {
            wrong.add(spoken + "." + request.getSimpleName() + ": cut off without a word");
          }
          if (!Allowed.ToMembersInPart.class.isAssignableFrom(request)
              && guest.isRefused() != mayNot) {
            wrong.add(spoken + "." + request.getSimpleName() + ": " + guest.answer);
          }
          asked++;
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(asked > 35, "of all daemons");
    assertEquals(List.of(), cluster.failures());
    assertEquals(before, node.processes().stream().map(SimProcess::pid).toList());
  }

  @Test
  void aPatternReachesNoAttributeThatTheListsDeny() throws Exception {
    var cib =
        SimCibs.standard(1, Map.of("enable-acl", "true"))
            .toString()
            .replace(
                "</configuration>",
                """
                <acls><acl_target id="alice"><role id="r"/></acl_target><acl_role id="r">
                <acl_permission id="p1" kind="write" xpath="//transient_attributes"/>
                <acl_permission id="p2" kind="deny" xpath="//nvpair[@name='secret']"/>
                </acl_role></acls></configuration>""");
    var cluster = RealDaemons.cluster(1, 1);
    cluster.loadCib(XmlReader.parse(cib));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled().toString());
    for (var name : List.of("colour", "secret")) {
      new SimCommand(cluster.node("node1"))
          .ask(
              AttrMessage.SOCKET,
              AttrMessage.PROTOCOL,
              AttrUpdates.set(name, new NodeName("node1"), "red"),
              _ -> {});
    }
    cluster.run(MOMENT);
    var attributes =
        Protocols.all().stream().filter(it -> it.socket().equals("attr")).findAny().orElseThrow();

    say(cluster, attributes, pattern("^(colour|secret)$", "blue"));
    assertEquals(Map.of("colour", "red", "secret", "red"), values(cluster), "all or nothing");
    say(cluster, attributes, pattern("^colour$", "blue"));
    assertEquals(Map.of("colour", "blue", "secret", "red"), values(cluster));
    assertTrue(say(cluster, attributes, new AttrMessage.Query("colour", null)).answer.contains("blue"));
    assertFalse(say(cluster, attributes, new AttrMessage.Query("secret", null)).answer.contains("red"));
  }

  private static AttrMessage.Update pattern(String pattern, String value) {
    return new AttrMessage.Update(
        AttrMessage.Change.VALUE,
        "",
        pattern,
        new NodeName("node1"),
        value,
        -1,
        AttrMessage.Kind.TRANSIENT,
        false,
        AttrMessage.Wait.NO);
  }

  private static Map<String, String> values(SimCluster cluster) {
    var values = new TreeMap<String, String>();
    for (var name : List.of("colour", "secret")) {
      new SimCommand(cluster.node("node1"))
          .ask(
              AttrMessage.SOCKET,
              AttrMessage.PROTOCOL,
              new AttrMessage.Query(name, null),
              it -> values.put(name, ((AttrMessage.Values) it).values().getFirst().value()));
    }
    cluster.run(MOMENT);
    return values;
  }

  private static Guest say(SimCluster cluster, Spoken spoken, Record message) {
    var guest = new Guest(frame(spoken.protocol(), message));
    var process = cluster.node("node1").spawn(SimNode.GUEST + "alice");
    new SimWorld(process, cluster.random("guest", "node1", "", process.pid()))
        .connect(spoken.socket(), guest);
    cluster.run(MOMENT);
    process.end(0, 0);
    return guest;
  }

  @SuppressWarnings("unchecked") // a message of this protocol
  private static <M> byte[] frame(Protocol<M> protocol, Record message) {
    return protocol.encode(7, (M) message);
  }
}
