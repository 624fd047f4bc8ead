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

  private Result result = Result.UNKNOWN;
  private @Nullable Element allParameters;
  private @Nullable Element secureParameters;
  private @Nullable Element restartParameters;
  private @Nullable String allDigest;
  private @Nullable String secureDigest;
  private @Nullable String restartDigest;

  public Result result() {
    return result;
  }

  @WrittenBy("operations")
  public void setResult(Result result) {
    this.result = result;
  }

  public @Nullable Element allParameters() {
    return allParameters;
  }

  @WrittenBy("operations")
  public void setAllParameters(@Nullable Element allParameters) {
    this.allParameters = allParameters;
  }

  public @Nullable Element secureParameters() {
    return secureParameters;
  }

  @WrittenBy("operations")
  public void setSecureParameters(@Nullable Element secureParameters) {
    this.secureParameters = secureParameters;
  }

  public @Nullable Element restartParameters() {
    return restartParameters;
  }

  @WrittenBy("operations")
  public void setRestartParameters(@Nullable Element restartParameters) {
    this.restartParameters = restartParameters;
  }

  public @Nullable String allDigest() {
    return allDigest;
  }

  @WrittenBy("operations")
  public void setAllDigest(@Nullable String allDigest) {
    this.allDigest = allDigest;
  }

  public @Nullable String secureDigest() {
    return secureDigest;
  }

  @WrittenBy("operations")
  public void setSecureDigest(@Nullable String secureDigest) {
    this.secureDigest = secureDigest;
  }

  public @Nullable String restartDigest() {
    return restartDigest;
  }

  @WrittenBy("operations")
  public void setRestartDigest(@Nullable String restartDigest) {
    this.restartDigest = restartDigest;
  }
}
