package org.systole.common.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol.ProtocolException;

/// Nodes that have texts and numbers in their place understand these messages, and the other way
/// round.
final class NameCodecsTest {
  sealed interface Talk {
    Protocol<Talk> PROTOCOL = Protocol.of("talk", 1, Talk.class, new Brief());

    record Whole(NodeId id, NodeName node, ResourceId resource) implements Talk {}

    record Perhaps(
        @Nullable NodeId id,
        @Nullable NodeName node,
        @Nullable ResourceId resource,
        @Nullable String text)
        implements Talk {}

    record Many(
        List<NodeName> nodes, Map<NodeId, NodeName> byId, Map<ResourceId, List<NodeId>> byResource)
        implements Talk {}
  }

  private static final class Brief implements ShortForm<Talk> {
    @Override
    public boolean write(Talk message, FrameWriter to) {
      return false;
    }

    @Override
    public @Nullable Talk read(int kind, FrameReader from) throws ProtocolException {
      return switch (kind) {
        case 1 -> new Talk.Many(List.of(from.nodeName()), Map.of(), Map.of());
        case 2 -> new Talk.Perhaps(null, from.nodeNameOrNone(), from.resourceIdOrNone(), null);
        case 3 -> new Talk.Perhaps(from.nodeId(), null, null, null);
        default -> null;
      };
    }
  }

  private static String body(Talk message) {
    var text = new String(Talk.PROTOCOL.encode(0, message), StandardCharsets.UTF_8);
    return text.substring(text.indexOf("\"body\":") + 7, text.length() - 1);
  }

  private static Talk decode(String type, String body) throws ProtocolException {
    var frame = "{\"v\":1,\"id\":1,\"type\":\"%s\",\"body\":%s}".formatted(type, body);
    return Talk.PROTOCOL.decode(frame.getBytes(StandardCharsets.UTF_8)).body();
  }

  private static Talk decode(FrameWriter brief) throws ProtocolException {
    return Talk.PROTOCOL.decode(brief.frame()).body();
  }

  private static FrameWriter brief(int kind) {
    return new FrameWriter().octet(0).octet(1).number(1).octet(kind);
  }

  @Test
  void theyTravelAsPlainTextAndNumber() throws ProtocolException {
    var message = new Talk.Whole(new NodeId(7), new NodeName("a \"b\""), new ResourceId("db:0"));
    var form = "{\"id\":7,\"node\":\"a \\\"b\\\"\",\"resource\":\"db:0\"}";
    assertEquals(form, body(message));
    assertEquals(message, decode("Whole", form));
  }

  @Test
  void theyAreKeysOfMapsToo() throws ProtocolException {
    var message =
        new Talk.Many(
            List.of(new NodeName("x")),
            Map.of(new NodeId(2), new NodeName("two")),
            Map.of(new ResourceId("web"), List.of(new NodeId(1), new NodeId(2))));
    var form = "{\"nodes\":[\"x\"],\"byId\":{\"2\":\"two\"},\"byResource\":{\"web\":[1,2]}}";
    assertEquals(form, body(message));
    assertEquals(message, decode("Many", form));
  }

  @Test
  void noneIsAnEmptyTextOrAZero() throws ProtocolException {
    var none = new Talk.Perhaps(null, null, null, null);
    var form = "{\"id\":0,\"node\":\"\",\"resource\":\"\"}";
    assertEquals(form, body(none));
    assertEquals(none, decode("Perhaps", form));
    assertEquals(none, decode("Perhaps", "{}"));
    assertEquals(none, decode("Perhaps", "{\"id\":null,\"node\":null,\"resource\":null}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":0,\"node\":\"n\",\"resource\":\"r\"}",
        "{\"id\":1,\"node\":\"\",\"resource\":\"r\"}",
        "{\"id\":1,\"node\":\"n\",\"resource\":\"\"}",
        "{\"id\":1,\"node\":\"n\"}"
      })
  void whatMustBeThereMayNotBeEmpty(String body) {
    assertThrows(ProtocolException.class, () -> decode("Whole", body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":-1}",
        "{\"id\":99999999999}",
        "{\"id\":1.5}",
        "{\"id\":\"1\"}",
        "{\"id\":{}}",
        "{\"node\":\"a\\nb\"}",
        "{\"node\":1}",
        "{\"node\":[\"n\"]}",
        "{\"node\":{\"text\":\"n\"}}",
        "{\"resource\":\"\\u0000\"}"
      })
  void whatCanNeverBeOneIsRefused(String body) {
    assertThrows(ProtocolException.class, () -> decode("Perhaps", body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"nodes\":[\"\"],\"byId\":{},\"byResource\":{}}",
        "{\"nodes\":[],\"byId\":{\"0\":\"n\"},\"byResource\":{}}",
        "{\"nodes\":[],\"byId\":{\"x\":\"n\"},\"byResource\":{}}",
        "{\"nodes\":[],\"byId\":{\"1\":\"\"},\"byResource\":{}}",
        "{\"nodes\":[],\"byId\":{},\"byResource\":{\"\":[]}}",
        "{\"nodes\":[],\"byId\":{},\"byResource\":{\"r\":[0]}}"
      })
  void noElementAndNoKeyMayBeNone(String body) {
    assertThrows(ProtocolException.class, () -> decode("Many", body));
  }

  @Test
  void whoAsksWithSuchANameIsAnsweredWhereTheProtocolSaysSo() throws ProtocolException {
    var plain = ClientProtocol.of(Talk.PROTOCOL, Talk.class, Talk.class);
    var kind = plain.withRefusal(why -> new Talk.Perhaps(null, null, null, why));
    var frames =
        List.of(
            "{\"v\":1,\"id\":9,\"type\":\"Perhaps\",\"body\":{\"node\":\"a\\nb\"}}"
                .getBytes(StandardCharsets.UTF_8),
            new FrameWriter().octet(0).octet(1).number(9).octet(1).text("a\nb").frame());
    for (var frame : frames) {
      var refused = assertThrows(Protocol.NoNameException.class, () -> plain.requestIn(frame));
      assertNull(plain.refusal(refused));
      var answer = kind.refusal(refused);
      assertEquals(
          new ClientProtocol.Said.Reply<>(
              9, new Talk.Perhaps(null, null, null, "that is not a valid node name")),
          kind.saidIn(answer));
    }
  }

  @Test
  void shortFormsKeepTheSameRules() throws ProtocolException {
    var some = new Talk.Perhaps(null, new NodeName("n"), new ResourceId("r"), null);
    assertEquals(some, decode(brief(2).node(new NodeName("n")).resource(new ResourceId("r"))));
    assertEquals(
        new Talk.Perhaps(null, null, null, null),
        decode(brief(2).node((NodeName) null).resource(null)));
    assertEquals(new Talk.Perhaps(new NodeId(3), null, null, null), decode(brief(3).number(3)));
    assertThrows(ProtocolException.class, () -> decode(brief(1).text("")));
    assertThrows(ProtocolException.class, () -> decode(brief(2).text("a\tb").text("")));
    assertThrows(ProtocolException.class, () -> decode(brief(2).text("").text("\u0007")));
    assertThrows(ProtocolException.class, () -> decode(brief(3).number(0)));
    assertThrows(ProtocolException.class, () -> decode(brief(3).number(-4)));
  }
}
