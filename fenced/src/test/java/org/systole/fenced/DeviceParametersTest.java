package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;

final class DeviceParametersTest {
  private static DeviceParameters with(String... pairs) {
    var all = new HashMap<String, String>();
    for (var at = 0; at < pairs.length; at += 2) {
      all.put(pairs[at], pairs[at + 1]);
    }
    return new DeviceParameters(all);
  }

  private static AgentMetadata agent(String... actions) {
    return new AgentMetadata(
        null,
        AgentMetadata.Reload.NONE,
        List.of(),
        Stream.of(actions).map(it -> new AgentMetadata.Action(it, false, false)).toList());
  }

  @Test
  void aTimeoutIsNoLongerThanAnIntervalMayBe() {
    assertEquals(90_000, with("pcmk_reboot_timeout", "90s").timeoutMillis("reboot"));
    assertEquals(
        Interval.MAX_MS, with("pcmk_reboot_timeout", "9000000000000s").timeoutMillis("reboot"));
    assertEquals(0, with("pcmk_reboot_timeout", "-1s").timeoutMillis("reboot"));
    assertEquals(0, with().timeoutMillis("reboot"));
  }

  @Test
  void theHostCheckFollowsFromTheConfigurationAndTheAgentsActions() {
    assertEquals("static-list", with("pcmk_host_list", "a b").hostCheck(agent("list")));
    assertEquals("static-list", with("pcmk_host_map", "a:1").hostCheck(agent("list")));
    assertEquals("dynamic-list", with().hostCheck(agent("list", "status")));
    assertEquals("status", with().hostCheck(agent("status")));
    assertEquals("none", with().hostCheck(agent()));
    assertEquals("status", with("pcmk_host_check", "status").hostCheck(agent("list")));
  }

  @Test
  void aListMayBeWrittenInManyWays() {
    for (var text : List.of("a,b c", "a;b;c", "a\tb,,c", " a b\nc ")) {
      assertEquals(List.of("a", "b", "c"), DeviceParameters.names(text));
    }
  }

  @Test
  void aMapNamesThePlugOfANode() {
    var parameters = with("pcmk_host_map", "node1:3;node2=four; node3:");

    assertEquals("3", parameters.alias(new NodeName("node1")));
    assertEquals("four", parameters.alias(new NodeName("NODE2")));
    assertNull(parameters.alias(new NodeName("node3")));
    assertTrue(parameters.lists(new NodeName("node1")));
    assertFalse(parameters.lists(new NodeName("node9")));
  }

  @Test
  void theAgentIsToldActionTargetAndItsOwnParameters() {
    var parameters =
        with(
            "ip", "10.0.0.1",
            "pcmk_host_map", "node1:3",
            "pcmk_reboot_action", "off",
            "CRM_meta_timeout", "20000",
            "crm_feature_set", "3.20.1");

    assertEquals(
        Map.of("action", "off", "nodename", "node1", "plug", "3", "ip", "10.0.0.1"),
        parameters.forAgent("reboot", new NodeName("node1"), "plug"));
    assertEquals(
        Map.of("action", "monitor", "ip", "10.0.0.1"),
        parameters.forAgent("monitor", null, "plug"));
  }

  @Test
  void aFixedPlugIsKeptAndTheArgumentMayBeNamed() {
    assertEquals("7", with("plug", "7").forAgent("off", new NodeName("node1"), "plug").get("plug"));
    assertEquals(
        "node1",
        with("pcmk_host_argument", "vm").forAgent("off", new NodeName("node1"), "plug").get("vm"));
    assertFalse(
        with("pcmk_host_argument", "none")
            .forAgent("off", new NodeName("node1"), "plug")
            .containsKey("plug"));
  }

  @Test
  void delaysAreForAllNodesOrForEach() {
    assertEquals(5_000, with("pcmk_delay_base", "5s").delayBaseMillis(new NodeName("node1")));
    assertEquals(
        3_000, with("pcmk_delay_base", "node1:0;node2:3s").delayBaseMillis(new NodeName("node2")));
    assertEquals(
        0, with("pcmk_delay_base", "node1:0;node2:3s").delayBaseMillis(new NodeName("node1")));
  }
}
