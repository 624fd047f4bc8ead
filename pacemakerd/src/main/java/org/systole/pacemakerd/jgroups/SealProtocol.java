package org.systole.pacemakerd.jgroups;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// Encrypts and authenticates everything between the nodes, including headers and messages without
/// content: a process without the cluster's key can neither read nor join, suspect or expel.
///
/// Each process encrypts with a key of its own, derived from the cluster's key and its random
/// address, and numbers its messages; so no nonce is used twice, and each number is accepted once.
/// Messages recorded before a process started cannot be replayed to it: from a sender that has not
/// yet sent something to this process' own address only discovery is accepted, and it is asked to
/// send something.
///
/// While the cluster's key is changed messages under each of two keys are taken, see [KeyRing].
///
/// JGroups' own SYM_ENCRYPT protects contents only and knows no authenticated cipher.
final class SealProtocol extends Protocol {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NUMBER_BYTES = Long.BYTES;
  private static final int IV_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int IDLE_MAX = 4; // ciphers of a key that are kept
  private static final int SENDERS_MAX = 512;
  private static final long COMPLAIN_NANOS = 10_000_000_000L;
  private static final long ASK_NANOS = 100_000_000L;
  private static final byte MESSAGE = 0;
  private static final byte QUESTION = 1;
  private static final byte ANSWER = 2;

  /// A process whose messages arrive here.
  private static final class Sender {
    private final Ciphers ciphers;
    private final ReplayWindow window = new ReplayWindow();
    private volatile boolean present; // has sent something to this process since that started
    private volatile long asked;

    Sender(SecretKey key) {
      ciphers = new Ciphers(Cipher.DECRYPT_MODE, key);
    }
  }

  /// A process, by the key it speaks with: each has numbers of its own, so that who has a former key
  /// cannot use up those of the present one.
  private record Origin(Address address, ClusterKey key) {}

  private record Own(Address address, ClusterKey key, Ciphers ciphers) {}

  /// The ciphers of one key, for as many threads as use them at once: to create one is most of the
  /// cost of a short message.
  private static final class Ciphers {
    private final int mode;
    private final SecretKey key;
    private final Queue<Cipher> idle = new ArrayBlockingQueue<>(IDLE_MAX);

    Ciphers(int mode, SecretKey key) {
      this.mode = mode;
      this.key = key;
    }

