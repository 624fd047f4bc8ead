package org.systole.scheduler.operations;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationDigest;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationRequest;
import org.systole.common.output.Product;
import org.systole.common.values.Numbers;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.OpDigests;
import org.systole.scheduler.model.Resource;

/// Compares the parameters that resources ran with to those configured now.
///
/// The text that is digested is fixed: other implementations must come to the same digests.
public final class Digests {
  private static final String META = OperationRequest.META;

  private Digests() {}

  /// The digests of an operation as it would be run now.
  ///
  /// @param entry the history entry to compare with, which says what is private and reloadable
  /// @param overrides parameters to use instead of configured ones
  /// @param secure whether the digest without private parameters is wanted
  public static OpDigests calculate(
      Resource resource,
      String task,
      long intervalMs,
      Node node,
      @Nullable Element entry,
      Map<String, String> overrides,
      boolean secure) {
    var digests = new OpDigests();
    digests.setResult(OpDigests.Result.MATCH);
    var parameters = resource.parameters(node);
    var all = all(resource, task, intervalMs, node, overrides, parameters, digests);
    digests.setAllParameters(element(all));
    digests.setAllDigest(OperationDigest.ofAll(all));
    if (secure) {
      var secured = secure(resource, entry, overrides, parameters, all);
      digests.setSecureParameters(element(secured));
      digests.setSecureDigest(OperationDigest.ofAll(secured));
    }
    if (entry != null && entry.has("op-restart-digest")) {
      var restart = new TreeMap<>(all);
      var forcing = entry.get("op-force-restart");
      if (forcing != null) {
        restart.keySet().retainAll(words(forcing));
      }
      digests.setRestartParameters(element(restart));
      digests.setRestartDigest(OperationDigest.ofAll(restart));
    }
    return digests;
  }

  private static TreeMap<String, String> all(
      Resource resource,
      String task,
      long configuredIntervalMs,
      Node node,
      Map<String, String> overrides,
      Map<String, String> parameters,
      OpDigests digests) {
    var all = new TreeMap<String, String>();
    var host = BundleAddresses.host(resource);
    if (host != null) {
      all.put("addr", host);
    }
    var intervalMs =
        Math.max(0, Numbers.parse(overrides.get(META + "interval"), configuredIntervalMs));
    overrides.forEach(all::putIfAbsent);
    parameters.forEach(all::putIfAbsent);
    var config = OperationConfig.find(resource, task, intervalMs, true);
    var own = OperationConfig.parameters(resource.cluster(), config, node);
    if (intervalMs == 0 && !own.isEmpty()) {
      // A change of the operation's own parameters takes effect with a restart only.
      digests.setResult(OpDigests.Result.RESTART);
    }
    own.forEach(all::putIfAbsent);
    OperationConfig.meta(resource, node, task, intervalMs, config)
        .forEach(
            (name, value) -> {
              if (name.indexOf('#') < 0 && name.indexOf(':') < 0) {
                all.putIfAbsent(META + name.replace('-', '_'), value);
              }
            });
    OperationDigest.filter(all);
    return all;
  }

  private static TreeMap<String, String> secure(
      Resource resource,
      @Nullable Element entry,
      Map<String, String> overrides,
      Map<String, String> parameters,
      TreeMap<String, String> all) {
    var version = entry == null ? null : entry.get("crm_feature_set");
    if (version == null) {
      version = resource.cluster().cib().get("crm_feature_set", Product.FEATURE_SET);
    }
    var old = Version.compare(version, "3.16.0") < 0;
    var secure = new TreeMap<String, String>();
    if (old) {
      overrides.forEach(secure::putIfAbsent);
      parameters.forEach(secure::putIfAbsent);
    } else {
      secure.putAll(all);
    }
    var hidden = entry == null ? " passwd password user " : entry.get("op-secure-params");
    if (hidden != null) {
      secure.keySet().removeAll(words(hidden));
    }
    if (old && resource.standard().equalsIgnoreCase(AgentName.FENCING)) {
      secure.keySet().removeIf(Digests::isFencingParameter);
    }
    OperationDigest.filter(secure);
    if (old) {
      secure.remove(META + "timeout");
    }
    return secure;
  }

