package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.layout.Layout;
import org.systole.common.world.SecretStore;
import org.systole.common.world.SecretStore.Change;

class SecretFilesTest {
  private static final byte[] CONTENT = "Secr3t\n".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path root;
  private SecretFiles files;
  private Path top;

  @BeforeEach
  void directories() throws IOException {
    var layout = new Layout(root, root.resolve("share"));
    Files.createDirectories(layout.state());
    files = new SecretFiles(layout);
    top = layout.state().resolve("lrm/secrets");
  }

  private void write() {
    assertNull(files.change(List.of(new Change.Write("ipmi", "passwd", CONTENT))));
  }

  private SecretStore.Contents read() {
    return files.read("ipmi", List.of("passwd", "passwd.sign"));
  }

  private void isRefused(String why) {
    var contents = read();
    assertEquals(List.of(), List.copyOf(contents.files().keySet()));
    assertTrue(contents.problems().toString().contains(why), contents.problems()::toString);
    assertFalse(files.readAll().holders().containsKey("ipmi"));
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void whatIsWrittenIsTheOwnersAloneAndIsRead() throws IOException {
    write();

    assertEquals("rw-------", mode(top.resolve("ipmi/passwd")));
    for (var directory : List.of(top.getParent(), top, top.resolve("ipmi"))) {
      assertEquals("rwx------", mode(directory));
    }
    assertArrayEquals(CONTENT, read().files().get("passwd"));
    assertEquals(List.of(), read().problems());
    assertArrayEquals(CONTENT, files.readAll().holders().get("ipmi").get("passwd"));
    try (var left = Files.list(top.resolve("ipmi"))) {
      assertEquals(1, left.count());
    }
  }

  @Test
  void whereThereIsNothingThatIsNoProblem() {
    assertEquals(List.of(), read().problems());
    assertEquals(List.of(), files.readAll().problems());
    assertNull(files.change(List.of(new Change.Delete("ipmi", "passwd"))));
  }

  @Test
  void theLastFileTakesItsDirectoryWithIt() {
    write();
    assertNull(files.change(List.of(new Change.Write("ipmi", "other", CONTENT))));
    assertNull(files.change(List.of(new Change.Delete("ipmi", "passwd"))));
    assertTrue(Files.exists(top.resolve("ipmi")));
    assertNull(files.change(List.of(new Change.Delete("ipmi", "other"))));
    assertFalse(Files.exists(top.resolve("ipmi")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw-rw-rw-", "rw--w----"})
  void aFileThatOthersMayOpenIsRefused(String mode) throws IOException {
    write();
    mode(top.resolve("ipmi/passwd"), mode);
    isRefused("is not root's alone (" + mode + "): chmod 600 it");
  }

  @Test
  void aDirectoryThatOthersMayWriteInIsRefused() throws IOException {
    write();
    mode(top.resolve("ipmi"), "rwxrwx---");
    isRefused("for nobody else to write in");
    mode(top.resolve("ipmi"), "rwx------");
    mode(top, "rwx----w-");
    isRefused("for nobody else to write in");
    assertTrue(
        files.change(List.of(new Change.Write("x", "y", CONTENT))).contains("nobody else"));
  }

  @Test
  void noLinkIsFollowed() throws IOException {
    write();
    var outside = root.resolve("outside");
    Files.createDirectories(outside);
    Files.move(top.resolve("ipmi/passwd"), outside.resolve("passwd"));
    Files.createSymbolicLink(top.resolve("ipmi/passwd"), outside.resolve("passwd"));
    isRefused("is no file");

    Files.delete(top.resolve("ipmi/passwd"));
    Files.delete(top.resolve("ipmi"));
    Files.createSymbolicLink(top.resolve("ipmi"), outside);
    isRefused("is no directory, or a link");
    assertTrue(
        files.change(List.of(new Change.Write("ipmi", "passwd", CONTENT))).contains("a link"));
    assertTrue(files.change(List.of(new Change.Delete("ipmi", "passwd"))).contains("a link"));
    assertArrayEquals(CONTENT, Files.readAllBytes(outside.resolve("passwd")));

    Files.delete(top.resolve("ipmi"));
    Files.delete(top);
    Files.createSymbolicLink(top, outside);
    isRefused("is no directory, or a link");
  }

  @Test
  void aFileThatIsTooLongOrNoFileIsRefused() throws IOException {
    write();
    Files.write(top.resolve("ipmi/passwd"), new byte[SecretStore.CONTENT_MAX + 1]);
    isRefused("has more than 65536 bytes");
    Files.delete(top.resolve("ipmi/passwd"));
    Files.createDirectory(top.resolve("ipmi/passwd"));
    isRefused("is no file");
    var long1 = new Change.Write("ipmi", "long", new byte[SecretStore.CONTENT_MAX + 1]);
    assertTrue(files.change(List.of(long1)).contains("more than 65536 bytes"));
  }

  @Test
  void moreThanTheLimitIsNotReadAsAWhole() {
    for (var at = 0; at < 70; at++) {
      assertNull(
          files.change(
              List.of(new Change.Write("r" + at, "p", new byte[SecretStore.CONTENT_MAX]))));
    }
    var all = files.readAll();
    assertEquals(64, all.holders().size());
    assertTrue(all.problems().getFirst().contains("holds more than 2000 files or 4194304 bytes"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "../x", "a/b", "", ".x", "a\nb"})
  void namesThatLeadElsewhereAreABug(String name) {
    assertThrows(IllegalArgumentException.class, () -> files.read(name, List.of("passwd")));
    assertThrows(IllegalArgumentException.class, () -> files.read("ipmi", List.of(name)));
    assertThrows(
        IllegalArgumentException.class,
        () -> files.change(List.of(new Change.Write("ipmi", name, CONTENT))));
    assertThrows(
        IllegalArgumentException.class,
        () -> files.change(List.of(new Change.Delete(name, "passwd"))));
  }
}
