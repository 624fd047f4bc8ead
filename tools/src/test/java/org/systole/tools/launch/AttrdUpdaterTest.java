package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeName;
import org.systole.tools.attributes.AttrdUpdater;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;

/// What `attrd_updater` asks for and shows; the attribute manager is a stand-in.
@Timeout(60)
class AttrdUpdaterTest {
  @TempDir Path root;

  private Shell.Result shown(String value, String... args) throws Exception {
    var values = List.of(new AttrMessage.NodeValue(new NodeName("n1"), value));
    return StandIn.run(
        root,
        AttrMessage.SOCKET,
        AttrMessage.PROTOCOL,
        new AttrMessage.Values(true, values),
        new AttrdUpdater(),
        args);
  }

  private AttrMessage.Update asked(String... args) throws Exception {
    var asked = new ArrayList<AttrMessage.Request>();
    var shell = new Shell(root).set(Layout.ROOT, root.toString());
    var result =
        StandIn.answering(
            root,
            AttrMessage.SOCKET,
            AttrMessage.PROTOCOL,
            request -> {
              asked.add(request);
              return new AttrMessage.Done(AttrMessage.Outcome.OK, "");
            },
            () -> shell.run(new AttrdUpdater(), args));
    assertEquals(0, result.code(), result.toString());
    return (AttrMessage.Update) asked.getLast();
  }

  /// The value stands in quotes as a string does, not as in XML.
  @Test
  void aValueIsShownWithItsQuotesAndLineEndsMarked() throws Exception {
    assertEquals(
        "name=\"a\" host=\"n1\" value=\"<&> \\\"x\\\" \\n\\t\\r 'é'\"\n",
        shown("<&> \"x\" \n\t\r 'é'", "-n", "a", "-Q").out());
    assertEquals("name=\"a\" host=\"n1\" value=\"\"\n", shown(null, "-n", "a", "-Q").out());
  }

  @Test
  void aDelayThatIsNoneIsToldAsItWasSaid() throws Exception {
    var right = asked("-n", "a", "-U", "1", "-d", "3s");
    assertEquals(3000, right.delayMillis());
    assertNull(right.delayText());
    for (var wrong : List.of("soon", "-3")) {
      var update = asked("-n", "a", "-B", "1", "-d", wrong);
      assertEquals(-1, update.delayMillis());
      assertEquals(wrong, update.delayText());
    }
    assertNull(asked("-n", "a", "-B", "1").delayText());
    assertEquals("2", asked("-n", "a", "-B", "1", "-d", "2").delayText(), "as the log tells it");
  }
}
