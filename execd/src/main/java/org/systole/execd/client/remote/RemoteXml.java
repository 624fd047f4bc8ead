package org.systole.execd.client.remote;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.execd.client.ExecMessage;

/// The forms of the messages between a cluster and the executors of its remote nodes: Pacemaker's.
public final class RemoteXml {
  /// The version spoken here. A peer of the same major version is understood.
  public static final String VERSION = "1.1";

  /// Of a message's text, in bytes and in characters, with room for what is added on its way.
  public static final int LENGTH_MAX = RemoteFrames.MAX - 4096;

  /// What is kept between a command on the remote node and the cluster, and about its stop.
  public static final String PROXY = "lrmd_ipc_proxy";

  public static final String PROXY_OPERATION = "lrmd_ipc_op";
  public static final String PROXY_SESSION = "lrmd_ipc_session";
  public static final String PROXY_END = "destroy";
  public static final String STOP_ASKED = "shutdown_req";
  public static final String STOP_AGREED = "shutdown_ack";
  public static final String STOP_REFUSED = "shutdown_nack";

  public static final String OPERATION = "lrmd_op";
  public static final String NEW_CLIENT = "lrmd_rsc_new_client";
  public static final String POKE = "lrmd_rsc_poke";
  public static final String EXECUTE = "lrmd_rsc_exec";
  public static final String ADD = "lrmd_rsc_register";
  public static final String DROP = "lrmd_rsc_unregister";
  static final String REGISTER = "register";
  static final String DESCRIBE = "lrmd_rsc_info";
  static final String CANCEL = "lrmd_rsc_cancel";
  static final String RECURRING = "lrmd_get_recurring";
  static final String CHECK = "lrmd_check";
  static final String FORWARD = "ipc_fwd";

  static final String MESSAGE_ID = "lrmd_remote_msg_id";
  static final String MESSAGE_TYPE = "lrmd_remote_msg_type";
  static final String RESOURCE = "lrmd_rsc_id";
  static final String CODE = "lrmd_rc";
  static final String CALL = "lrmd_callid";
  static final String TOKEN = "lrmd_clientid";
  static final String CLIENT = "lrmd_clientname";
  static final String PROTOCOL = "lrmd_protocol_version";
  static final String ORIGIN = "lrmd_origin";
  static final String INTERVAL = "lrmd_rsc_interval";
  static final String TIMEOUT = "lrmd_timeout";
  static final String DELAY = "lrmd_rsc_start_delay";
  static final String ACTION = "lrmd_rsc_action";
  static final String KEY = "lrmd_rsc_userdata_str";

  static final String UPTIME = "uptime";
  static final String RETURNS = "systole_returns"; // in the register reply, seconds
  static final String ARRIVES = "systole_arrives"; // from where, as a resource is registered, or told of; Pacemaker's overlook it
  static final String START_STATE = "node_start_state";
  static final String RECURRING_OPERATION = "lrmd_rsc_op";

  private static final String REQUEST = "request";
  private static final String REPLY = "reply";
  private static final String NOTIFY = "notify";
  private static final String COMMAND = "lrmd_command";
  private static final String DATA = "lrmd_calldata";
  private static final String OPTIONS = "lrmd_callopt";
  private static final String PROVIDER = "lrmd_is_ipc_provider";
  private static final String WATCHDOG = "lrmd_watchdog";
  private static final String ATTRIBUTES = "attributes";
  private static final int DROP_RECURRING = 1;

  /// Of the reason of a result, in characters: it goes into the CIB.
  static final int REASON_MAX = 4096;

  /// Of what an agent said, as our own executor has it: alert agents are given it.
  static final int OUTPUT_MAX = 64 << 10;

  private static final int ONLY_CHANGES = 4;

  private RemoteXml() {}

  /// The text of a message as it travels.
  public static byte[] bytes(Element message) {
    return XmlWriter.compact(message).getBytes(StandardCharsets.UTF_8);
  }

  public static Element parse(byte[] text) throws XmlException {
    return XmlReader.parse(text);
  }

  // Requests

  static Element request(RemoteRequest request, int messageId) {
    return request instanceof RemoteRequest.Forward(var message)
        ? numbered(message.with(OPERATION, FORWARD), messageId, REQUEST)
        : numbered(command(request), messageId, REQUEST);
  }

