package org.systole.cibd.client;

import org.systole.common.output.Rc;

/// A CIB cannot be read. The message is one line for the user.
public final class CibException extends Exception {
  private final Rc rc;

  public CibException(Rc rc, String message) {
    super(message);
    this.rc = rc;
  }

  public Rc rc() {
    return rc;
  }
}
