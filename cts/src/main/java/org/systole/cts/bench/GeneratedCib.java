package org.systole.cts.bench;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// A configuration with its status, made up for the scheduler to work on.
///
/// Cold: all nodes are online and nothing is known of the resources, so that each is looked for on
/// each node. Warm: everything runs, its whole history is there, and the last node has been lost.
/// The schema is one that Pacemaker 2.1.5 accepts as well.
///
/// @param name `NODESxPRIMITIVES`, then `.cold` or `.warm`
record GeneratedCib(String name, int nodes, int primitives, boolean warm) {
  private static final String FEATURES = "3.16.2";
  private static final String UUID = "11111111-2222-3333-4444-555555555555";

  /// @param name such as `32x1000` or `32x1000.warm`
  /// @throws IllegalArgumentException if it is no such name
  static GeneratedCib of(String name) {
    var matcher =
        java.util.regex.Pattern.compile("(\\d{1,4})x(\\d{1,6})(?:\\.(cold|warm))?").matcher(name);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no size; write NODESxPRIMITIVES, or that with .warm, such as 32x1000");
    }
    var warm = "warm".equals(matcher.group(3));
    return new GeneratedCib(
        matcher.group(1) + "x" + matcher.group(2) + (warm ? ".warm" : ".cold"),
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        warm);
  }

  void write(Path file) throws IOException {
    try (var out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      out.write(
          "<cib crm_feature_set=\"%s\" validate-with=\"pacemaker-3.9\" epoch=\"1\" num_updates=\"0\""
                  .formatted(FEATURES)
              + " admin_epoch=\"0\" have-quorum=\"true\" dc-uuid=\"1\""
              + " execution-date=\"1700000000\">\n<configuration><crm_config>"
              + "<cluster_property_set id=\"cib-bootstrap-options\">"
              + "<nvpair id=\"opt-quorum\" name=\"no-quorum-policy\" value=\"ignore\"/>"
              + "</cluster_property_set></crm_config>\n<nodes>\n");
      for (var node = 1; node <= nodes; node++) {
        out.write("<node id=\"%d\" uname=\"node%d\"/>\n".formatted(node, node));
      }
      out.write(
          "</nodes>\n<resources>\n<primitive id=\"fencing\" class=\"stonith\""
              + " type=\"fence_dummy\"/>\n");
      for (var at = 1; at <= primitives; at++) {
        primitive(out, at);
      }
      out.write(
          "</resources>\n<constraints/>\n<rsc_defaults><meta_attributes id=\"rsc-defaults\">"
              + "<nvpair id=\"rsc-defaults-st\" name=\"resource-stickiness\" value=\"1\"/>"
              + "</meta_attributes></rsc_defaults>\n</configuration>\n<status>\n");
      for (var node = 1; node <= nodes; node++) {
        state(out, node);
      }
      out.write("</status>\n</cib>\n");
    }
  }

  private static void primitive(Writer out, int at) throws IOException {
    out.write(
        """
        <primitive id="rsc%1$d" class="ocf" provider="pacemaker" type="Dummy">
          <instance_attributes id="rsc%1$d-params">
            <nvpair id="rsc%1$d-params-fake" name="fake" value="value%1$d"/>
          </instance_attributes>
          <operations>
            <op id="rsc%1$d-start-0s" name="start" interval="0s" timeout="20s"/>
            <op id="rsc%1$d-stop-0s" name="stop" interval="0s" timeout="20s"/>
            <op id="rsc%1$d-monitor-10s" name="monitor" interval="10s" timeout="20s"/>
          </operations>
        </primitive>
        """
            .formatted(at));
  }

  private void state(Writer out, int node) throws IOException {
    var lost = warm && node == nodes;
    out.write(
        ("<node_state id=\"%1$d\" uname=\"node%1$d\" in_ccm=\"%2$s\" crmd=\"%3$s\" join=\"%4$s\""
                + " expected=\"member\">\n")
            .formatted(node, !lost, lost ? "offline" : "online", lost ? "down" : "member"));
    if (warm) {
      out.write("<lrm id=\"%d\"><lrm_resources>\n".formatted(node));
      history(out, "fencing", "type=\"fence_dummy\" class=\"stonith\"", node, node == 1, "");
      for (var at = 1; at <= primitives; at++) {
        var agent = "type=\"Dummy\" class=\"ocf\" provider=\"pacemaker\"";
        var digest = digest(" fake=\"value" + at + "\"");
        history(out, "rsc" + at, agent, node, (at - 1) % nodes == node - 1, digest);
      }
      out.write("</lrm_resources></lrm>\n");
    }
    out.write("</node_state>\n");
  }

  private static void history(
      Writer out, String id, String agent, int node, boolean runs, String digest)
      throws IOException {
    out.write("<lrm_resource id=\"%s\" %s>".formatted(id, agent));
    var known = digest.isEmpty() ? digest("") : digest;
    operation(out, id, node, runs ? "start" : "monitor", 0, runs ? 0 : 7, known);
    if (runs && !digest.isEmpty()) {
      var fake = "value" + id.substring("rsc".length());
      var withTimeout = digest(" CRM_meta_timeout=\"20000\" fake=\"" + fake + "\"");
      operation(out, id, node, "monitor", 10_000, 0, withTimeout);
    }
    out.write("</lrm_resource>\n");
  }

  private static void operation(
      Writer out, String id, int node, String task, int interval, int result, String digest)
      throws IOException {
    out.write(
        ("<lrm_rsc_op id=\"%1$s_%2$s\" operation_key=\"%1$s_%3$s_%4$d\" operation=\"%3$s\""
                + " crm_feature_set=\"%5$s\" transition-key=\"1:1:%6$d:%7$s\""
                + " transition-magic=\"0:%6$d;1:1:%6$d:%7$s\" on_node=\"node%8$d\" call-id=\"%9$d\""
                + " rc-code=\"%6$d\" op-status=\"0\" interval=\"%4$d\""
                + " last-rc-change=\"1699990000\" exec-time=\"10\" queue-time=\"0\""
                + " op-digest=\"%10$s\"/>")
            .formatted(
                id,
                interval == 0 ? "last_0" : "monitor_" + interval,
                task,
                interval,
                FEATURES,
                result,
                UUID,
                node,
                interval == 0 ? 1 : 2,
                digest));
  }

  private static String digest(String attributes) {
    try {
      var text = " <parameters" + attributes + "/>\n";
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
