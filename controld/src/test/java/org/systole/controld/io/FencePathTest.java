package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.systole.controld.TestNodes.named;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.controld.client.CtlMessage;
import org.systole.fenced.client.FenceMessage;

/// Whether a fence device answers on this node.
final class FencePathTest extends FencerLinkUnderTest {
  private final List<String> done = new ArrayList<>();

  /// Asks the device, whose fencer gives these answers by action.
  private String ask(Map<String, FenceMessage.DeviceResult> answers) {
    done.clear();
    fencer.script(
        (id, request) -> {
          var run = (FenceMessage.RunDevice) request;
          done.add("%s %s %d".formatted(run.action(), run.target(), run.timeoutMillis()));
          fencer.reply(id, answers.get(run.action()));
        });
    var said = new ArrayList<String>();
    link.ask(new CtlMessage.AskDevice(null, "ipmi2", named("node2"), 600_000), said::add);
    world.settle();
    assertEquals(1, said.size());
    return said.getFirst();
  }

  private static Map<String, FenceMessage.DeviceResult> status(
      int rc, ExecStatus status, String why) {
    var answers = new LinkedHashMap<String, FenceMessage.DeviceResult>();
    answers.put("status", new FenceMessage.DeviceResult(rc, status, why, ""));
    return answers;
  }

  @Test
  void aDeviceThatTellsThePowerAnswersWhetherItIsOnOrOff() {
    assertEquals("", ask(status(0, ExecStatus.DONE, "")));
    assertEquals("", ask(status(2, ExecStatus.DONE, "")));
    assertEquals(List.of("status node2 25000"), done);
  }

  @Test
  void oneThatCannotTellThePowerMayAnswerItsMonitor() {
    var answers = status(1, ExecStatus.DONE, "no such action");
    answers.put("monitor", new FenceMessage.DeviceResult(0, ExecStatus.DONE, "", ""));
    assertEquals("", ask(answers));
    assertEquals(List.of("status node2 25000", "monitor null 25000"), done);
  }

  @Test
  void otherwiseItIsToldWhatIsWrongWithIt() {
    var answers = status(1, ExecStatus.DONE, "no route to host");
    answers.put("monitor", new FenceMessage.DeviceResult(1, ExecStatus.NO_FENCE_DEVICE, "'ipmi2' not active", ""));
    assertEquals("no route to host", ask(answers));
    var late = status(2, ExecStatus.TIMEOUT, "");
    late.put("monitor", new FenceMessage.DeviceResult(1, ExecStatus.TIMEOUT, "", ""));
    assertEquals("its status ended with 2 (TIMEOUT)", ask(late), "2 means off only if it was told");
  }

  @Test
  void oneThatTheNodeMayNotUseIsNotAskedTwice() {
    assertEquals(
        "it may not be used there",
        ask(status(1, ExecStatus.NO_FENCE_DEVICE, "'ipmi2' not found")));
    assertEquals(List.of("status node2 25000"), done);
  }
}
