package org.systole.execd.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

final class RemoteXmlTest {
  private static final ResourceId DB = new ResourceId("db");
  private static final OperationName MONITOR = new OperationName("monitor");

  @Test
  void everyRequestIsReadAsItWasWritten() throws Exception {
    var message = Element.of("lrmd_ipc_proxy", "lrmd_ipc_op", "shutdown_req");
    for (var request :
        List.of(
            new RemoteRequest.Register("node1", "1.1", true),
            new RemoteRequest.Register("node1", "1.1", false),
            new RemoteRequest.AddResource(
                DB,
                new AgentName("ocf", "heartbeat", "Dummy"),
                true,
                new RemoteRequest.Arriving(Map.of("state", "/tmp/x"), new NodeName("node2"))),
            new RemoteRequest.AddResource(DB, new AgentName("systemd", "", "cron"), false, null),
            new RemoteRequest.DescribeResource(DB),
            new RemoteRequest.DropResource(DB),
            new RemoteRequest.Execute(
                DB, MONITOR, 10_000, 20_000, 5, Map.of("a", "<&>", "1 b", "c"), "key", true),
            new RemoteRequest.Cancel(DB, MONITOR, 10_000),
            new RemoteRequest.ListRecurring(DB),
            new RemoteRequest.ListRecurring(null),
            new RemoteRequest.Poke(),
            new RemoteRequest.Check("10s"),
            new RemoteRequest.Check(null),
            new RemoteRequest.Unknown("lrmd_dance"))) {
      var sent = RemoteXml.parse(RemoteXml.bytes(RemoteXml.request(request, 12)));
      assertEquals(request, RemoteXml.requestIn(sent));
      assertEquals(12, RemoteXml.messageId(sent));
    }
    var forwarded = RemoteXml.request(new RemoteRequest.Forward(message), 1);
    assertEquals(new RemoteRequest.Forward(forwarded), RemoteXml.requestIn(forwarded));
  }

  /// As a stock controller of Pacemaker 2.1.5 was seen to send it.
  @Test
  void whatPacemakerSendsIsUnderstood() throws Exception {
    var sent =
        XmlReader.parse(
            "<lrmd_command t=\"lrmd\" lrmd_clientid=\"da4e\" lrmd_op=\"lrmd_rsc_exec\""
                + " lrmd_timeout=\"20000\" lrmd_callopt=\"4\" lrmd_remote_msg_id=\"3\""
                + " lrmd_remote_msg_type=\"request\"><lrmd_calldata><lrmd_rsc"
                + " lrmd_origin=\"lrmd_api_exec\" lrmd_rsc_id=\"db\" lrmd_rsc_action=\"monitor\""
                + " lrmd_rsc_userdata_str=\"4:1:0:ab\" lrmd_rsc_interval=\"3000\""
                + " lrmd_timeout=\"20000\" lrmd_rsc_start_delay=\"0\"><attributes"
                + " CRM_meta_timeout=\"20000\"/></lrmd_rsc></lrmd_calldata></lrmd_command>");
    assertEquals(
        new RemoteRequest.Execute(
            DB, MONITOR, 3000, 20_000, 0, Map.of("CRM_meta_timeout", "20000"), "4:1:0:ab", true),
        RemoteXml.requestIn(sent));
  }

  @Test
  void whatLacksSomethingIsNoRequest() throws Exception {
    for (var text :
        List.of(
            "<lrmd_command/>",
            "<cib lrmd_op=\"lrmd_rsc_poke\"/>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_info\"/>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_info\"><lrmd_calldata><lrmd_rsc lrmd_rsc_id=\"\"/>"
                + "</lrmd_calldata></lrmd_command>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_register\"><lrmd_calldata><lrmd_rsc lrmd_rsc_id=\"a\""
                + " lrmd_class=\"ocf\"/></lrmd_calldata></lrmd_command>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_exec\"><lrmd_calldata><lrmd_rsc lrmd_rsc_id=\"a\""
                + " lrmd_rsc_action=\"monitor\" lrmd_rsc_interval=\"-5\"/>"
                + "</lrmd_calldata></lrmd_command>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_exec\"><lrmd_calldata><lrmd_rsc lrmd_rsc_id=\"a\"/>"
                + "</lrmd_calldata></lrmd_command>",
            "<lrmd_command lrmd_op=\"lrmd_rsc_cancel\"><lrmd_calldata><lrmd_rsc lrmd_rsc_id=\"a\"/>"
                + "</lrmd_calldata></lrmd_command>")) {
      assertNull(RemoteXml.requestIn(XmlReader.parse(text)), text);
    }
  }
}
