package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Shipped roles that cannot look, that are given nonsense, or whose settings are those of an enemy.
final class RolesAgainstHarmTest extends RolesOnAMachine {
  /// A check that could not look has found nothing, which is not that all is well.
  @Test
  void whatCannotBeAskedIsNoGoodAnswer() throws Exception {
    program("crm_node", "[ $1 = --name ] && echo n1 || { echo 'no answer' >&2; exit 102; }");
    program("cibadmin", "echo 'the CIB manager is not there' >&2; exit 102");
    program("stonith_admin", "exit 1");
    program("corosync-cfgtool", "echo 'Could not initialize corosync configuration API error 2' >&2; exit 1");
    program("getent", "echo '10.0.0.1 STREAM x'");
    wrong("agents", "{}", "the configuration cannot be read: the CIB manager is not there");
    wrong("fencing", "{}", "the members cannot be asked for: no answer");
    wrong("names", "{\"names\":[\"ntp\"]}", "the nodes cannot be asked for: no answer");
    wrong(
        "network",
        "{}",
        "corosync does not tell its links: Could not initialize corosync configuration API error 2");
    fine("network", "{\"links\":false}", "{\"network\":{\"links\":0}}");
    further.put("SYSTOLE_ROOT", "/demo"); // whose cluster is not the machine's corosync
    fine("network", "{}", "{\"network\":{\"links\":0}}");
    program("corosync-cfgtool", "echo 'LINK ID 0 udp'");
    further.clear();
    wrong("network", "{}", "the members cannot be asked for: no answer");
    program("crm_node", "exit 1");
    wrong("names", "{}", "the cluster does not run on this node");
    wrong("storage", "{}", "what is mounted cannot be seen: " + root + "/proc/self/mountinfo cannot be read");
  }

