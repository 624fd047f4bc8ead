package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.wire.ClientProtocol;
import org.systole.fenced.client.FenceMessage;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.attributes.AttrdUpdater;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;
import org.systole.tools.fencing.StonithAdmin;

/// What commands make of a daemon that does not do what is asked for this user: they end with
/// "insufficient privileges" and say why. The daemons are stand-ins at real sockets.
@Timeout(60)
class DeniedRequestsTest {
  private static final String WHY = "user anna may not do this";

  @TempDir Path root;

  private <Q, R, E> Shell.Result run(
      String name, ClientProtocol<Q, R, E> protocol, R answer, Command command, String... args)
      throws Exception {
    return StandIn.run(root, name, protocol, answer, command, args);
  }

  private static void assertDenied(Shell.Result result) {
    assertEquals(4, result.code(), result.toString());
    assertTrue(result.err().contains("Permission denied (" + WHY + ")"), result.toString());
  }

  @Test
  void aNodeThatIsNotStoppedForAnybodyIsNotTakenForDown() throws Exception {
    for (var option : new String[] {"--shutdown", "--debug=yes"}) {
      assertDenied(
          run(
              PacemakerdMessage.SOCKET,
              PacemakerdMessage.PROTOCOL,
              new PacemakerdMessage.Denied(WHY),
              new Pacemakerd(),
              option));
    }
  }

  @Test
  void theFencer() throws Exception {
    for (var option : new String[] {"--reboot=node2", "--list=node2", "--confirm=node2"}) {
      assertDenied(
          run(
              FenceMessage.SOCKET,
              FenceMessage.PROTOCOL,
              new FenceMessage.Denied(WHY),
              new StonithAdmin(),
              option));
    }
    assertDenied(
        run(
            FenceMessage.SOCKET,
            FenceMessage.PROTOCOL,
            new FenceMessage.Denied(WHY),
            new StonithAdmin(),
            "--history=node2",
            "--cleanup"));
  }

  @Test
  void theAttributeManager() throws Exception {
    assertDenied(
        run(
            AttrMessage.SOCKET,
            AttrMessage.PROTOCOL,
            new AttrMessage.Done(AttrMessage.Outcome.DENIED, WHY),
            new AttrdUpdater(),
            "-n",
            "x",
            "-U",
            "1"));
  }
}
