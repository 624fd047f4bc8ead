package org.systole.controld;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// What an operation's record keeps of its parameters: enough to tell later whether they changed,
/// and whether that takes a restart, without keeping their values.
final class OperationDigests {
  private static final Set<String> NOT_PARAMETERS =
      Set.of("id", "crm_feature_set", "op-digest", "on_node", "on_node_uuid", "pcmk_external_ip");
  private static final Set<String> RELOADABLE_BY =
      Set.of(
          "start",
          "monitor",
          "promote",
          "demote",
          "reload",
          "reload-agent",
          "migrate_to",
          "migrate_from",
          "notify");

  private OperationDigests() {}

  /// Whether an agent's metadata counts for the record of this operation.
  static boolean needMetadata(String standard, String operation) {
    return (standard.equals("ocf") || standard.equals("stonith"))
        && RELOADABLE_BY.contains(operation);
  }

  static String all(Map<String, String> parameters) {
    return digest(plain(parameters));
  }

  /// Adds what the agent's metadata allows to say.
  static Element with(
      Element record, AgentMetadata metadata, Map<String, String> parameters, long intervalMillis) {
    var result = record;
    if (intervalMillis == 0 && metadata.reload() != AgentMetadata.Reload.NONE) {
      Predicate<AgentMetadata.Parameter> restarts =
          metadata.reload() == AgentMetadata.Reload.AGENT
              ? it -> !it.reloadable()
              : AgentMetadata.Parameter::unique;
      var values = new TreeMap<String, String>();
      for (var parameter : metadata.parameters()) {
        var value = parameters.get(parameter.name());
        if (restarts.test(parameter) && value != null) {
          values.put(parameter.name(), value);
        }
      }
      result =
          result
              .with("op-force-restart", words(metadata, restarts))
              .with("op-restart-digest", digest(values));
    }
    var secrets = words(metadata, AgentMetadata.Parameter::secret);
    if (!secrets.isEmpty()) {
      var values = plain(parameters);
      for (var parameter : metadata.parameters()) {
        var value = parameters.get(parameter.name());
        if (parameter.secret()) {
          values.remove(parameter.name());
        } else if (value != null) {
          values.put(parameter.name(), value);
        }
      }
      result = result.with("op-secure-params", secrets).with("op-secure-digest", digest(values));
    }
    return result;
  }

  /// The parameters proper. A recurring operation's timeout counts as one of them.
  private static TreeMap<String, String> plain(Map<String, String> parameters) {
    var values = new TreeMap<String, String>();
    parameters.forEach(
        (name, value) -> {
          if (!name.startsWith("CRM_meta_") && !NOT_PARAMETERS.contains(name)) {
            values.put(name, value);
          }
        });
    var interval = parameters.getOrDefault("CRM_meta_interval", "0");
    var timeout = parameters.get("CRM_meta_timeout");
    if (!interval.equals("0") && timeout != null) {
      values.put("CRM_meta_timeout", timeout);
    }
    return values;
  }

  /// A list for searching: two spaces at both ends, as it has always been written; empty if there
  /// is none.
  private static String words(AgentMetadata metadata, Predicate<AgentMetadata.Parameter> wanted) {
    var names =
        metadata.parameters().stream().filter(wanted).map(AgentMetadata.Parameter::name).toList();
    return names.isEmpty() ? "" : "  " + String.join(" ", names) + "  ";
  }

  private static String digest(TreeMap<String, String> values) {
    var element = Element.builder("parameters");
    values.forEach(element::attr);
    try {
      var md5 = MessageDigest.getInstance("MD5"); // finds changes; keeps no secret
      var text = " " + XmlWriter.compact(element.build()) + "\n";
      return HexFormat.of().formatHex(md5.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no MD5", e);
    }
  }
}
