package org.systole.common.operation;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.systole.common.values.Md5;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.xml.Element;

/// Digests of operations' parameters: what a history entry keeps of them, enough to tell later
/// whether they changed, and whether that takes a restart, without keeping their values.
///
/// The text that is digested is fixed. Were it another one, every resource of a running cluster
/// would be restarted; and other implementations must come to the same digests.
public final class OperationDigest {
  private static final String TIMEOUT = OperationRequest.meta("timeout");
  private static final String INTERVAL = OperationRequest.meta("interval");
  private static final Set<String> NOT_PARAMETERS =
      Set.of("id", "crm_feature_set", "op-digest", "on_node", "on_node_uuid", "pcmk_external_ip");

  private OperationDigest() {}

  /// The digest of an operation's parameters: all but what is no part of one.
  public static String of(Map<String, String> parameters) {
    var values = new TreeMap<>(parameters);
    filter(values);
    return ofAll(values);
  }

  /// Removes what is no part of a digest: meta-attributes, but for the timeout of a recurring
  /// operation, and what the cluster adds itself.
  public static void filter(Map<String, String> parameters) {
    var recurs = Numbers.parse(parameters.get(INTERVAL), 0) != 0;
    var timeout = recurs ? parameters.get(TIMEOUT) : null;
    parameters
        .keySet()
        .removeIf(it -> it.startsWith(OperationRequest.META) || NOT_PARAMETERS.contains(it));
    if (timeout != null) {
      parameters.put(TIMEOUT, timeout);
    }
  }

  /// The digest of exactly these values, taken in the order of their names.
  public static String ofAll(Map<String, String> values) {
    var text = new StringBuilder(" <parameters");
    new TreeMap<>(values)
        .forEach(
            (name, value) -> {
              text.append(' ').append(name).append("=\"");
              escape(value, text);
              text.append('"');
            });
    text.append("/>\n");
    return Md5.of(text.toString());
  }

  private static void escape(String value, StringBuilder out) {
    for (var at = 0; at < value.length(); at++) {
      var c = value.charAt(at);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        default -> {
          if (c < 0x20 || c == 0x7f) {
            out.append("&#x%02X;".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
  }

  /// Whether an agent's metadata counts for the record of this operation.
  public static boolean needsMetadata(AgentName agent, OperationName operation) {
    if (!agent.standard().equals(AgentName.OCF) && !agent.isFenceAgent()) {
      return false;
    }
    return switch (Task.of(operation)) {
      case START,
          MONITOR,
          PROMOTE,
          DEMOTE,
          RELOAD,
          RELOAD_AGENT,
          MIGRATE_TO,
          MIGRATE_FROM,
          NOTIFY ->
          true;
      case null, default -> false;
    };
  }

  /// Adds to a history entry what the agent's metadata allows to say.
  static Element with(Element entry, AgentMetadata metadata, OperationRequest operation) {
    var result = entry;
    if (!operation.recurs() && metadata.reload() != AgentMetadata.Reload.NONE) {
      Predicate<AgentMetadata.Parameter> restarts =
          metadata.reload() == AgentMetadata.Reload.AGENT
              ? it -> !it.reloadable()
              : AgentMetadata.Parameter::unique;
      var values = new TreeMap<String, String>();
      for (var parameter : metadata.parameters()) {
        var value = operation.parameters().get(parameter.name());
        if (restarts.test(parameter) && value != null) {
          values.put(parameter.name(), value);
        }
      }
      result =
          result
              .with("op-force-restart", words(metadata, restarts))
              .with("op-restart-digest", ofAll(values));
    }
    return withoutSecrets(result, metadata, operation.parameters());
  }

  private static Element withoutSecrets(
      Element entry, AgentMetadata metadata, Map<String, String> parameters) {
    var secrets = words(metadata, AgentMetadata.Parameter::secret);
    if (secrets.isEmpty()) {
      return entry;
    }
    var values = new TreeMap<>(parameters);
    filter(values);
    for (var parameter : metadata.parameters()) {
      var value = parameters.get(parameter.name());
      if (parameter.secret()) {
        values.remove(parameter.name());
      } else if (value != null) {
        values.put(parameter.name(), value);
      }
    }
    return entry.with("op-secure-params", secrets).with("op-secure-digest", ofAll(values));
  }

  /// A list for searching: two spaces at both ends, as it has always been written; empty if there
  /// is none.
  private static String words(AgentMetadata metadata, Predicate<AgentMetadata.Parameter> wanted) {
    var names =
        metadata.parameters().stream().filter(wanted).map(AgentMetadata.Parameter::name).toList();
    return names.isEmpty() ? "" : "  " + String.join(" ", names) + "  ";
  }
}