  private static List<String> words(String list) {
    return List.of(list.split(" "));
  }

  private static boolean isFencingParameter(String name) {
    Predicate<String> ends = end -> name.indexOf('_', 5) == name.length() - end.length();
    return switch (name) {
      case "provides",
          "stonith-timeout",
          "pcmk_action_limit",
          "pcmk_delay_base",
          "pcmk_delay_max",
          "pcmk_host_argument",
          "pcmk_host_check",
          "pcmk_host_list",
          "pcmk_host_map" ->
          true;
      default ->
          name.startsWith("pcmk_")
              && (name.endsWith("_action") && ends.test("_action")
                  || name.endsWith("_timeout") && ends.test("_timeout")
                  || name.endsWith("_retries") && ends.test("_retries"));
    };
  }

  private static Element element(Map<String, String> parameters) {
    var element = Element.builder("parameters");
    parameters.forEach(element::attr);
    return element.build();
  }

  private static OpDigests cached(
      Resource resource,
      String task,
      long intervalMs,
      Node node,
      @Nullable Element entry,
      boolean secure) {
    var key = OperationKey.text(resource.id(), task, intervalMs);
    var known = node.digests().get(key);
    if (known == null) {
      known = calculate(resource, task, intervalMs, node, entry, Map.of(), secure);
      node.digests().put(key, known);
    }
    return known;
  }

  /// Compares the digests of a history entry with those of the same operation now.
  public static OpDigests compare(Resource resource, Element recorded, Node node) {
    var entry = resource.cluster().history(recorded);
    var task = entry.get("operation", "");
    var intervalMs = Numbers.unsigned(entry.get("interval"), 0);
    var digests =
        cached(
            resource, task, intervalMs, node, entry, resource.cluster().is(ClusterFlag.SANITIZED));
    var restart = entry.get("op-restart-digest");
    var all = entry.get("op-digest");
    // A digest kept from an entry without one is no reason to restart.
    if (digests.restartDigest() != null
        && restart != null
        && !digests.restartDigest().equals(restart)) {
      digests.setResult(OpDigests.Result.RESTART);
    } else if (all == null) {
      digests.setResult(OpDigests.Result.UNKNOWN);
    } else if (!all.equals(digests.allDigest())) {
      if (intervalMs != 0 || digests.result() != OpDigests.Result.RESTART) {
        digests.setResult(OpDigests.Result.MISMATCH);
      }
    } else {
      digests.setResult(OpDigests.Result.MATCH);
    }
    return digests;
  }

  /// Whether a node was last unfenced with the device's current parameters.
  public static OpDigests fencing(Resource device, String agent, Node node) {
    var digests = cached(device, "stonith-on", 0, node, null, true);
    var summary = node.attributes().get("#digests-all");
    if (summary == null) {
      digests.setResult(OpDigests.Result.UNKNOWN);
      return digests;
    }
    var prefix = device.id() + ":" + agent + ":";
    var secure = node.attributes().get("#digests-secure");
    if (summary.contains(prefix + digests.allDigest())) {
      digests.setResult(OpDigests.Result.MATCH);
    } else if (secure != null && secure.contains(prefix + digests.secureDigest())) {
      digests.setResult(OpDigests.Result.MATCH);
      device
          .cluster()
          .tell(
              "Only 'private' parameters to %s for unfencing %s changed"
                  .formatted(device.id(), node.name()));
    } else {
      digests.setResult(OpDigests.Result.MISMATCH);
      if (device.cluster().is(ClusterFlag.SANITIZED)) {
        device
            .cluster()
            .tell(
                "Parameters to %s for unfencing %s changed, try '%s'"
                    .formatted(device.id(), node.name(), prefix + digests.secureDigest()));
      }
    }
    return digests;
  }
}
