package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// `ha-kvm`: what a host notes of its guests, and what its neighbours see of them.
final class LibvirtAgentTest extends HostAgents {
  /// A libvirt that has a guest with disks on the volume and elsewhere, and more if asked for.
  private Map<String, String> libvirt() throws IOException {
    var volume = Files.createDirectories(root.resolve("pool"));
    Files.writeString(volume.resolve("web 1.qcow2"), "one");
    program(
        "virsh",
        """
        #!/bin/sh
        [ "$1 $2" = "--connect test:///x" ] || exit 9
        disk() { printf "<disk type='%%s' device='%%s'>\\n  %%s\\n  <target dev='vda'/>\\n</disk>\\n" "$@"; }
        [ ! -e '%1$s/deaf' ] || { echo "error: failed to connect to the hypervisor" >&2; exit 1; }
        case "$3 $4" in
          "list --name") printf 'web\\n\\n'; [ ! -e '%1$s/more' ] || cat '%1$s/more' ;;
          "dumpxml lvm") disk block disk "<source dev='/dev/sdx' index='1'/>" ;;
          "dumpxml mixed")
            disk file disk "<source file='%1$s/pool/boot.img' index='1'/>"
            disk block disk "<source dev='/dev/sdx' index='2'/>"
          ;;
          "dumpxml local") disk file disk "<source file='/elsewhere/scratch.img' index='2'/>" ;;
          "dumpxml linked") disk file disk "<source file='%1$s/images/db.img' index='1'/>" ;;
          "dumpxml mute") exit 1 ;;
          "domstate mute") echo running ;;
          "dumpxml snap")
            disk file disk "<source file='%1$s/pool/snap.1' index='2'/>
              <backingStore type='file' index='1'>
                <source file='%1$s/pool/a &amp; b'/>
              </backingStore>"
          ;;
          "dumpxml web")
            disk file disk "<source file='%1$s/pool/web 1.qcow2' index='3'/>"
            disk file cdrom "<source file='%1$s/pool/install.iso'/>"
            disk block disk "<source dev='/dev/sdx' index='1'/><readonly/>"
            disk file lun "<source file='/elsewhere/scratch.img' index='2'/><readonly/>"
          ;;
        esac
        """
            .formatted(root));
    return Map.of("host", "h1", "volumes", volume.toString(), "uri", "test:///x");
  }

  @Test
  void aHostOfVirtualMachinesNotesWhatItsGuestsWriteTo() throws Exception {
    var where = libvirt();

    assertEquals(0, run("ha-kvm", "eligible", where).code());

    assertEquals(
        root + "/pool/web 1.qcow2\n", noted());
    var first = run("ha-kvm", "activity", where);
    var still = run("ha-kvm", "activity", where);
    Files.writeString(root.resolve("pool/web 1.qcow2"), "longer");
    var moving = run("ha-kvm", "activity", where);
    assertTrue(first.out().matches("volume=\\S+/pool stamp=\\S+ age=\\d+\nvolume=\\S+ root=\\d+\n"), first.out());
    assertEquals(stamp(first), stamp(still));
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void aHostWithAGuestThatCannotBeSeenIsNotTakenForDead() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("more"), "lvm\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var ran = run("ha-kvm", "activity", where);
    assertTrue(ran.out().contains("/pool:unseen error=guest lvm of h1 may write to what cannot be looked at\n"), ran.out());
    var beaten = new TreeMap<>(where);
    beaten.put("files", ".beat-%h");
    Files.writeString(root.resolve("pool/.beat-h1"), "");
    var seen = run("ha-kvm", "activity", beaten).out();
    assertTrue(seen.contains(" stamp=") && !seen.contains(" error="), "its heart is seen: " + seen);
  }

