package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// The parameters an operation would run with now, their digests, and how they compare with
/// history.
public final class OpDigests {
  /// How the digests in history compare with the current ones.
  public enum Result {
    UNKNOWN,
    MATCH,
    /// A parameter changed; perhaps a reload is enough.
    MISMATCH,
    /// A parameter changed that needs a restart.
    RESTART
  }

  public Result result = Result.UNKNOWN;
  public @Nullable Element allParameters;
  public @Nullable Element secureParameters;
  public @Nullable Element restartParameters;
  public @Nullable String allDigest;
  public @Nullable String secureDigest;
  public @Nullable String restartDigest;
}
