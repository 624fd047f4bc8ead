package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibXPath;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.DecodedFrames;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.controld.client.CtlMessage;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.pacemakerd.client.PacemakerdMessage;

/// A member of the cluster's group who speaks to the daemons: what they say lacks what belongs in it,
/// or has there what is far too much, or of another kind.
final class SimStranger {
  private static final Duration TALKS = Duration.ofSeconds(20);
  private static final int DEEP = 2_000;
  private static final int LONG = 20_000;
  private static final int SHOWN = 160;
  private static final int MANY = 30;
  private static final int NESTED = 90; // elements, which every parser takes

  /// What is spoken at which socket.
  private record Spoken(String socket, ClientProtocol<?, ?, ?> protocol, Class<?> messages) {}

  private static final List<Spoken> ALL =
      List.of(
          new Spoken(CibMessage.SOCKET, CibMessage.PROTOCOL, CibMessage.Request.class),
          new Spoken(AttrMessage.SOCKET, AttrMessage.PROTOCOL, AttrMessage.Request.class),
          new Spoken(FenceMessage.SOCKET, FenceMessage.PROTOCOL, FenceMessage.Request.class),
          new Spoken(CtlMessage.SOCKET, CtlMessage.PROTOCOL, CtlMessage.Request.class),
          new Spoken(ExecMessage.SOCKET, ExecMessage.PROTOCOL, ExecMessage.Request.class),
          new Spoken(
              PacemakerdMessage.SOCKET, PacemakerdMessage.PROTOCOL, PacemakerdMessage.Request.class));

  private final SimCluster cluster;
  private final RandomGenerator random;

  SimStranger(SimCluster cluster, RandomGenerator random) {
    this.cluster = cluster;
    this.random = random;
  }

  /// Says a few things on one node.
  void happen() {
    var up = cluster.nodes().stream().filter(SimNode::isRunning).toList();
    if (up.isEmpty()) {
      return;
    }
    var node = up.get(random.nextInt(up.size()));
    if (random.nextInt(4) == 0) {
      askForMany(node);
    }
    for (var left = 1 + random.nextInt(12); left > 0; left--) {
      if (random.nextInt(4) == 0) {
        say(cluster, node, CibMessage.SOCKET, change());
      } else {
        var spoken = ALL.get(random.nextInt(ALL.size()));
        say(cluster, node, spoken.socket(), message(spoken));
      }
    }
    cluster.run(Duration.ofSeconds(3));
  }

  /// Each agent has to be run to say what it is.
  private void askForMany(SimNode node) {
    for (var left = MANY; left > 0; left--) {
      var agent = "\"agent\":{\"standard\":\"ocf\",\"provider\":\"pacemaker\",\"type\":\"a%d\"}".formatted(left);
      var query = frame(ExecMessage.PROTOCOL, "MetadataQuery", agent + ",\"timeoutMillis\":30000");
      say(cluster, node, ExecMessage.SOCKET, query);
    }
  }

  /// Says one thing: what the daemon answers is not looked at.
  static void say(SimCluster cluster, SimNode node, String socket, String text) {
    cluster
        .story()
        .deed(
            "says %s %s %s".formatted(node.name(), socket, text),
            () -> {
              if (!node.isPowered()) {
                return;
              }
              var process = node.spawn(SimNode.GUEST + "stranger");
              new SimWorld(process, cluster.random("stranger", node.name(), "", process.pid()))
                  .connect(socket, new Talk(node, socket, text.getBytes(StandardCharsets.UTF_8)));
              cluster.queue().after(TALKS.toNanos(), process, () -> process.end(0, 0));
            });
  }

  private String message(Spoken spoken) {
    var types = new ArrayList<Class<?>>();
    collect(spoken.messages(), types);
    var type = types.get(random.nextInt(types.size()));
    var body = new StringBuilder();
    if (random.nextInt(3) > 0) {
      for (var component : type.getRecordComponents()) {
        if (random.nextInt(4) > 0) {
          body.append(body.isEmpty() ? "" : ",")
              .append('"')
              .append(component.getName())
              .append("\":")
              .append(value(component.getType()));
        }
      }
    }
    return frame(spoken.protocol(), type.getSimpleName(), body.toString());
  }

