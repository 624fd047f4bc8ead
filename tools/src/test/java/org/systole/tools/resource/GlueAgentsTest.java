package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

class GlueAgentsTest {
  private static final String STONITH =
      """
      #!/bin/sh
      case "$*" in
        -L) printf 'external/power\\nnull\\n' ;;
        "-t external/power -m")
          echo '<?xml version="1.0"?>'
          echo '<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd">'
          echo '<resource-agent name="external/power"><version>1.0</version></resource-agent>'
          ;;
        "-t null -m") echo 'no XML at all' ;;
        *) exit 1 ;;
      esac
      """;

  @TempDir Path directory;

  @BeforeEach
  void install() throws IOException {
    var sbin = Files.createDirectories(directory.resolve("sbin"));
    var program = Files.writeString(sbin.resolve("stonith"), STONITH);
    assertTrue(program.toFile().setExecutable(true));
    var own = Files.writeString(sbin.resolve("fence_own"), "#!/bin/sh\nexit 1\n");
    assertTrue(own.toFile().setExecutable(true));
  }

  private Shell.Result resource(String... args) {
    return new Shell(directory)
        .set("SYSTOLE_HOME", directory.toString())
        .run(new CrmResource(), args);
  }

  @Test
  void agentsOfClusterGlueAreListedAmongTheOthers() {
    var listed = resource("--list-agents", "stonith").out().lines().toList();
    assertTrue(listed.contains("external/power"), listed.toString());
    assertTrue(listed.contains("null"), listed.toString());
    assertTrue(listed.contains("fence_own"), listed.toString());
  }

  @Test
  void whatOneSaysOfItselfIsShownAsItIs() {
    var shown = resource("--show-metadata", "stonith:external/power");
    assertEquals(0, shown.code());
    assertTrue(shown.out().contains("DOCTYPE"), shown.out());
    assertTrue(shown.out().contains("<resource-agent name=\"external/power\">"), shown.out());
  }

  @Test
  void whatIsNoXmlOrNoneOfItsAgentsIsNoMetadata() {
    assertEquals(105, resource("--show-metadata", "stonith:null").code());
    assertEquals(105, resource("--show-metadata", "stonith:unknown").code());
    var option = resource("--show-metadata", "stonith:-L");
    assertEquals(105, option.code());
    assertFalse(option.out().contains("external"), option.out());
  }
}
