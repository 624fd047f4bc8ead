package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.systole.common.output.TextOutput;

class ControllerRepliesTest {
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(screen, true, StandardCharsets.UTF_8);
  private final ControllerReplies replies = new ControllerReplies(new TextOutput(out, out));

  @Test
  void eachAnswerIsSaidTheLastAsTheLast() {
    replies.add();
    replies.add();
    replies.tell();
    replies.add();
    replies.tell();
    assertEquals(
        """
        Waiting for 2 replies from the controller
        ... got reply
        ... got reply (done)
        Waiting for 1 reply from the controller
        ... got reply (done)
        """,
        screen.toString(StandardCharsets.UTF_8));
  }

  @Test
  void whereNothingHadToBeAskedNothingIsSaid() {
    replies.tell();
    assertEquals("", screen.toString(StandardCharsets.UTF_8));
  }
}
