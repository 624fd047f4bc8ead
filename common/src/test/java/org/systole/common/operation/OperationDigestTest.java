package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.values.OperationName;

/// The digests here stand in the status sections of running clusters: they must stay what they are.
final class OperationDigestTest {
  private static String md5(String text) throws Exception {
    var md5 = MessageDigest.getInstance("MD5");
    return HexFormat.of().formatHex(md5.digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void noParametersHaveTheDigestTheyAlwaysHad() {
    assertEquals(
        "f2317cad3d54cec5d7d7aa7d0bf35cf8",
        OperationDigest.of(Map.of("CRM_meta_timeout", "20000", "crm_feature_set", "3.20.5")));
  }

  @Test
  void parametersAreDigestedAsAnElementInTheOrderOfTheirNames() throws Exception {
    assertEquals(
        md5(" <parameters Z=\"3\" ip=\"10.0.0.1\" nic=\"eth0\"/>\n"),
        OperationDigest.of(Map.of("nic", "eth0", "ip", "10.0.0.1", "Z", "3")));
  }

  @Test
  void whatXmlCannotHoldPlainlyIsDigestedByNumberOrName() throws Exception {
    assertEquals(
        md5(" <parameters a=\"&lt;&gt;&amp;&quot;'&#x09;&#x0A;&#x7F;\u00e4\"/>\n"),
        OperationDigest.of(Map.of("a", "<>&\"'\t\n\u007f\u00e4")));
  }

  @Test
  void whatTheClusterAddsIsNoParameter() {
    var plain = Map.of("ip", "10.0.0.1");
    var added = new HashMap<>(plain);
    for (var name :
        new String[] {
          "id", "crm_feature_set", "op-digest", "on_node", "on_node_uuid", "pcmk_external_ip"
        }) {
      added.put(name, "x");
    }
    added.put("CRM_meta_name", "start");

    assertEquals(OperationDigest.of(plain), OperationDigest.of(added));
  }

  @ParameterizedTest
  @CsvSource({"10000, true", "10s, true", "0, false", "00, false", "'', false"})
  void theTimeoutCountsForARecurringOperationOnly(String interval, boolean counts) {
    var once = Map.of("CRM_meta_interval", interval, "CRM_meta_timeout", "20000");
    var other = Map.of("CRM_meta_interval", interval, "CRM_meta_timeout", "30000");

    assertEquals(counts, !OperationDigest.of(once).equals(OperationDigest.of(other)));
  }

  @Test
  void anotherValueIsAnotherDigest() {
    assertNotEquals(
        OperationDigest.of(Map.of("a", "b c")), OperationDigest.of(Map.of("a", "b  c")));
  }

  @Test
  void onlyWhatReloadsOrHidesParametersNeedsTheAgentsMetadata() {
    var dummy = new AgentName("ocf", "pacemaker", "Dummy");

    assertTrue(OperationDigest.needsMetadata(dummy, new OperationName("start")));
    assertTrue(OperationDigest.needsMetadata(new AgentName("stonith", "", "fence_x"), new OperationName("monitor")));
    assertFalse(OperationDigest.needsMetadata(dummy, new OperationName("stop")));
    assertFalse(OperationDigest.needsMetadata(dummy, new OperationName("self-made")));
    assertFalse(OperationDigest.needsMetadata(new AgentName("systemd", "", "httpd"), new OperationName("start")));
  }
}