    /// The receiver is authenticated with the content, so the message cannot be replayed to another
    /// process.
    Cipher take(long number, Message of) throws Exception {
      var iv = ByteBuffer.allocate(IV_BYTES).putInt(0).putLong(number).array();
      var left = idle.poll();
      var cipher = left == null ? Cipher.getInstance(CIPHER) : left;
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, iv));
      var to = of.getDest();
      if (to != null && !(to instanceof PhysicalAddress)) {
        cipher.updateAAD(bytes(to));
      }
      return cipher;
    }

    /// Returns a cipher after use.
    void leave(Cipher done) {
      idle.offer(done);
    }
  }

  private final KeyRing keys;
  private final String cluster;
  private final short discovery = ClassConfigurator.getProtocolId(TCPPING.class);
  private final AtomicLong number = new AtomicLong();
  private final Map<Origin, Sender> senders =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Origin, Sender> eldest) {
          return size() > SENDERS_MAX;
        }
      };
  private volatile @Nullable Own own;
  private volatile long complained;

  /// @param cluster the cluster's name as discovery has it in this process
  SealProtocol(KeyRing keys, String cluster) {
    this.keys = keys;
    this.cluster = cluster;
  }

  /// Forgets what came under a key that is no longer accepted.
  void forget(ClusterKey former) {
    synchronized (senders) {
      senders.keySet().removeIf(it -> it.key == former);
    }
  }

  @Override
  public Object down(Message message) {
    if (message.getSrc() == null) {
      message.setSrc(local_addr);
    }
    try {
      rename(message, keys.present().alias());
      var plain = Util.messageToBuffer(message);
      var sealed = new BytesMessage(message.getDest());
      sealed.setSrc(message.getSrc());
      sealed.setFlag(message.getFlags(false), false);
      sealed.setFlag(message.getFlags(true), true);
      sealed.setArray(seal(sealed, MESSAGE, plain.array(), plain.offset(), plain.length()));
      return down_prot.down(sealed);
    } catch (Exception e) {
      throw new IllegalStateException("cannot seal a message", e);
    }
  }

  private byte[] seal(Message as, byte kind, byte[] plain, int offset, int length)
      throws Exception {
    var mine = own;
    var present = keys.present();
    if (mine == null || mine.key != present || !mine.address.equals(as.getSrc())) {
      var key = present.ofSender(bytes(as.getSrc()));
      mine = new Own(as.getSrc(), present, new Ciphers(Cipher.ENCRYPT_MODE, key));
      own = mine;
    }
    var it = number.getAndIncrement();
    var cipher = mine.ciphers.take(it, as);
    var sealed = new byte[NUMBER_BYTES + cipher.getOutputSize(length + 1)];
    ByteBuffer.wrap(sealed).putLong(it);
    var done = cipher.update(new byte[] {kind}, 0, 1, sealed, NUMBER_BYTES);
    cipher.doFinal(plain, offset, length, sealed, NUMBER_BYTES + done);
    mine.ciphers.leave(cipher);
    return sealed;
  }

  private static byte[] bytes(Address address) throws Exception {
    var out = new ByteArrayDataOutputStream();
    Util.writeAddress(address, out);
    return java.util.Arrays.copyOf(out.buffer(), out.position());
  }

  @Override
  public @Nullable Object up(Message message) {
    var opened = open(message);
    return opened == null ? null : up_prot.up(opened);
  }

  @Override
  public void up(MessageBatch batch) {
    for (var it = batch.iterator(); it.hasNext(); ) {
      var opened = open(it.next());
      if (opened == null) {
        it.remove();
      } else if (it instanceof org.jgroups.util.FastArray<?>.FastIterator) {
        replace(it, opened);
      }
    }
    if (!batch.isEmpty()) {
      up_prot.up(batch);
    }
  }

  @SuppressWarnings("unchecked") // the iterator of a batch is one over messages
  private static void replace(java.util.Iterator<Message> in, Message by) {
    ((org.jgroups.util.FastArray<Message>.FastIterator) in).replace(by);
  }

  private @Nullable Message open(Message message) {
    try {
      var sealed = message.getArray();
      var from = message.getSrc();
      if (from == null || sealed == null || message.getLength() <= NUMBER_BYTES) {
        throw new GeneralSecurityException("it is not sealed");
      }
      var number = ByteBuffer.wrap(sealed, message.getOffset(), NUMBER_BYTES).getLong();
      for (var it = keys.accepted().iterator(); ; ) {
        var origin = new Origin(from, it.next());
        var sender = sender(origin);
        byte[] plain;
        try {
          plain = plain(message, sender, number);
        } catch (AEADBadTagException e) {
          if (it.hasNext()) {
            continue;
          }
          throw e;
        }
        keys.heard(origin.key);
        var known = kept(origin, sender);
        return known.window.take(number) ? admit(message, known, plain) : null;
      }
    } catch (Exception e) {
      complain(message, e);
      return null;
    }
  }

  private static byte[] plain(Message message, Sender sender, long number) throws Exception {
    var cipher = sender.ciphers.take(number, message);
    var plain =
        cipher.doFinal(
            message.getArray(),
            message.getOffset() + NUMBER_BYTES,
            message.getLength() - NUMBER_BYTES);
    sender.ciphers.leave(cipher);
    return plain;
  }

  /// One that is not known is kept once it has shown that it has the key, see [#kept].
  private Sender sender(Origin from) throws Exception {
    synchronized (senders) {
      var known = senders.get(from);
      if (known != null) {
        return known;
      }
    }
    return new Sender(from.key.ofSender(bytes(from.address)));
  }

  /// A process that was heard by one key need not show again that it is there: its address is its own
  /// by any key.
  private Sender kept(Origin from, Sender sender) {
    synchronized (senders) {
      var known = senders.putIfAbsent(from, sender);
      if (known != null) {
        return known;
      }
      for (var key : keys.accepted()) {
        var before = key == from.key ? null : senders.get(new Origin(from.address, key));
        sender.present |= before != null && before.present;
      }
      return sender;
    }
  }

  /// Discovery asks for the cluster's name, which changes with the key.
  private void rename(Message message, String name) {
    if (message.getHeader(discovery) instanceof PingHeader it) {
      it.clusterName(name);
    }
  }

  private @Nullable Message admit(Message message, Sender sender, byte[] plain) throws Exception {
    var to = message.getDest();
    var toAll = to == null || to instanceof PhysicalAddress;
    if (!toAll && !to.equals(local_addr)) {
      return null; // meant for a process that was here before
    }
    sender.present |= !toAll || message.getSrc().equals(local_addr);
    if (plain[0] == QUESTION) {
      tell(message.getSrc(), ANSWER);
    }
    if (plain[0] != MESSAGE) {
      return null;
    }
    var opened = Util.messageFromBuffer(plain, 1, plain.length - 1);
    if (opened.getSrc() == null || !opened.getSrc().equals(message.getSrc())) {
      throw new GeneralSecurityException("its sender is forged");
    }
    rename(opened, cluster);
    if (sender.present || opened.getHeader(discovery) != null) {
      return opened;
    }
    var now = System.nanoTime();
    if (sender.asked == 0 || now - sender.asked > ASK_NANOS) {
      sender.asked = now;
      tell(message.getSrc(), QUESTION);
    }
    return null;
  }

  private void tell(Address to, byte what) throws Exception {
    var message = new BytesMessage(to);
    message.setSrc(local_addr);
    message.setFlag(Message.Flag.OOB, Message.Flag.DONT_BUNDLE);
    message.setArray(seal(message, what, new byte[0], 0, 0));
    down_prot.down(message);
  }

  private void complain(Message message, Exception e) {
    var now = System.nanoTime();
    if (complained == 0 || now - complained > COMPLAIN_NANOS) {
      complained = now;
      log.error(
          "Refusing what %s sends: %s; the cluster's key there may be another one",
          message.getSrc(), e.getMessage());
    }
  }
}
