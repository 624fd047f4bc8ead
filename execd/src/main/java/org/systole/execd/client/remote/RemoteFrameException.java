package org.systole.execd.client.remote;

/// Bytes that are no frame. What follows them cannot be understood either.
public final class RemoteFrameException extends Exception {
  public RemoteFrameException(String message) {
    super(message);
  }
}
