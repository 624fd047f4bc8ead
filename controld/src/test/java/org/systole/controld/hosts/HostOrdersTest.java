package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.controld.io.PeerMessage.AgentRan;
import org.systole.hostha.VolumeRead;

/// What a provider's `activity` says. A host is given up for it, so what cannot be understood must not look
/// like a host that writes nothing.
final class HostOrdersTest {
  private static final List<String> BOTH = List.of("/srv/a", "/srv/b");

  @Test
  void eachVolumeIsRead() {
    var seen =
        HostOrders.volumes("volume=/srv/a stamp=17.5 age=30\nvolume=/srv/b error=no such file\n", BOTH);

    assertEquals(VolumeRead.of("17.5", 30_000L), seen.get("/srv/a"));
    assertEquals(VolumeRead.unreadable("no such file"), seen.get("/srv/b"));
  }

  @Test
  void whereAVolumeWasReadIsToldByItself() {
    var seen = HostOrders.volumes("volume=/srv/a stamp=1 age=3\nvolume=/srv/a root=77\n", BOTH);

    assertEquals(VolumeRead.of("1", 3_000L).below("77"), seen.get("/srv/a"));
  }

  @Test
  void aVolumeOfWhichNothingIsSaidCouldNotBeRead() {
    for (var output : List.of("", "volume=/srv/a stamp=1 age=1", "volume=/srv/b", "volume=/srv/b x=1")) {
      var missing = HostOrders.volumes(output, BOTH).get("/srv/b");

      assertNotNull(missing, output);
      assertNull(missing.stamp(), output);
      assertNotNull(missing.error(), output);
    }
  }

  @Test
  void anEmptyOrEndlessStampIsNone() {
    for (var stamp : List.of("", "x".repeat(100_000))) {
      var read = HostOrders.volumes("volume=/srv/a stamp=" + stamp + " age=5", BOTH).get("/srv/a");

      assertNotNull(read);
      assertNull(read.stamp());
    }
  }

  @Test
  void twoThingsOfOneVolumeAreNone() {
    var seen = HostOrders.volumes("volume=/srv/a stamp=1 age=1\nvolume=/srv/a stamp=2 age=1\n", BOTH);

    var read = seen.get("/srv/a");
    assertNotNull(read);
    assertNull(read.stamp());
  }

  @Test
  void anAgeThatIsNoneIsNotKnown() {
    for (var age : List.of("age=-3", "age=1e9", "age=99999999999999", "age=", "soon")) {
      var read = HostOrders.volumes("volume=/srv/a stamp=1 " + age, BOTH).get("/srv/a");

      assertNotNull(read);
      assertNull(read.ageMs(), age);
    }
  }

  private static AgentRan ran(OcfCode code, ExecStatus status, String reason) {
    return new AgentRan(1, true, code.number(), status, reason, "");
  }

  @Test
  void whatCannotBeRunMakesNoHostSickButIneligible() {
    for (var code : List.of(OcfCode.NOT_INSTALLED, OcfCode.NOT_CONFIGURED, OcfCode.INSUFFICIENT_PRIVILEGES)) {
      var ran = ran(code, ExecStatus.DONE, "/bin/x -y cannot be run here");

      assertNull(HostOrders.sickness(ran), code.toString());
      assertEquals("/bin/x -y cannot be run here", HostOrders.refusal(ran, null));
    }
    var absent = ran(OcfCode.NOT_INSTALLED, ExecStatus.NOT_INSTALLED, "/x: No such file or directory");
    assertNull(HostOrders.sickness(absent));
    assertEquals("its provider  is not installed there", HostOrders.refusal(absent, null));
    assertEquals("on fire", HostOrders.sickness(ran(OcfCode.UNKNOWN_ERROR, ExecStatus.DONE, "on fire")));
    var unreached = new AgentRan(1, false, 5, ExecStatus.NOT_INSTALLED, "", "");
    assertNotNull(HostOrders.sickness(unreached));
  }

  @Test
  void whatAHostSaysIsOneLineOfSomeLength() {
    var reason = HostOrders.sickness(ran(OcfCode.UNKNOWN_ERROR, ExecStatus.DONE, "\u001b[2J" + "x".repeat(70_000)));
    assertNotNull(reason);
    assertEquals("[2J" + "x".repeat(297), reason);

    var read = HostOrders.volumes("volume=/srv/a error=\u001b[2J" + "x".repeat(70_000), BOTH).get("/srv/a");
    assertNotNull(read);
    assertEquals("[2J" + "x".repeat(297), read.error());
  }
}
