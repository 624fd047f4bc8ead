package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

final class CommandsTest {
  private static final int LINKS = 1500;
  private static final long SMALL_STACK = 256 * 1024;
  private static final String CIB =
      """
      <cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1">
        <configuration>
          <crm_config>
            <cluster_property_set id="o">
              <nvpair id="o-f" name="fencing-enabled" value="false"/>
            </cluster_property_set>
          </crm_config>
          <nodes><node id="1" uname="node1"/></nodes>
          <resources><group id="g">%s</group></resources>
          <constraints/>
        </configuration>
        <status>
          <node_state id="1" uname="node1" in_ccm="1" crmd="1" join="member" expected="member">
            <lrm id="1"><lrm_resources/></lrm>
          </node_state>
        </status>
      </cib>
      """;

  @TempDir private Path directory;

  @Test
  void everyCommandHasALauncherAndEveryLauncherACommand() throws IOException {
    var assemble = Files.readString(module().resolve("src/main/dist/assemble"));
    var names = Pattern.compile("for name in ([^;]*);").matcher(assemble);
    assertTrue(names.find());
    var launchers = Arrays.asList(names.group(1).replace("\\\n", " ").trim().split("\\s+"));
    var commands = new TreeSet<>(Commands.NAMES);
    commands.add("crm_master");
    assertEquals(commands, new TreeSet<>(launchers));
  }

  // Tests run in the directory of the module or in one beside it.
  private static Path module() {
    var here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("src/main/dist")) ? here : here.resolveSibling("tools");
  }

  @Test
  void aCommandOfEachNameIsCalledByThatName() {
    for (var name : Commands.NAMES) {
      var command = Commands.named(name);
      if (command == null) {
        throw new AssertionError(name + " is not made");
      }
      var refused = new Shell(directory).run(command, "--no-such-option");
      assertTrue(refused.err().startsWith(name + ": "), refused.err());
    }
    assertNull(Commands.named("no_such"));
  }

  @Test
  void aChainOfConstraintsMayBeLongerThanTheStackIsDeep() throws Exception {
    var members = new StringBuilder();
    for (var at = 0; at < LINKS; at++) {
      members.append(
          "<primitive id='r%d' class='ocf' provider='pacemaker' type='Dummy'/>".formatted(at));
    }
    Files.writeString(directory.resolve("cib.xml"), CIB.formatted(members));
    var shell = new Shell(directory);
    var codes = new ArrayList<Integer>();
    for (var line : List.of("crm_simulate -R -x cib.xml", "crm_verify -x cib.xml")) {
      var words = line.split(" ");
      var args = Arrays.copyOfRange(words, 1, words.length);
      Runnable run =
          () -> codes.add(shell.runOn(terminal -> Main.command(words[0], terminal, args)).code());
      var caller = new Thread(null, run, "caller", SMALL_STACK);
      caller.start();
      caller.join();
    }
    assertEquals(List.of(0, 0), codes);
  }

  @Test
  void anyCommandWritesToTheTerminalItWasGiven() {
    for (var name : Commands.NAMES) {
      var result =
          new Shell(directory).runOn(terminal -> Main.command(name, terminal, "--version"));
      assertTrue(result.out().startsWith("Pacemaker "), name + ": " + result);
    }
  }
}
