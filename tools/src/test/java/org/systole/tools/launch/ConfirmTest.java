package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.operation.ExecStatus;
import org.systole.fenced.client.FenceMessage;
import org.systole.tools.cli.StandIn;
import org.systole.tools.fencing.StonithAdmin;

/// `stonith_admin --confirm`.
class ConfirmTest {
  @TempDir Path root;

  @Test
  void whyTheFencerDoesNotTakeItIsSaid() throws Exception {
    var result =
        StandIn.run(
            root,
            FenceMessage.SOCKET,
            FenceMessage.PROTOCOL,
            new FenceMessage.Refused(ExecStatus.INVALID, "node2 is a member of the cluster"),
            new StonithAdmin(),
            "--confirm=node2");
    assertEquals(70, result.code());
    assertEquals("stonith_admin: Couldn't confirm that node2 is down: node2 is a member of the cluster\n", result.err());
  }
}
