package org.systole.tools.pacemakerd;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// Encrypts and authenticates everything between the nodes, headers and messages without content
/// included: who does not have the cluster's key can neither read nor join, suspect or expel.
///
/// JGroups' own SYM_ENCRYPT protects contents only and knows no authenticated cipher.
final class Seal extends Protocol {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int IV_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final long COMPLAIN_NANOS = 10_000_000_000L;

  private final SecretKey key;
  private final SecureRandom random = new SecureRandom();
  private volatile long complained;

  Seal(SecretKey key) {
    this.key = key;
  }

  @Override
  public Object down(Message message) {
    if (message.getSrc() == null) {
      message.setSrc(local_addr);
    }
    try {
      var plain = Util.messageToBuffer(message);
      var sealed = new BytesMessage(message.getDest());
      sealed.setSrc(message.getSrc());
      sealed.setFlag(message.getFlags(false), false);
      sealed.setFlag(message.getFlags(true), true);
      sealed.setArray(seal(plain.array(), plain.offset(), plain.length()));
      return down_prot.down(sealed);
    } catch (Exception e) {
      throw new IllegalStateException("cannot seal a message", e);
    }
  }

  private byte[] seal(byte[] plain, int offset, int length) throws GeneralSecurityException {
    var iv = new byte[IV_BYTES];
    random.nextBytes(iv);
    var cipher = Cipher.getInstance(CIPHER);
    cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, iv));
    var sealed = new byte[IV_BYTES + cipher.getOutputSize(length)];
    System.arraycopy(iv, 0, sealed, 0, IV_BYTES);
    cipher.doFinal(plain, offset, length, sealed, IV_BYTES);
    return sealed;
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
      if (sealed == null || message.getLength() <= IV_BYTES) {
        throw new GeneralSecurityException("it is not sealed");
      }
      var offset = message.getOffset();
      var cipher = Cipher.getInstance(CIPHER);
      cipher.init(
          Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, sealed, offset, IV_BYTES));
      var plain = cipher.doFinal(sealed, offset + IV_BYTES, message.getLength() - IV_BYTES);
      var opened = Util.messageFromBuffer(plain, 0, plain.length);
      if (opened.getSrc() == null || !opened.getSrc().equals(message.getSrc())) {
        throw new GeneralSecurityException("its sender is forged");
      }
      return opened;
    } catch (Exception e) {
      complain(message, e);
      return null;
    }
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
