package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

class HostSbdTest {
  @TempDir Path root;

  private void write(String file, String text) throws IOException {
    var path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private HostSbd read() throws IOException {
    return HostSbd.read(new Layout(root, root));
  }

  @Test
  void withoutTheServiceTheFileDecides() throws Exception {
    assertEquals(Map.of(), read().variables());
    write("etc/default/sbd", "SBD_WATCHDOG_DEV=/dev/watchdog\n");
    assertEquals("/dev/watchdog", read().variables().get("SBD_WATCHDOG_DEV"));
  }

  @Test
  void aServiceThatIsNotEnabledKeepsTheNodeWithoutAWatchdog() throws Exception {
    write("etc/default/sbd", "SBD_WATCHDOG_DEV=/dev/watchdog\n");
    write("usr/lib/systemd/system/sbd.service", "[Unit]\n");
    assertEquals(Map.of(), read().variables());
    var notice = read().notice();
    assertTrue(notice != null && notice.contains("systemctl enable sbd"), notice);

    write("etc/default/sbd", "SBD_STARTMODE=always\n");
    assertNull(read().notice(), "nothing is missed");
  }

  @Test
  void anEnabledOneSwitchesItOnWhicheverUnitWantsIt() throws Exception {
    write("etc/default/sbd", "SBD_WATCHDOG_DEV=/dev/watchdog\n");
    write("usr/lib/systemd/system/sbd.service", "[Unit]\n");
    var wanted = root.resolve("etc/systemd/system/corosync.service.requires");
    Files.createDirectories(wanted);
    Files.createSymbolicLink(
        wanted.resolve("sbd.service"), Path.of("/usr/lib/systemd/system/sbd.service"));
    assertEquals("/dev/watchdog", read().variables().get("SBD_WATCHDOG_DEV"));
    assertNull(read().notice());
  }

  @Test
  void twoFilesThatContradictEachOtherAreNamed() throws Exception {
    write("etc/sysconfig/sbd", "SBD_WATCHDOG_DEV=/dev/watchdog\nSBD_DEVICE=/dev/a\n");
    write("etc/default/sbd", "# SBD_DEVICE=\nSBD_WATCHDOG_DEV=\nSBD_STARTMODE=always\n");
    assertNull(read().notice(), "one of the two says nothing");
    write("etc/default/sbd", "SBD_WATCHDOG_DEV=/dev/watchdog\nSBD_DEVICE=/dev/b\n");
    assertEquals("/dev/a", read().variables().get("SBD_DEVICE"));
    assertEquals(
        "This node goes by %s, though %s says otherwise of SBD_DEVICE: have both say the same, or remove one"
            .formatted(root.resolve("etc/sysconfig/sbd"), root.resolve("etc/default/sbd")),
        read().notice());
  }
}
