package org.systole.scheduler.unpack;

/// Numbers by which agents and executors say how an operation ended.
public final class Results {
  public static final int OK = 0;
  public static final int INVALID_PARAMETER = 2;
  public static final int UNIMPLEMENTED = 3;
  public static final int INSUFFICIENT_PRIVILEGES = 4;
  public static final int NOT_INSTALLED = 5;
  public static final int NOT_CONFIGURED = 6;
  public static final int NOT_RUNNING = 7;
  public static final int RUNNING_PROMOTED = 8;
  public static final int FAILED_PROMOTED = 9;
  public static final int DEGRADED = 190;
  public static final int DEGRADED_PROMOTED = 191;
  public static final int RESULT_UNKNOWN = 193;
  public static final int RESULT_MAX = 255;

  public static final int UNKNOWN = -2;
  public static final int PENDING = -1;
  public static final int DONE = 0;
  public static final int CANCELLED = 1;
  public static final int TIMEOUT = 2;
  public static final int NOT_SUPPORTED = 3;
  public static final int ERROR = 4;
  public static final int ERROR_HARD = 5;
  public static final int ERROR_FATAL = 6;
  public static final int STATUS_NOT_INSTALLED = 7;
  public static final int NOT_CONNECTED = 8;
  public static final int INVALID = 9;
  public static final int NO_FENCE_DEVICE = 10;
  public static final int NO_SECRETS = 11;
  public static final int STATUS_MAX = 11;

  private Results() {}
}
