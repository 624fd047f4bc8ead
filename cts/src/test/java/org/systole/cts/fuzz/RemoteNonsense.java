package org.systole.cts.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Messages of the protocol between a cluster and its remote nodes that are wrong, or odd: as one end
/// or the other would send them, with values that are hard to take, or without what has to be there.
/// The same random numbers give the same message.
final class RemoteNonsense {
  private static final int LONG = 1 << 20;
  private static final int MANY = 400_000;

  private static final List<String> REQUESTS =
      List.of(
          "register",
          "lrmd_rsc_register",
          "lrmd_rsc_info",
          "lrmd_rsc_exec",
          "lrmd_rsc_cancel",
          "lrmd_rsc_unregister",
          "lrmd_get_recurring",
          "lrmd_rsc_poke",
          "lrmd_check",
          "ipc_fwd",
          "lrmd_alert_exec",
          "no_such_request");

  private static final List<String> PROXY =
      List.of("new", "request", "destroy", "taken", "response", "event", "hm");

  private static final List<String> SERVERS =
      List.of(
          "cib_ro",
          "cib_rw",
          "attrd",
          "crmd",
          "stonith-ng",
          "pacemakerd",
          "systole/cib",
          "systole/attr",
          "systole/ctl",
          "systole/fence",
          "systole/exec",
          "systole/../x",
          "lrmd");

  private static final List<String> ASKED =
      List.of(
          "<cib_command __name__='cib_command' cib_op='cib_query' cib_callid='3' cib_callopt='256'/>",
          "<cib_command cib_op='cib_modify' cib_section='status' cib_callid='4'><cib_calldata>"
              + "<node_state id='1' uname='node1' crmd='offline'/></cib_calldata></cib_command>",
          "<cib_command cib_op='cib_erase' cib_callid='x'/>",
          "<attrd task='update' attr_name='x' attr_value='1' attr_host='node1'/>",
          "<attrd task='clear-failure' attr_node_name='node1'/>",
          "<stonith_command st_op='st_fence' st_callid='2'><st_calldata>"
              + "<x st_target='node1' st_device_action='off'/></st_calldata></stonith_command>",
          "<create_request_adv crm_task='lrm_refresh' crm_sys_to='crmd'/>",
          "<create_request_adv crm_task='rm_node_cache' crm_sys_to='crmd'/>",
          "<frame length='7' plain='AAAAAAA='/>",
          "<frame length='90000000' deflated='eJwDAAAAAAE='/>",
          "<frame length='-1' plain='*'/>",
          "");

  private final RandomGenerator random;
  private final NonsenseValues values;

