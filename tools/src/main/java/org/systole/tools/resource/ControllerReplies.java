package org.systole.tools.resource;

import org.systole.common.output.Output;

/// Says how many answers of the controller a command has waited for, in the words that callers of `crm_resource` know from Pacemaker.
final class ControllerReplies {
  private final Output out;
  private int count;

  ControllerReplies(Output out) {
    this.out = out;
  }

  /// The controller has done one thing more.
  void add() {
    count++;
  }

  /// Everything was asked for and answered. Nothing is said if nothing had to be asked.
  void tell() {
    if (count > 0) {
      out.info("Waiting for %d %s from the controller".formatted(count, count == 1 ? "reply" : "replies"));
    }
    for (var at = 1; at <= count; at++) {
      out.info(at < count ? "... got reply" : "... got reply (done)");
    }
    count = 0;
  }
}
