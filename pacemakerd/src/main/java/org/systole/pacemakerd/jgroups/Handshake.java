package org.systole.pacemakerd.jgroups;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;

/// The handshake at the beginning of a connection between nodes: each end sends a random value, and
/// then proves with a MAC over both values that it has the cluster's key, or one of two while that is
/// changed. The end that connects
/// proves it first, so a stranger learns nothing.
final class Handshake {
  private static final byte[] HELLO = "SYS2".getBytes(StandardCharsets.US_ASCII);
  private static final int RANDOM_BYTES = 16;
  private static final int PROOF_BYTES = 32;
  private static final long TIMEOUT_NANOS = 2_000_000_000L; // for all of it
  private static final SecureRandom RANDOM = new SecureRandom();

  private final KeyRing keys;

  Handshake(KeyRing keys) {
    this.keys = keys;
  }

  /// For the end that connected.
  ///
  /// @return the key that both ends have shown
  /// @throws IOException if the other end does not have the key, or says nothing
  ClusterKey asClient(Socket socket) throws IOException {
    var patience = socket.getSoTimeout();
    var deadline = System.nanoTime() + TIMEOUT_NANOS;
    var key = keys.present();
    var mine = random();
    socket.getOutputStream().write(concat(HELLO, mine));
    var theirs = read(socket, RANDOM_BYTES, deadline);
    socket.getOutputStream().write(proof(key, "client", mine, theirs));
    var shown = read(socket, PROOF_BYTES, deadline);
    if (!MessageDigest.isEqual(proof(key, "server", mine, theirs), shown)) {
      throw new IOException("it has another key; the key file has to be the same on all nodes");
    }
    socket.setSoTimeout(patience);
    return key;
  }

  /// For the end that was connected to.
  ///
  /// @return the key that both ends have shown
  /// @throws IOException if the other end does not have the key, or says nothing
  ClusterKey asServer(Socket socket) throws IOException {
    var patience = socket.getSoTimeout();
    var deadline = System.nanoTime() + TIMEOUT_NANOS;
    if (!MessageDigest.isEqual(HELLO, read(socket, HELLO.length, deadline))) {
      throw new IOException("it does not speak this protocol");
    }
    var theirs = read(socket, RANDOM_BYTES, deadline);
    var mine = random();
    socket.getOutputStream().write(mine);
    var key = shown(theirs, mine, read(socket, PROOF_BYTES, deadline));
    socket.getOutputStream().write(proof(key, "server", theirs, mine));
    socket.setSoTimeout(patience);
    keys.heard(key);
    return key;
  }

  /// By which of the keys that are accepted the connecting end has proved itself.
  private ClusterKey shown(byte[] client, byte[] server, byte[] proof) throws IOException {
    for (var key : keys.accepted()) {
      if (MessageDigest.isEqual(proof(key, "client", client, server), proof)) {
        return key;
      }
    }
    throw new IOException("it has another key; the key file has to be the same on all nodes");
  }

  private static byte[] proof(ClusterKey key, String who, byte[] client, byte[] server) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(key.ofConnections());
      mac.update(who.getBytes(StandardCharsets.US_ASCII));
      mac.update(client);
      mac.update(server);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC cannot be used", e);
    }
  }

  private static byte[] random() {
    var bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static byte[] concat(byte[] one, byte[] other) {
    var both = java.util.Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private static byte[] read(Socket from, int length, long deadline) throws IOException {
    var bytes = new byte[length];
    var at = 0;
    while (at < length) {
      var left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new SocketTimeoutException("it says nothing");
      }
      from.setSoTimeout((int) left);
      var n = from.getInputStream().read(bytes, at, length - at);
      if (n < 0) {
        throw new EOFException("it closed the connection");
      }
      at += n;
    }
    return bytes;
  }
}