  RemoteNonsense(RandomGenerator random) {
    this.random = random;
    this.values = new NonsenseValues(random, LONG);
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  /// What a cluster's end could send.
  byte[] request(int id) {
    var request = one(REQUESTS);
    var all = new LinkedHashMap<String, String>();
    all.put("lrmd_op", request);
    all.put("lrmd_clientname", "fuzz");
    all.put("lrmd_protocol_version", "1.1");
    all.put("lrmd_is_ipc_provider", random.nextBoolean() ? "true" : "0");
    all.put("lrmd_callid", "" + id);
    all.put("lrmd_callopt", "0");
    all.put("lrmd_timeout", "2000");
    all.put("lrmd_remote_msg_id", "" + id);
    all.put("lrmd_remote_msg_type", "request");
    var resource = new LinkedHashMap<String, String>();
    resource.put("lrmd_rsc_id", "r" + random.nextInt(5));
    resource.put("lrmd_class", random.nextInt(4) > 0 ? "ocf" : one(List.of("lsb", "systemd", "service", "stonith")));
    resource.put("lrmd_provider", "pacemaker");
    resource.put("lrmd_type", random.nextInt(4) > 0 ? "Dummy" : "no-such-agent");
    resource.put("lrmd_rsc_action", one(List.of("monitor", "start", "stop", "meta-data", "reload", "notify")));
    resource.put("lrmd_rsc_interval", random.nextInt(3) > 0 ? "0" : "1000");
    resource.put("lrmd_timeout", "2000");
    resource.put("lrmd_rsc_start_delay", "0");
    resource.put("lrmd_rsc_userdata_str", "1:2:0:be2e97d9-05e2-439d-863e-48f7aecab2aa");
    var parameters = new LinkedHashMap<>(Map.of("CRM_meta_timeout", "2000"));
    var inner = element("lrmd_rsc", resource, element("attributes", parameters, ""));
    return finish(element("lrmd_command", all, element("lrmd_calldata", Map.of(), inner)));
  }

  /// What a remote node's end could send of its own accord, or as an answer that nobody waits for.
  ///
  /// @param key of an operation that was asked for, or something like it
  byte[] told(String resource, String key) {
    return switch (random.nextInt(7)) {
      case 0, 1, 2 -> result(resource, key);
      case 3, 4 -> proxy();
      case 5 -> notice();
      default -> reply();
    };
  }

  private byte[] result(String resource, String key) {
    var all = new LinkedHashMap<String, String>();
    all.put("lrmd_op", "lrmd_rsc_exec");
    all.put("lrmd_rsc_id", random.nextInt(5) > 0 ? resource : values.text("id"));
    all.put("lrmd_rsc_action", one(List.of("monitor", "start", "stop", "notify", "migrate_to", "x")));
    all.put("lrmd_rsc_interval", one(List.of("0", "0", "5000", "" + random.nextInt(1 << 20))));
    all.put("lrmd_callid", "" + random.nextInt(100));
    all.put("lrmd_exec_rc", "" + random.nextInt(10));
    all.put("lrmd_exec_op_status", "" + random.nextInt(-2, 14));
    all.put("lrmd_rsc_userdata_str", random.nextBoolean() ? key : random.nextInt(50) + key.substring(key.indexOf(':')));
    all.put("lrmd_rsc_exit_reason", values.text("reason"));
    all.put("lrmd_rsc_output", values.text("output"));
    all.put("lrmd_run_time", "1");
    all.put("lrmd_rcchange_time", "1");
    all.put("lrmd_rsc_deleted", random.nextInt(8) == 0 ? "1" : "0");
    return told("lrmd_notify", all, element("attributes", Map.of("x", values.text("")), ""));
  }

  /// What ends a connection, which takes its time to be made again, is said now and then only.
  private boolean isRare() {
    return random.nextInt(40) == 0;
  }

  private byte[] notice() {
    var operation =
        isRare()
            ? "lrmd_rsc_new_client"
            : one(List.of("lrmd_rsc_register", "lrmd_rsc_poke", "no_such_news"));
    return told("lrmd_notify", new LinkedHashMap<>(Map.of("lrmd_op", operation)), "");
  }

  private byte[] reply() {
    var all = new LinkedHashMap<String, String>();
    all.put("lrmd_remote_msg_id", "" + random.nextInt(300));
    all.put("lrmd_remote_msg_type", "reply");
    all.put("lrmd_rc", "" + random.nextInt(-100, 100));
    all.put("lrmd_callid", "" + random.nextInt(100));
    return finish(element("lrmd_reply", all, ""));
  }

  private byte[] proxy() {
    var all = new LinkedHashMap<String, String>();
    all.put("lrmd_ipc_op", isRare() ? "shutdown_req" : one(PROXY));
    all.put("lrmd_ipc_session", "s" + random.nextInt(30));
    all.put("lrmd_ipc_server", one(SERVERS));
    all.put("lrmd_ipc_user", one(List.of("root", "hacluster", "nobody", "")));
    all.put("lrmd_ipc_client", "fuzz");
    all.put("lrmd_ipc_msg_id", "" + random.nextInt(100));
    all.put("lrmd_ipc_msg_flags", one(List.of("0", "512", "x")));
    all.put("groups", "haclient");
    return told("lrmd_ipc_proxy", all, element("lrmd_ipc_msg", Map.of(), one(ASKED)));
  }

  private byte[] told(String name, Map<String, String> all, String content) {
    all.put("lrmd_remote_msg_id", "0");
    all.put("lrmd_remote_msg_type", "notify");
    return finish(element(name, all, content));
  }

  /// Writes an element, of which now and then an attribute is left out or has another value.
  private String element(String name, Map<String, String> attributes, String content) {
    var text = new StringBuilder("<").append(name);
    attributes.forEach(
        (key, value) -> {
          var chance = random.nextInt(40);
          if (chance > 0) {
            text.append(' ').append(key).append("=\"");
            text.append(escaped(chance == 1 ? values.text(key) : value)).append('"');
          }
        });
    return text.append('>').append(content).append("</").append(name).append('>').toString();
  }

  private static String escaped(String value) {
    return value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private byte[] finish(String text) {
    var whole =
        switch (random.nextInt(isRare() ? 6 : 3_000)) {
          case 0 -> text.substring(0, random.nextInt(text.length()));
          case 1 -> "<a>".repeat(1 << random.nextInt(4, 16)) + text;
          case 2 -> text.replaceFirst("(?s)>", ">" + "<x/>".repeat(MANY).substring(0, 4 * random.nextInt(MANY)));
          case 3 -> "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + text.replaceFirst("\"[^\"]*\"", "\"&x;\"");
          case 4 -> text.replaceFirst(">", NonsenseValues.namespaces(1 << random.nextInt(4, 17)) + ">");
          default -> text;
        };
    return whole.getBytes(StandardCharsets.UTF_8);
  }
}