  private static Element command(RemoteRequest request) {
    return switch (request) {
      case RemoteRequest.Register(var client, var version, var provider) ->
          Element.builder(COMMAND)
              .attr("t", "lrmd")
              .attr(OPERATION, REGISTER)
              .attr(CLIENT, client)
              .attr(PROTOCOL, version)
              .attr(PROVIDER, provider ? "true" : null)
              .build();
      case RemoteRequest.AddResource(var resource, var agent, var drop, var arriving) -> {
        var named =
            resource(resource)
                .attr("lrmd_class", agent.standard())
                .attr("lrmd_provider", agent.provider().isEmpty() ? null : agent.provider())
                .attr("lrmd_type", agent.type());
        if (arriving != null) {
          named.attr(ARRIVES, arriving.source().text()).add(attributes(arriving.parameters()));
        }
        yield command(ADD, 0, drop ? DROP_RECURRING : 0, named);
      }
      case RemoteRequest.DescribeResource(var resource) ->
          command(DESCRIBE, 0, 0, resource(resource));
      case RemoteRequest.DropResource(var resource) -> command(DROP, 0, 0, resource(resource));
      case RemoteRequest.Execute it ->
          command(
              EXECUTE,
              it.timeoutMillis(),
              it.onlyChanges() ? ONLY_CHANGES : 0,
              resource(it.resource())
                  .attr(ACTION, it.operation().text())
                  .attr(KEY, it.key())
                  .attr(INTERVAL, it.intervalMillis())
                  .attr(TIMEOUT, it.timeoutMillis())
                  .attr(DELAY, it.startDelayMillis())
                  .add(attributes(it.parameters())));
      case RemoteRequest.Cancel(var resource, var operation, var interval) ->
          command(
              CANCEL, 0, 0, resource(resource).attr(ACTION, operation.text()).attr(INTERVAL, interval));
      case RemoteRequest.ListRecurring(var resource) ->
          command(RECURRING, 0, 0, resource == null ? null : resource(resource));
      case RemoteRequest.Poke() -> command(POKE, 0, 0, Element.builder("lrmd_rsc"));
      case RemoteRequest.Check(var timeout) ->
          command(CHECK, 0, 0, Element.builder(OPERATION).attr(WATCHDOG, timeout));
      case RemoteRequest.Forward(var message) -> message;
      case RemoteRequest.Unknown(var word) -> command(word, 0, 0, null);
    };
  }

  private static Element command(
      String operation, long timeoutMillis, int options, Element.@Nullable Builder data) {
    var command =
        Element.builder(COMMAND)
            .attr("t", "lrmd")
            .attr(OPERATION, operation)
            .attr(TIMEOUT, timeoutMillis)
            .attr(OPTIONS, options);
    return data == null
        ? command.build()
        : command.add(Element.builder(DATA).add(data.build()).build()).build();
  }

  private static Element.Builder resource(ResourceId resource) {
    return Element.builder("lrmd_rsc").attr(RESOURCE, resource.text());
  }

  /// The request that a message is; null if it lacks something, or something in it is not valid.
  public static @Nullable RemoteRequest requestIn(Element message) {
    if (message.is(PROXY)) {
      return new RemoteRequest.Forward(message);
    }
    var operation = message.get(OPERATION);
    if (!message.is(COMMAND) || operation == null) {
      return null;
    }
    var data = message.first(DATA);
    var xml = data == null ? null : data.first("lrmd_rsc");
    var resource = xml == null ? null : ResourceId.of(xml.get(RESOURCE));
    var options = Numbers.parse(message.get(OPTIONS), 0);
    switch (operation) {
      case REGISTER:
        return new RemoteRequest.Register(
            message.get(CLIENT, ""),
            message.get(PROTOCOL, ""),
            Bool.isTrue(message.get(PROVIDER)));
      case POKE:
        return new RemoteRequest.Poke();
      case CHECK:
        var told = data == null || data.childCount() == 0 ? null : data.child(0);
        return new RemoteRequest.Check(told == null ? null : told.get(WATCHDOG));
      case RECURRING:
        return xml != null && resource == null
            ? null
            : new RemoteRequest.ListRecurring(resource);
      case ADD, DESCRIBE, DROP, EXECUTE, CANCEL:
        return xml == null || resource == null
            ? null
            : ofResource(operation, resource, xml, options);
      default:
        return new RemoteRequest.Unknown(operation);
    }
  }

  private static RemoteRequest.@Nullable Arriving arriving(Element xml) {
    var source = NodeName.of(xml.get(ARRIVES));
    return source == null ? null : new RemoteRequest.Arriving(parameters(xml), source);
  }

