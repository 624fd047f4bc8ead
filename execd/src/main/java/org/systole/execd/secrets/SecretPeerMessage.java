package org.systole.execd.secrets;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol;

/// What the executors of a cluster say to each other: secrets, in a group of their own. Who is in
/// it understands them, whatever the level of the members.
sealed interface SecretPeerMessage {
  Protocol<SecretPeerMessage> PROTOCOL =
      Protocol.of("secrets-peer", 1, SecretPeerMessage.class);
  String GROUP = "secret";

  /// To one. Answered with [Done].
  ///
  /// @param call returned with the answer
  /// @param value null to remove the secret
  record Put(long call, ResourceId resource, String parameter, @Nullable String value)
      implements SecretPeerMessage {
    @Override
    public String toString() {
      return "Put[%d, %s, %s]".formatted(call, resource, parameter);
    }
  }

  /// To one: these are all there are. Answered with [Done].
  record Replace(long call, List<Secret> secrets) implements SecretPeerMessage {}

  record Secret(ResourceId resource, String parameter, String value) {
    @Override
    public String toString() {
      return "Secret[%s, %s]".formatted(resource, parameter);
    }
  }

  /// To who asked.
  ///
  /// @param problem empty, or what went wrong in one line, without values
  record Done(long call, String problem) implements SecretPeerMessage {}

  /// To all: what the sender has, as a digest of everything.
  record Holds(String digest) implements SecretPeerMessage {}
}
