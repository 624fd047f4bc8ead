package org.systole.cibd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibSections;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// The CIB manager's own file, changed by a command while the cluster is down, in a directory that
/// is the cluster user's.
final class ClusterFileTest {
  private static final List<String> WRITTEN = List.of("cib.xml", "cib.xml.sig");

  @TempDir private Path root;
  private Path directory;
  private Path file;

  @BeforeEach
  void aFileOfTheCluster() throws IOException {
    directory = new Layout(root, root).state("cib");
    Files.createDirectories(directory);
    file = directory.resolve("cib.xml");
    write(1);
  }

  private void write(int epoch) throws IOException {
    new ClusterFile(file).write(cib(epoch), Instant.EPOCH);
  }

  private static Element cib(int epoch) {
    return CibSections.emptyCib(epoch, CibSections.SCHEMA).plus(Element.of("status"));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    }
  }

  @Test
  void writtenFilesAreReadableByTheirOwnerOnlyAndNoOtherIsLeft() throws IOException {
    write(2);

    var names = files().stream().map(it -> it.getFileName().toString()).toList();
    assertEquals(
        List.of("cib-0.raw", "cib-0.raw.sig", "cib.last", "cib.xml", "cib.xml.sig"), names);
    for (var it : files()) {
      var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(it));
      assertEquals("rw-------", mode, it.toString());
    }
    assertTrue(Files.readString(file).contains("epoch=\"2\""));
    assertTrue(Files.readString(directory.resolve("cib-0.raw")).contains("epoch=\"1\""));
  }

  @Test
  void theFileHasTheDirectorysOwner() throws IOException {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root can give files away");
    var nobody =
        root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    Files.setOwner(directory, nobody);

    write(2);

    for (var it : files()) {
      var view = Files.getFileAttributeView(it, PosixFileAttributeView.class);
      assertEquals(nobody, view.getOwner(), it.toString());
    }
  }

  @Test
  void noLinkInTheDirectoryIsFollowedToWriteElsewhere() throws IOException {
    var other = Files.writeString(root.resolve("other"), "mine");
    for (var name : List.of("cib.xml.new", "cib.xml.sig.new", "cib-0.raw", "cib-0.raw.new")) {
      Files.createSymbolicLink(directory.resolve(name), other);
    }

    write(2);

    assertEquals("mine", Files.readString(other));
    for (var it : files()) {
      assertFalse(Files.isSymbolicLink(it), it.toString());
    }
  }

  @Test
  void noLinkInTheDirectoryIsFollowedToReadWhatIsElsewhere() throws IOException {
    var other = Files.writeString(root.resolve("other"), "secret");
    for (var name : WRITTEN) {
      var link = directory.resolve(name);
      var before = Files.readAllBytes(link);
      Files.delete(link);
      Files.createSymbolicLink(link, other);

      var refused = assertThrows(IOException.class, () -> write(2));

      assertEquals(link + " is a symbolic link; remove it", refused.getMessage());
      Files.delete(link);
      Files.write(link, before);
    }
    assertFalse(Files.exists(directory.resolve("cib-0.raw"), LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void aLinkThatLeadsToItStandsForIt() throws Exception {
    var link = Files.createSymbolicLink(root.resolve("mine.xml"), file);
    var environment = Map.of("CIB_file", link.toString());
    var resource =
        Element.of("primitive", "id", "r", "class", "ocf", "provider", "x", "type", "y");

    try (var open =
        Cibs.open(new Layout(root, root), environment, "test", Duration.ofSeconds(1))) {
      assertEquals(Rc.OK, open.update(CibOp.create("resources", resource)).rc());
    }

    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.readString(file).contains("id=\"r\""));
    assertTrue(Files.exists(directory.resolve("cib-0.raw")));
  }

  @Test
  void aSymbolicLinkIsNotFollowedForAnyFile() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root can give links away");
    var other = Files.writeString(root.resolve("other"), "mine");
    var link = Files.createSymbolicLink(directory.resolve("shadow.x"), other);
    var nobody =
        root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
    Files.getFileAttributeView(link, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setOwner(nobody);

    var refused =
        assertThrows(IOException.class, () -> FileInPlace.write(link, "new".getBytes()));

    assertEquals("it is a symbolic link that is somebody else's", refused.getMessage());
    assertEquals("mine", Files.readString(other));
  }

  /// What is found when one looks may be something else when one writes.
  @Test
  void aLinkThatSomebodyPutsThereAfterTheLookIsNotFollowed() throws Exception {
    var other = Files.writeString(root.resolve("other"), "mine");
    var fresh = root.resolve("shadow.new");
    var there = Files.writeString(root.resolve("shadow.old"), "old");
    var howFresh = FileInPlace.how(fresh);
    var howThere = FileInPlace.how(there);
    Files.createSymbolicLink(fresh, other);
    Files.delete(there);
    Files.createSymbolicLink(there, other);

    assertThrows(IOException.class, () -> FileInPlace.fill(fresh, howFresh, "new".getBytes()));
    assertThrows(IOException.class, () -> FileInPlace.fill(there, howThere, "new".getBytes()));
    assertEquals("mine", Files.readString(other));
  }

  @Test
  void ownLinksAreFollowedOnlyWhereOthersCannotPutThem() throws Exception {
    var other = Files.writeString(root.resolve("other"), "old");
    var open = Files.createDirectory(root.resolve("open"));
    var link = Files.createSymbolicLink(open.resolve("shadow.x"), other);
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    var refused =
        assertThrows(IOException.class, () -> FileInPlace.write(link, "new".getBytes()));
    assertEquals(
        "it is a symbolic link in a directory where others may put one", refused.getMessage());
    assertEquals("old", Files.readString(other));

    Files.setAttribute(open, "unix:mode", 01777);
    FileInPlace.write(link, "new".getBytes());
    assertEquals("new", Files.readString(other));
  }
}
