package org.systole.cibd.client;

import java.time.Duration;
import java.util.List;
import org.systole.common.cib.CibOp;

/// Where a command reads and changes a CIB. [Cibs#open] opens the one that the environment names.
public interface CibTarget extends CibSource {
  /// Changes the CIB: all the operations or none.
  ///
  /// @param force also without quorum
  /// @param user whose rights count, empty for the present user
  CibMessage.Answer update(List<CibOp> operations, boolean force, String user);

  default CibMessage.Answer update(CibOp... operations) {
    return update(List.of(operations), false, "");
  }

  /// The default time a command waits for the CIB.
  Duration TIMEOUT = Duration.ofSeconds(30);
}
