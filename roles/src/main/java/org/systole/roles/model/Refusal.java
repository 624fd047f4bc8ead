package org.systole.roles.model;

/// Something that cannot be done. The message is one line: what, to what, and why.
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1;

  public Refusal(String message) {
    super(message);
  }
}
