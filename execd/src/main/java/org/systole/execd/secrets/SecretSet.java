package org.systole.execd.secrets;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.SecretValue;
import org.systole.common.values.ResourceId;
import org.systole.common.world.SecretStore;

/// All secrets of a node as its files have them.
///
/// @param secrets sorted by resource and parameter
/// @param problems what is not whole or cannot be read, a line each
record SecretSet(List<SecretPeerMessage.Secret> secrets, List<String> problems) {
  static SecretSet of(SecretStore.All all) {
    var problems = new ArrayList<>(all.problems());
    var secrets = new ArrayList<SecretPeerMessage.Secret>();
    all.holders()
        .forEach(
            (holder, files) -> {
              for (var name : parameters(files)) {
                var read = SecretValue.read(files, name);
                var value = read.value();
                var id = ResourceId.of(holder);
                if (value != null && id != null) {
                  secrets.add(new SecretPeerMessage.Secret(id, name, value.text()));
                } else {
                  problems.add("%s/%s: %s".formatted(holder, name, read.why()));
                }
              }
            });
    return new SecretSet(secrets, problems);
  }

  private static List<String> parameters(SortedMap<String, byte[]> files) {
    return files.keySet().stream()
        .map(
            it ->
                it.endsWith(SecretNames.SIGN)
                    ? it.substring(0, it.length() - SecretNames.SIGN.length())
                    : it)
        .filter(SecretNames::isParameter)
        .distinct()
        .toList();
  }

  /// What two nodes with the same secrets have in common; nobody learns a value from it.
  String digest() {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      for (var secret : secrets) {
        for (var part : List.of(secret.resource().text(), secret.parameter(), secret.value())) {
          var bytes = part.getBytes(StandardCharsets.UTF_8);
          digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
          digest.update(bytes);
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /// What has to be done for a node to have these and no others.
  static List<SecretStore.Change> changes(
      SecretStore.All before, List<SecretPeerMessage.Secret> wanted) {
    SortedMap<String, Set<String>> kept = new TreeMap<>();
    var changes = new ArrayList<SecretStore.Change>();
    for (var secret : wanted) {
      var value = SecretValue.of(secret.value());
      if (value != null) {
        var holder = secret.resource().text();
        changes.addAll(SecretValue.changes(holder, secret.parameter(), value));
        kept.computeIfAbsent(holder, _ -> new TreeSet<>())
            .addAll(SecretValue.files(secret.parameter()));
      }
    }
    before
        .holders()
        .forEach(
            (holder, has) -> {
              for (var name : has.keySet()) {
                if (!kept.getOrDefault(holder, Set.of()).contains(name)) {
                  changes.add(new SecretStore.Change.Delete(holder, name));
                }
              }
            });
    return changes;
  }

  /// What is wrong with a secret that a peer sends; null if nothing.
  static @Nullable String mistake(ResourceId resource, String parameter, @Nullable String value) {
    var wrong = SecretNames.mistake(resource.text(), parameter);
    return wrong != null || value == null ? wrong : SecretValue.mistake(value);
  }
}