  /// What is misspelt, or of another form, would not be heeded.
  @Test
  void settingsThatARoleDoesNotTakeAreErrors() throws Exception {
    file("proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    file("etc/fstab", "/dev/sda1 / ext4 defaults 0 1\n");
    var takes =
        "; there are: devices[], mounts[].dir, mounts[].device, mounts[].type, mounts[].options,"
            + " mounts[].mount, mounts[].writable, mounts[].free";
    for (var settings :
        List.of(
            "{\"mount\":[{\"dir\":\"/srv\"}]} mount.0.dir",
            "{\"mounts\":\"/srv\"} mounts",
            "{\"mounts\":[\"/srv\"]} mounts.0",
            "{\"mounts\":[{\"dir\":\"/\",\"tpye\":\"xfs\"}]} mounts.0.tpye",
            "{\"mounts\":[{}]} mounts.0",
            "{\"mounts\":{}} mounts",
            "{\"devices\":[[\"/dev/sda\"]]} devices.0.0")) {
      var at = settings.lastIndexOf(' ');
      wrong(
          "storage",
          settings.substring(0, at),
          "there is no setting " + settings.substring(at + 1) + takes);
    }
    wrong("storage", "{\"devices\":{}}", "setting devices is an empty object");
    wrong(
        "storage",
        "{\"mounts\":[{\"dir\":\"/\",\"writable\":\"yes\"}]}",
        "setting mounts.0.writable is neither true nor false: yes");
    wrong("agents", "{\"configured\":0}", "setting configured is neither true nor false: 0");
    wrong("boots", "{\"mots\":2}", "there is no setting mots; there are: most, within");
    for (var role : List.of("agents", "clock", "fencing", "names", "network", "watchdog")) {
      assertTrue(does("check", role, "{\"x\":1}").errors().startsWith("there is no setting x; "), role);
    }
    fine("storage", "{\"retried\":1,\"mounts\":[],\"devices\":[]}", "{\"storage\":{\"mounted\":1}}");
  }

  /// Who may set data of roles is not to become root by it.
  @Test
  void nothingIsMountedThatWouldPutTheSystemIntoOtherHands() throws Exception {
    file("proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    file("srv/full/of", "files");
    file("srv/fresh/lost+found/x", "");
    file("dev/plain", "no device");
    Files.createSymbolicLink(root.resolve("srv/link"), root.resolve("etc"));
    program("mount", "echo \"$*\" >>" + root + "/mounts");
    var system = "a place of the system";
    var device = "is no block device";
    var service = "is not known for the data of a service";
    ofRootAlone();
    mode("srv/shared", "rwxrwxrwx");
    mode("srv/group/a", "rwxr-xr-x");
    mode("srv/group", "rwxrwxr-x");
    mode("var/lib/empty", "rwxr-xr-x");
    Files.createDirectories(root.resolve("dev/shm"));
    Files.createSymbolicLink(root.resolve("dev/shm/sdb1"), root.resolve("dev/sdb1"));
    for (var it :
        List.of(
            List.of("/etc/pacemaker/roles/watchdog", "/dev/sdb1", "auto", "defaults", system),
            List.of("/usr", "/dev/sdb1", "auto", "defaults", system),
            List.of("/lib64", "/dev/sdb1", "auto", "defaults", system),
            List.of("/var", "/dev/sdb1", "auto", "defaults", system),
            List.of("/var/lib", "/dev/sdb1", "auto", "defaults", system),
            List.of("/var/lib/pacemaker/roles", "/dev/sdb1", "auto", "defaults", system),
            List.of("/var/lib/cloud/scripts/per-boot", "nfs:/a", "nfs", "defaults", service),
            List.of("/var/lib/polkit-1/localauthority/30-site.d", "nfs:/a", "nfs", "defaults", system),
            List.of("/var/lib/extensions", "nfs:/a", "nfs", "defaults", service),
            List.of("/srv/../etc", "/dev/sdb1", "auto", "defaults", "is no absolute path"),
            List.of("/srv/link", "/dev/sdb1", "auto", "defaults", "/srv/link leads to /etc by a symbolic link"),
            List.of("/srv/link/cron.d", "/dev/sdb1", "auto", "defaults", "leads to /etc/cron.d"),
            List.of("/opt/cni/bin", "/dev/sdb1", "auto", "defaults", system),
            List.of("/srv/shared/a", "/dev/sdb1", "auto", "defaults", "others than root may write in /srv/shared"),
            List.of("/srv/group/a/b", "/dev/sdb1", "auto", "defaults", "others than root may write in /srv/group"),
            List.of("/var/lib/anything", "/dev/sdb1", "auto", "defaults", service),
            List.of("/var/lib/empty", "/dev/sdb1", "auto", "defaults", service),
            List.of("/var/lib/libvirt", "/dev/sdb1", "auto", "defaults", service),
            List.of("/srv/a", "/dev/../home/user/link", "auto", "defaults", device),
            List.of("/srv/a", "/dev/shm/sdb1", "auto", "defaults", device),
            List.of("/srv/full", "/dev/sdb1", "auto", "defaults", "has files in it, such as of"),
            List.of("/srv/a", "/some/dir", "auto", "defaults", device),
            List.of("/srv/a", "/dev/shm/image", "ext4", "defaults", device),
            List.of("/srv/a", "/dev/plain", "ext4", "defaults", device),
            List.of("/srv/a", "tmpfs", "auto", "defaults", device),
            List.of("/srv/a", "/dev/sdb1", "none", "defaults", "no file system of type none"),
            List.of("/srv/a", "/dev/sdb1", "fuse.sh", "defaults", "no file system of type fuse.sh"),
            List.of("/srv/a", "/dev/sdb1", "auto", "ro,bind", "the option bind is not"),
            List.of("/srv/a", "/dev/sdb1", "auto", "X-mount.subdir=a", "the option X-mount.subdir=a is not"),
            List.of("/srv/a", "//host/a", "cifs", "ro,credentials=/root/.smb", "the option credentials=/root/.smb is not"),
            List.of("/srv/a", "//host/a", "cifs", "cred=/root/.smb", "the option cred=/root/.smb is not"),
            List.of("/srv/a", "//host/a", "cifs", "password=hidden", "the option password=... is not"),
            List.of("/srv/a", "host:/a", "ceph", "name=a,secret=hidden", "the option secret=... is not"),
            List.of("/srv/a", "/dev/sdb1", "auto", "suid", "the option suid is not"))) {
      var settings =
          "{\"mounts\":[{\"dir\":\"%s\",\"device\":\"%s\",\"type\":\"%s\",\"options\":\"%s\",\"mount\":true}]}"
              .formatted(it.get(0), it.get(1), it.get(2), it.get(3));
      var done = does("run", "storage", settings);
      assertEquals(1, done.code(), settings);
      assertTrue(done.errors().contains(it.get(4)), settings + ": " + done.errors());
    }
    assertTrue(Files.notExists(root.resolve("mounts")), "something was mounted");
    var usual =
        List.of(
            "/srv/fresh UUID=12-34", "/var/lib/mysql nfs:/db", "/db //host/share", "/mnt/a/b /dev/sdb1", "/data /dev/disk/by-id/a",
            "/var/lib/pgsql LABEL=pg", "/var/lib/libvirt/images /dev/sdc", "/var/lib/containers /dev/sdd", "/var/www/html host:/www");
    for (var it : usual) {
      does(
          "run",
          "storage",
          "{\"mounts\":[{\"dir\":\"%s\",\"device\":\"%s\",\"mount\":true}]}"
              .formatted((Object[]) it.split(" ")));
    }
    assertEquals(usual.size(), Files.readAllLines(root.resolve("mounts")).size());
  }

  private void ofRootAlone() throws IOException {
    for (var it : List.of("srv", "srv/fresh", "mnt", "var", "var/lib", "var/lib/libvirt", "var/www")) {
      mode(it, "rwxr-xr-x");
    }
  }

  private void mode(String directory, String mode) throws IOException {
    var made = Files.createDirectories(root.resolve(directory));
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(mode));
  }

  /// What belongs to another user may be changed by that one, but the directory itself may be mounted on.
  @Test
  void ownersOfDirectoriesDecide() throws Exception {
    file("proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    program("mount", "echo \"$*\" >>" + root + "/mounts");
    ofRootAlone();
    mode("var/lib/site/deep", "rwxr-xr-x");
    mode("var/lib/polkit-1", "rwxr-xr-x");
    mode("srv/site/deep", "rwxr-xr-x");
    try {
      for (var theirs : List.of("var/lib/site", "var/lib/polkit-1", "srv/site")) {
        Files.setAttribute(root.resolve(theirs), "unix:uid", 1234);
      }
    } catch (IOException e) {
      assumeTrue(false, "only root can give files away");
    }
    var settings = "{\"mounts\":[{\"dir\":\"%s\",\"device\":\"/dev/sdb1\",\"mount\":true}]}";
    assertTrue(
        does("run", "storage", settings.formatted("/srv/site/deep")).errors().contains("/srv/site does not belong to root"));
    assertTrue(
        does("run", "storage", settings.formatted("/var/lib/site/deep")).errors().contains("is not known for the data of a service"));
    assertTrue(does("run", "storage", settings.formatted("/var/lib/polkit-1")).errors().contains("a place of the system"));
    assertTrue(Files.notExists(root.resolve("mounts")));
    Files.delete(root.resolve("var/lib/site/deep"));
    does("run", "storage", settings.formatted("/var/lib/site"));
    assertEquals(1, Files.readAllLines(root.resolve("mounts")).size());
  }

  /// The directory above is of another user.
  @Test
  void aBootLoopsNotesAreWrittenNowhereElse() throws Exception {
    file("proc/sys/kernel/random/boot_id", "boot-1\n");
    var victim = directory.resolve("victim");
    Files.writeString(victim, "as it was\n");
    var notes = Files.createDirectories(directory.resolve("state/boots"));
    for (var name : List.of("starts", "starts.new", "starts.kept", "quarantine")) {
      Files.createSymbolicLink(notes.resolve(name), victim);
      var run = does("run", "boots", "{}");
      assertTrue(run.errors().contains(name + " is a symbolic link"), run.errors());
      Files.delete(notes.resolve(name));
    }
    Files.delete(notes);
    Files.createSymbolicLink(notes, Files.createDirectory(directory.resolve("elsewhere")));
    for (var action : List.of("run", "check")) {
      var run = does(action, "boots", "{}");
      assertTrue(run.errors().contains("is not a directory of this role's own user"), run.errors());
    }
    assertEquals("as it was\n", Files.readString(victim));
    try (var written = Files.list(directory.resolve("elsewhere"))) {
      assertEquals(0, written.count());
    }
  }
}
