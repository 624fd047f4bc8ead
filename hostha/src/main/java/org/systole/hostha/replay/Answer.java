package org.systole.hostha.replay;

import org.systole.hostha.Proof;

/// How a provider answers until the script says otherwise.
record Answer(Kind kind, String why) {
  enum Kind {
    GOOD,
    /// Neither the one nor the other, or not the truth.
    UNSURE,
    BAD,
    /// Never.
    SILENT
  }

  static Answer good() {
    return new Answer(Kind.GOOD, "");
  }

  boolean isGood() {
    return kind == Kind.GOOD;
  }

  Proof proof() {
    return switch (kind) {
      case GOOD -> Proof.OFF;
      case UNSURE, SILENT -> Proof.NONE;
      case BAD -> Proof.FAILED;
    };
  }
}