  private static @Nullable RemoteRequest ofResource(
      String operation, ResourceId resource, Element xml, long options) {
    return switch (operation) {
      case ADD -> {
        var standard = xml.get("lrmd_class", "");
        var type = xml.get("lrmd_type", "");
        var agent = new AgentName(standard, xml.get("lrmd_provider", ""), type);
        yield standard.isEmpty() || type.isEmpty()
            ? null
            : new RemoteRequest.AddResource(resource, agent, (options & DROP_RECURRING) != 0, arriving(xml));
      }
      case DESCRIBE -> new RemoteRequest.DescribeResource(resource);
      case DROP -> new RemoteRequest.DropResource(resource);
      case EXECUTE -> execute(resource, xml, (options & ONLY_CHANGES) != 0);
      default -> {
        var action = OperationName.of(xml.get(ACTION));
        var interval = Numbers.whole(xml.get(INTERVAL, "0"), -1);
        yield action == null || interval < 0
            ? null
            : new RemoteRequest.Cancel(resource, action, interval);
      }
    };
  }

  private static @Nullable RemoteRequest execute(
      ResourceId resource, Element xml, boolean onlyChanges) {
    var action = OperationName.of(xml.get(ACTION));
    var interval = Numbers.whole(xml.get(INTERVAL, "0"), -1);
    var timeout = Numbers.whole(xml.get(TIMEOUT, "0"), -1);
    var delay = Numbers.whole(xml.get(DELAY, "0"), -1);
    if (action == null || interval < 0 || timeout < 0 || delay < 0) {
      return null;
    }
    return new RemoteRequest.Execute(
        resource, action, interval, timeout, delay, parameters(xml), xml.get(KEY, ""), onlyChanges);
  }

  // Parameters

  /// Parameters as attributes of one element; names that cannot be one are elements in it.
  static Element attributes(Map<String, String> parameters) {
    var xml = Element.builder(ATTRIBUTES);
    parameters.forEach(
        (name, value) -> {
          if (XmlWriter.isPlainName(name)) {
            xml.attr(name, value);
          } else {
            xml.add(Element.of("param", "name", name, "value", value));
          }
        });
    return xml.build();
  }

  static Map<String, String> parameters(Element parent) {
    var all = new LinkedHashMap<String, String>();
    var xml = parent.first(ATTRIBUTES);
    if (xml != null) {
      for (var at = 0; at < xml.attributeCount(); at++) {
        all.put(xml.attributeName(at), xml.attributeValue(at));
      }
      for (var child : xml.children("param")) {
        var name = child.get("name");
        if (name != null) {
          all.put(name, child.get("value", ""));
        }
      }
    }
    return all;
  }

  // Replies and what is told without being asked

  /// The number by which a client knows its request.
  public static int messageId(Element message) {
    return Numbers.integer(message.get(MESSAGE_ID), 0);
  }

  /// A reply in the making.
  ///
  /// @param origin what made it, for traces
  public static Element.Builder reply(String origin, int code, long callId) {
    return Element.builder("lrmd_reply").attr(ORIGIN, origin).attr(CODE, code).attr(CALL, callId);
  }

  /// The reply to [RemoteRequest.Register].
  ///
  /// @param token names the client at the executor
  /// @param uptime how long the executor has run
  /// @param startState the state the node is to have when it joins the cluster
  /// @param returnsWithin in what time the executor is there again where it ends; zero if it does not say
  public static Element registered(
      long callId,
      int code,
      String token,
      Duration uptime,
      @Nullable String startState,
      Duration returnsWithin) {
    return reply("execd_process_signon", code, callId)
        .attr(OPERATION, REGISTER)
        .attr(TOKEN, token)
        .attr(PROTOCOL, VERSION)
        .attr(UPTIME, uptime.toSeconds())
        .attr(START_STATE, startState)
        .attr(RETURNS, returnsWithin.isZero() ? null : Long.toString(returnsWithin.toSeconds()))
        .build();
  }

  /// The reply to [RemoteRequest.DescribeResource].
  public static Element description(long callId, ResourceId resource, AgentName agent) {
    return reply("execd_process_get_rsc_info", RemoteReply.DONE, callId)
        .attr(RESOURCE, resource.text())
        .attr("lrmd_class", agent.standard())
        .attr("lrmd_provider", agent.provider().isEmpty() ? null : agent.provider())
        .attr("lrmd_type", agent.type())
        .build();
  }

  /// The reply to [RemoteRequest.ListRecurring].
  public static Element recurring(long callId, List<ExecMessage.ResourceState> resources) {
    var reply = reply("execd_process_get_recurring", RemoteReply.DONE, callId);
    for (var resource : resources) {
      var xml = resource(resource.resource());
      for (var queued : resource.recurring()) {
        xml.add(
            Element.builder(RECURRING_OPERATION)
                .attr(ACTION, queued.request().operation().text())
                .attr(INTERVAL, queued.request().intervalMillis())
                .attr(TIMEOUT, queued.request().timeoutMillis())
                .build());
      }
      reply.add(xml.build());
    }
    return GoingOn.in(reply.build(), resources);
  }

