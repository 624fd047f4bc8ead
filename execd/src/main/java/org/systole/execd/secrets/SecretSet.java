package org.systole.execd.secrets;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
                var read =
                    SecretValue.read(files.get(name), files.get(name + SecretNames.SIGN));
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
    SortedMap<String, SortedMap<String, byte[]>> files = new TreeMap<>();
    var changes = new ArrayList<SecretStore.Change>();
    for (var secret : wanted) {
      var value = SecretValue.of(secret.value());
      if (value != null) {
        changes.addAll(put(secret.resource(), secret.parameter(), value));
        var names = files.computeIfAbsent(secret.resource().text(), _ -> new TreeMap<>());
        names.put(secret.parameter(), value.content());
        names.put(secret.parameter() + SecretNames.SIGN, value.sign());
      }
    }
    before
        .holders()
        .forEach(
            (holder, has) -> {
              for (var name : has.keySet()) {
                if (!files.getOrDefault(holder, new TreeMap<>()).containsKey(name)) {
                  changes.add(new SecretStore.Change.Delete(holder, name));
                }
              }
            });
    return changes;
  }

  /// What has to be done for a node to have this value, or none.
  static List<SecretStore.Change> put(
      ResourceId resource, String parameter, @Nullable SecretValue value) {
    var sign = parameter + SecretNames.SIGN;
    var holder = resource.text();
    return value == null
        ? List.of(
            new SecretStore.Change.Delete(holder, parameter),
            new SecretStore.Change.Delete(holder, sign))
        : List.of(
            new SecretStore.Change.Write(holder, parameter, value.content()),
            new SecretStore.Change.Write(holder, sign, value.sign()));
  }

  /// What is wrong with a secret that a peer sends; null if nothing.
  static @Nullable String mistake(ResourceId resource, String parameter, @Nullable String value) {
    var wrong = SecretNames.mistake(resource.text(), parameter);
    return wrong != null || value == null ? wrong : SecretValue.mistake(value);
  }
}