  /// A write that is seen is life; that none is seen says nothing of it.
  @Test
  void eachDiskOfAGuestIsLookedAtInItsOwnWay() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("pool/boot.img"), "one");
    for (var guest : List.of("mixed", "local")) {
      Files.writeString(root.resolve("more"), guest + "\n");
      assertEquals(0, run("ha-kvm", "health", where).code());

      var first = look(where);
      var error = "/pool:unseen error=guest %s of h1 may write to what cannot be looked at\n".formatted(guest);
      assertTrue(first.contains(error), first);
      assertEquals(stamp(first), stamp(look(where)));
      Files.writeString(root.resolve("pool/web 1.qcow2"), "longer " + guest);
      assertNotEquals(stamp(first), stamp(look(where)));
    }
  }

  /// Its former host noted it until a moment ago, and was writing to it.
  @Test
  void aDiskThatWasMigratedJustBeforeTheLastNoteIsSeen() throws Exception {
    var where = libvirt();
    var moved = Files.writeString(root.resolve("pool/moved.img"), "one");
    Files.createDirectories(root.resolve("pool/.systole-ha"));
    var former = Files.writeString(root.resolve("pool/.systole-ha/h2"), "#1\n" + moved + "\n");
    assertEquals(0, run("ha-kvm", "health", where).code());

    var first = look(where);
    Files.writeString(moved, "two two");
    assertEquals(stamp(first), stamp(look(where)), "h2 says that it is its own");
    Files.writeString(former, "#2\n");
    var second = look(where);
    Files.writeString(moved, "three three three");
    assertNotEquals(stamp(second), stamp(look(where)));
  }

  @Test
  void aDiskIsFoundByWhateverLinkItsGuestNamesIt() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("pool/db.img"), "one");
    Files.createSymbolicLink(root.resolve("images"), root.resolve("pool"));
    Files.writeString(root.resolve("more"), "linked\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var noted = noted();
    assertEquals("%1$s/pool/db.img\n%1$s/pool/web 1.qcow2\n".formatted(root), noted);
  }

  @Test
  void aGuestThatDoesNotTellItsDisksTakesNoneFromTheNotes() throws Exception {
    var where = libvirt();
    Files.createDirectories(root.resolve("pool/.systole-ha"));
    Files.writeString(root.resolve("pool/.systole-ha/h1"), root + "/pool/mute.img\n");
    Files.writeString(root.resolve("more"), "mute\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var noted = noted();
    assertEquals("%1$s/pool/mute.img\n%1$s/pool/web 1.qcow2\n".formatted(root), noted);
    Files.delete(root.resolve("more"));
    assertEquals(0, run("ha-kvm", "health", where).code());
    assertEquals(
        root + "/pool/web 1.qcow2\n", noted());
  }

  @Test
  void aHostWhoseLibvirtDoesNotAnswerIsSick() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("deaf"), "");

    var ran = run("ha-kvm", "health", where);

    assertEquals(1, ran.code());
    assertTrue(
        ran.err().contains("libvirt does not answer: error: failed to connect to the hypervisor"),
        ran.err());
    assertEquals(1, run("ha-kvm", "eligible", where).code());
  }

  @Test
  void whatAHostHasNotNotedCannotBeLookedAt() throws Exception {
    var where = libvirt();
    assertTrue(
        run("ha-kvm", "activity", where).out().contains(" error=h1 has noted no disks"));

    assertEquals(0, run("ha-kvm", "health", where).code());
    Files.delete(root.resolve("pool/web 1.qcow2"));
    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=cannot read all disks"));

    Files.writeString(root.resolve("pool/.systole-ha/h1"), "");
    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=no guest of h1 has a disk"));
  }

  @Test
  void aNoteLeadsNowhereButToItsVolume() throws Exception {
    var where = libvirt();
    assertEquals(0, run("ha-kvm", "health", where).code());
    Files.writeString(
        root.resolve("pool/.systole-ha/h1"), root + "/pool/../other\n/etc/passwd\n");

    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=no guest of h1 has a disk"));
  }

  /// What the host has noted, but for the number of the notes.
  private String noted() throws IOException {
    return Files.readString(root.resolve("pool/.systole-ha/h1")).replaceAll("(?m)^[#-].*\n", "");
  }

  private String look(Map<String, String> where) throws Exception {
    var ran = run("ha-kvm", "activity", where);
    assertEquals(0, ran.code());
    assertEquals("", ran.err());
    return ran.out();
  }

  private static Map<String, String> with(Map<String, String> where, String name, String value) {
    var all = new TreeMap<>(where);
    all.put(name, value);
    return all;
  }

  @Test
  void aLocaleWithACommaInNumbersChangesNothing() throws Exception {
    var where = libvirt();
    program(
        "stat",
        """
        #!/bin/sh
        PATH=${PATH#*:}
        case $LC_ALL in C) exec stat "$@" ;; esac
        stat "$@" | sed 's/\\([0-9]\\)[.]/\\1,/'
        """);
    assertEquals(0, run("ha-kvm", "health", where).code());

    var ran = run("ha-kvm", "activity", where, "LC_ALL", "de_DE.UTF-8");

    assertTrue(ran.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\nvolume=\\S+ root=\\d+\n"), ran.out() + ran.err());
  }

  @Test
  void aFurtherFileThatIsALinkIsWhatItLeadsTo() throws Exception {
    var where = with(libvirt(), "files", ".beat-%h");
    assertEquals(0, run("ha-kvm", "health", where).code());
    var beat = old(root.resolve("pool/beats/1"));
    var link = Files.createSymbolicLink(root.resolve("pool/.beat-h1"), Path.of("beats/1"));

    var first = look(where);
    assertEquals(stamp(first), stamp(look(where)));
    Files.writeString(beat, "longer");
    assertNotEquals(stamp(first), stamp(look(where)));

    Files.delete(link);
    Files.createSymbolicLink(link, root.resolve("bin/virsh")); // as the neighbour has it
    assertTrue(look(where).contains(" error=cannot read all disks"));
  }

  @Test
  void whatAGuestIsMovedToAfterTheLastNoteIsSeen() throws Exception {
    var where = libvirt();
    var other = old(root.resolve("pool/other.img"));
    var foreign = Files.writeString(root.resolve("pool/foreign.img"), "one");
    assertEquals(0, run("ha-kvm", "health", where).code());
    assertEquals(0, run("ha-kvm", "health", with(where, "host", "h2")).code());
    Files.writeString(root.resolve("pool/.systole-ha/h2"), "#1\n" + other + "\n");

    var first = look(where);
    Files.writeString(other, "written to by a guest of h2");
    Files.writeString(foreign, "written to by somebody else, as before");
    assertEquals(stamp(first), stamp(look(where)));
    Files.writeString(root.resolve("pool/overlay"), "one");
    var second = look(where);
    assertNotEquals(stamp(first), stamp(second));
    Files.writeString(root.resolve("pool/overlay"), "longer");
    assertNotEquals(stamp(second), stamp(look(where)));
  }

  @Test
  void whatLiesBeneathADiskIsNotedToo() throws Exception {
    var where = libvirt();
    old(root.resolve("pool/snap.1"));
    old(root.resolve("pool/a & b"));
    Files.writeString(root.resolve("more"), "snap\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    assertEquals("%1$s/pool/a & b\n%1$s/pool/snap.1\n%1$s/pool/web 1.qcow2\n".formatted(root), noted());
  }

  @Test
  void aGuestWithoutDisksCannotBeSeen() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("more"), "diskless\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    assertTrue(look(where).contains(":unseen error=guest diskless of h1 may write to what cannot be looked at\n"));
  }

  @Test
  void notesThatCouldNotBeWrittenAnewSayNothing() throws Exception {
    var where = with(libvirt(), "volumes", root + "/pool," + root + "/full");
    var image = old(root.resolve("full/db.img"));
    Files.createSymbolicLink(root.resolve("images"), root.resolve("full"));
    Files.writeString(root.resolve("more"), "linked\n");
    assertEquals(0, run("ha-kvm", "health", where).code());
    assertEquals(2, look(where).split(" stamp=", -1).length - 1);
    program("mktemp", "#!/bin/sh\nPATH=${PATH#*:}\ncase $1 in */full/*) exit 1 ;; esac\nexec mktemp \"$@\"\n");

    assertEquals(0, run("ha-kvm", "health", where).code());
    assertEquals(2, look(where).split(" stamp=", -1).length - 1, "the host may have died as it noted");
    assertEquals(0, run("ha-kvm", "health", where).code());

    var stale = look(where);
    assertTrue(stale.contains("/full error=h1 could not note there of late"), stale);
    assertTrue(stale.contains("/pool stamp="), stale);
    assertTrue(Files.exists(image));
  }

  @Test
  void whatCannotBeOpenedAtOnceHangsNobody() throws Exception {
    var where = with(libvirt(), "CRM_meta_timeout", "20000");
    assertEquals(0, run("ha-kvm", "health", where).code());
    var note = root.resolve("pool/.systole-ha/h1");
    fifo(root.resolve("pool/fifo"));
    Files.writeString(note, root + "/pool/fifo\n");
    assertTrue(look(where).contains(" error=cannot read all disks"));

    var beaten = with(where, "files", "fifo");
    assertTrue(look(beaten).contains(" error=cannot read all disks"));

    Files.delete(note);
    fifo(note);
    assertTrue(look(where).endsWith("/h1 does not belong to root\n"));
  }

  @Test
  void notesOfOthersThanRootCountForNothing() throws Exception {
    var where = libvirt();
    program(
        "stat",
        """
        #!/bin/sh
        PATH=${PATH#*:}
        case $2 in "%u %U") echo 4711 mallory ;; *) exec stat "$@" ;; esac
        """);

    var eligible = run("ha-kvm", "eligible", where);
    assertEquals(1, eligible.code());
    assertTrue(eligible.err().contains("/pool/.systole-ha does not belong to root (see"), eligible.err());
    Files.writeString(root.resolve("pool/.systole-ha/h1"), root + "/pool/web 1.qcow2\n");
    assertTrue(look(where).endsWith("/h1 does not belong to root\n"));

    for (var owner : List.of("mallory", "4711")) {
      assertEquals(0, run("ha-kvm", "eligible", with(where, "owner", owner)).code());
      assertTrue(look(with(where, "owner", owner)).contains(" stamp="));
    }
  }

  @Test
  void nothingIsNotedBeneathAPlaceForAMount() throws Exception {
    var where = with(libvirt(), "mounted", "true");

    var ran = run("ha-kvm", "eligible", where);

    assertEquals(1, ran.code());
    assertTrue(ran.err().contains("nothing is mounted at any of its volumes"), ran.err());
    assertTrue(Files.notExists(root.resolve("pool/.systole-ha")));
    assertTrue(look(where).contains(" error=nothing is mounted at "));
  }
}