  /// The reply that a message is; null if it says no code.
  static @Nullable RemoteReply replyIn(Element message) {
    var code = message.get(CODE);
    return Numbers.isNumber(code)
        ? new RemoteReply(
            Numbers.parseInt(code, 0), Numbers.whole(message.get(CALL), 0), message)
        : null;
  }

  static @Nullable AgentName agentIn(Element message) {
    var standard = message.get("lrmd_class");
    var type = message.get("lrmd_type");
    return standard == null || type == null
        ? null
        : new AgentName(standard, message.get("lrmd_provider", ""), type);
  }

  /// A reply as it is sent.
  public static Element reply(Element reply, int messageId) {
    return numbered(reply, messageId, REPLY);
  }

  /// What is told about a request that all clients are to hear of.
  public static Element notice(
      String operation, int code, long callId, @Nullable ResourceId resource) {
    return Element.builder("lrmd_notify")
        .attr(ORIGIN, "execd_send_generic_notify")
        .attr(CODE, code)
        .attr(CALL, callId)
        .attr(OPERATION, operation)
        .attr(RESOURCE, resource == null ? null : resource.text())
        .build();
  }

  /// A client came; the others may have lost their place.
  public static Element newClient() {
    return Element.of("lrmd_notify", ORIGIN, "notify_of_new_client", OPERATION, NEW_CLIENT);
  }

  /// What came of an operation.
  public static Element notice(OperationResult result) {
    var request = result.request();
    return Element.builder("lrmd_notify")
        .attr(ORIGIN, "send_cmd_complete_notify")
        .attr(TIMEOUT, request.timeoutMillis())
        .attr(INTERVAL, request.intervalMillis())
        .attr(DELAY, request.startDelayMillis())
        .attr("lrmd_exec_rc", result.rc())
        .attr("lrmd_exec_op_status", result.status().code())
        .attr(CALL, result.callId())
        .attr("lrmd_rsc_deleted", result.forgotten() ? 1 : 0)
        .attr("lrmd_run_time", result.lastRunSeconds())
        .attr("lrmd_rcchange_time", result.lastChangeSeconds())
        .attr("lrmd_exec_time", result.execMillis())
        .attr("lrmd_queue_time", result.queueMillis())
        .attr(OPERATION, EXECUTE)
        .attr(RESOURCE, request.resource().text())
        .attr(ACTION, request.operation().text())
        .attr(KEY, request.transitionKey())
        .attr("lrmd_rsc_exit_reason", result.exitReason().isEmpty() ? null : result.exitReason())
        .attr("lrmd_rsc_output", result.output().isEmpty() ? null : result.output())
        .add(attributes(request.parameters()))
        .build();
  }

  /// The operation whose result a message tells; null if it does not say it whole.
  ///
  /// @param agent of the message's resource
  static @Nullable OperationResult resultIn(Element message, AgentName agent) {
    var resource = ResourceId.of(message.get(RESOURCE));
    var operation = OperationName.of(message.get(ACTION));
    var call = Numbers.whole(message.get(CALL), -1);
    var rc = Numbers.integer(message.get("lrmd_exec_rc"), -1);
    var status = ExecStatus.of(Numbers.integer(message.get("lrmd_exec_op_status"), -9));
    if (resource == null || operation == null || call < 0 || rc < 0 || status == null) {
      return null;
    }
    var request =
        new OperationRequest(
            resource,
            agent,
            operation,
            number(message, INTERVAL),
            number(message, TIMEOUT),
            number(message, DELAY),
            parameters(message),
            message.get(KEY, ""));
    return new OperationResult(
        request,
        call,
        rc,
        status,
        cut(message.get("lrmd_rsc_exit_reason", ""), REASON_MAX),
        cut(message.get("lrmd_rsc_output", ""), OUTPUT_MAX),
        number(message, "lrmd_exec_time"),
        number(message, "lrmd_queue_time"),
        number(message, "lrmd_run_time"),
        number(message, "lrmd_rcchange_time"),
        number(message, "lrmd_rsc_deleted") != 0);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }

  private static long number(Element message, String attribute) {
    return Math.max(0, Numbers.whole(message.get(attribute), 0));
  }

  /// What is told without being asked, as it is sent.
  public static Element told(Element message) {
    return numbered(message, 0, NOTIFY);
  }

  static boolean isReply(Element message) {
    return REPLY.equals(message.get(MESSAGE_TYPE));
  }

  static boolean isTold(Element message) {
    return NOTIFY.equals(message.get(MESSAGE_TYPE));
  }

  private static Element numbered(Element message, int id, String type) {
    return message.with(MESSAGE_ID, Integer.toString(id)).with(MESSAGE_TYPE, type);
  }
}
