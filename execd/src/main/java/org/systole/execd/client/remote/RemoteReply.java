package org.systole.execd.client.remote;

import org.systole.common.xml.Element;

/// What the executor of a remote node answers.
///
/// @param code 0, a call's number, or one of the negative codes below
/// @param callId the number of the request at the executor
/// @param xml the answer with all that it says
public record RemoteReply(int code, long callId, Element xml) {
  public static final int DONE = 0;

  /// The resource is not known.
  public static final int NO_RESOURCE = -19;

  /// The request lacks something.
  public static final int INVALID = -22;

  /// The client speaks a version that is not understood, or has not registered.
  public static final int BAD_PROTOCOL = -71;

  /// There is no such request, or no such operation to cancel.
  public static final int NOT_SUPPORTED = -95;

  /// Done, but an operation is still under way.
  public static final int IN_PROGRESS = -115;

  /// In words, for a log.
  public String why() {
    return switch (code) {
      case NO_RESOURCE -> "the resource is not known there";
      case INVALID -> "the request is not valid";
      case BAD_PROTOCOL -> "the two speak different versions of the protocol";
      case NOT_SUPPORTED -> "it is not supported there";
      case IN_PROGRESS -> "an operation is still under way";
      default -> "error " + -code;
    };
  }
}