  /// A change that no list of rights can be asked about before its path was followed.
  private String change() {
    if (random.nextInt(4) == 0) {
      return nesting();
    }
    var depth = 1 + random.nextInt(LONG);
    var path =
        switch (random.nextInt(3)) {
          case 0 -> "(".repeat(depth) + "1" + ")".repeat(depth);
          case 1 -> "//*[count(//*[count(//*[count(//*)>0])>0])>0]";
          default -> "//*[" + "not(".repeat(depth) + "1" + ")".repeat(depth) + "]";
        };
    return update(List.of(operation(path, "<nvpair id='x'/>")));
  }

  /// Changes each of which can be read, though what comes of them may not.
  private String nesting() {
    var operations = new ArrayList<String>();
    var own = "s" + random.nextInt(LONG);
    var depth = 0;
    for (var left = 1 + random.nextInt(5); left > 0; left--) {
      var nested = new StringBuilder();
      var more = 1 + random.nextInt(NESTED);
      for (var at = depth; at <= depth + more; at++) {
        nested.append("<e id='%s-%d'>".formatted(own, at));
      }
      nested.append("</e>".repeat(more + 1));
      var into = depth == 0 ? "/cib/status" : "//e[@id=%s]".formatted(CibXPath.literal(own + "-" + depth));
      operations.add(operation(into, depth == 0 ? "<status>" + nested + "</status>" : nested.toString()));
      depth += more;
    }
    return update(operations);
  }

  private static String operation(String path, String xml) {
    return """
        {"kind":"MODIFY","section":"%s","byXPath":true,"xml":"%s","allowCreate":false,\
        "score":false,"multiple":false,"schema":""}"""
        .formatted(path, xml);
  }

  private static String update(List<String> operations) {
    return frame(
        CibMessage.PROTOCOL,
        "Update",
        "\"operations\":[%s],\"force\":false,\"user\":\"\",\"client\":\"x\",\"timeoutMillis\":600000,\"dcEpoch\":0"
            .formatted(String.join(",", operations)));
  }

  private static String frame(ClientProtocol<?, ?, ?> protocol, String type, String body) {
    return "{\"v\":%d,\"id\":1,\"type\":\"%s\",\"body\":{%s}}"
        .formatted(protocol.messages().version(), type, body);
  }

  private static void collect(Class<?> messages, List<Class<?>> into) {
    for (var each : messages.getPermittedSubclasses()) {
      if (each.isRecord()) {
        into.add(each);
      } else {
        collect(each, into);
      }
    }
  }

  /// Often of the right kind, so that it is not refused for that.
  private String value(Class<?> type) {
    if (random.nextInt(5) > 0) {
      if (type == boolean.class) {
        return String.valueOf(random.nextBoolean());
      } else if (type == long.class || type == int.class) {
        return List.of("0", "-1", "1", "2147483647", "-9223372036854775808").get(random.nextInt(5));
      } else if (List.class.isAssignableFrom(type)) {
        return List.of("[]", "[{}]", "[\"x\"]", "[null]").get(random.nextInt(4));
      } else if (Map.class.isAssignableFrom(type)) {
        return List.of("{}", "{\"\":\"\"}", "{\"a=b\":\"c\"}").get(random.nextInt(3));
      }
    }
    return switch (random.nextInt(8)) {
      case 0 -> "null";
      case 1 -> "\"\"";
      case 2 -> "\"" + "(".repeat(1 + random.nextInt(LONG)) + "\"";
      case 3 -> "[".repeat(DEEP) + "]".repeat(DEEP);
      case 4 -> "{}";
      case 5 -> "\"../../node1\"";
      case 6 -> "\"^((.|.|.|.|.|.|.|.|.|.)+)+=$\"";
      default -> "\"node1\"";
    };
  }

  private record Talk(SimNode node, String socket, byte[] frame) implements ConnectionHandler {
    @Override
    public void opened(Connection connection) {
      connection.send(frame);
    }

    @Override
    public void received(Connection connection, byte[] received) {
      var answer = DecodedFrames.bytes(received);
      var length = Math.min(answer.length, SHOWN);
      trace("answers " + new String(answer, 0, length, StandardCharsets.UTF_8));
    }

    @Override
    public void closed(Connection connection, String why) {
      trace("closed: " + why);
    }

    private void trace(String text) {
      node.cluster().trace().add(node.cluster().queue().now(), node.name(), "stranger", socket + " " + text);
    }
  }
}
