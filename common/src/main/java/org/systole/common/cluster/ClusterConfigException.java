package org.systole.common.cluster;

/// A cluster configuration file that cannot be used. The message is one line: file, line, what to
/// do.
public final class ClusterConfigException extends Exception {
  public ClusterConfigException(String message) {
    super(message);
  }
}
