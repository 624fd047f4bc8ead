package org.systole.cts;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol;
import org.systole.common.xml.XmlText;
import org.systole.controld.client.CtlMessage;
import org.systole.cts.Protocols.Spoken;

/// Messages that lack something, of every type of every protocol: who handles a message relies on
/// it being whole.
final class WholeMessagesTest {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .registerModule(
              new SimpleModule()
                  .addSerializer(NodeName.class, ToStringSerializer.instance)
                  .addSerializer(ResourceId.class, ToStringSerializer.instance)
                  .addSerializer(OperationName.class, ToStringSerializer.instance)
                  .addSerializer(XmlText.class, ToStringSerializer.instance)
                  .addSerializer(
                      new StdDelegatingSerializer(
                          NodeId.class,
                          new StdConverter<NodeId, Integer>() {
                            @Override
                            public Integer convert(NodeId id) {
                              return id.number();
                            }
                          })));

  /// Without its fields the one asks this node for its state, one for all hosts, as earlier commands do, and changes
  /// nothing; the others say that there is no DC, and no quorum device. No other message may be whole without any: it could be one for all nodes or
  /// resources.
  private static final Set<Class<?>> NOTHING_MEANS_LITTLE =
      Set.of(
          CtlMessage.StateQuery.class,
          CtlMessage.HostsQuery.class,
          CtlMessage.Dc.class,
          LinkMessage.DeviceInfo.class);

  static Stream<Arguments> types() {
    return Protocols.all().stream()
        .flatMap(it -> it.types().stream().map(type -> Arguments.of(it, type)));
  }

  private static byte[] frame(Protocol<?> protocol, Class<?> type, ObjectNode body)
      throws Exception {
    var frame = JSON.createObjectNode().put("v", protocol.version()).put("id", 7);
    frame.put("type", type.getSimpleName()).set("body", body);
    return JSON.writeValueAsBytes(frame);
  }

  private static ObjectNode whole(Class<?> type) {
    return JSON.valueToTree(new Samples().message(type.asSubclass(Record.class)));
  }

  private static boolean mayBeMissing(RecordComponent component) {
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static void refused(Protocol<?> protocol, Class<?> type, ObjectNode body)
      throws Exception {
    var frame = frame(protocol, type, body);
    assertThrows(
        Protocol.ProtocolException.class,
        () -> protocol.decode(frame),
        () -> type.getSimpleName() + " " + body);
  }

  @ParameterizedTest(name = "{0}.{1}")
  @MethodSource("types")
  void oneThatHasAllItNeedsIsTaken(Spoken spoken, Class<?> type) throws Exception {
    var decoded = spoken.protocol().decode(frame(spoken.protocol(), type, whole(type)));
    assertEquals(type, decoded.body().getClass());
  }

  @ParameterizedTest(name = "{0}.{1}")
  @MethodSource("types")
  void oneWithoutFieldsIsRefused(Spoken spoken, Class<?> type) throws Exception {
    if (type.getRecordComponents().length > 0 && !NOTHING_MEANS_LITTLE.contains(type)) {
      refused(spoken.protocol(), type, JSON.createObjectNode());
    }
  }

  @ParameterizedTest(name = "{0}.{1}")
  @MethodSource("types")
  void oneThatLacksAComponentIsRefusedUnlessItIsNullable(Spoken spoken, Class<?> type)
      throws Exception {
    for (var component : type.getRecordComponents()) {
      var without = whole(type);
      without.remove(component.getName());
      var withNull = whole(type).putNull(component.getName());
      for (var body : List.of(without, withNull)) {
        if (mayBeMissing(component)) {
          var frame = frame(spoken.protocol(), type, body);
          assertDoesNotThrow(() -> spoken.protocol().decode(frame));
        } else {
          refused(spoken.protocol(), type, body);
        }
      }
    }
  }

  @ParameterizedTest(name = "{0}.{1}")
  @MethodSource("types")
  void oneWithSomethingIncompleteInsideIsRefused(Spoken spoken, Class<?> type) throws Exception {
    for (var component : type.getRecordComponents()) {
      var name = component.getName();
      var body = whole(type);
      if (component.getType() == List.class) {
        body.putArray(name).addNull();
      } else if (component.getType() == Map.class) {
        var key = body.get(name).fieldNames().next();
        body.putObject(name).putNull(key);
      } else if (component.getType().isRecord()
          && Stream.of(component.getType().getRecordComponents())
              .anyMatch(it -> !mayBeMissing(it))) {
        body.putObject(name);
      } else {
        continue;
      }
      refused(spoken.protocol(), type, body);
    }
  }

  @Test
  void theProtocolsOfAllDaemonsAreFound() {
    var sockets = Protocols.all().stream().map(Spoken::socket).filter(it -> !it.isEmpty()).toList();
    for (var daemon : List.of("attr", "cib", "ctl", "exec", "fence", "link", "sched")) {
      assertTrue(sockets.contains(daemon), daemon);
    }
    assertTrue(Protocols.all().size() > sockets.size(), "and those among peers");
    assertFalse(types().toList().isEmpty());
  }
}
