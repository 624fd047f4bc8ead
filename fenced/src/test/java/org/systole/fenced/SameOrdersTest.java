package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;

/// When one action of a device answers several orders, and when each needs an action of its own.
final class SameOrdersTest {
  private final FencerUnderTest fencer = new FencerUnderTest();
  private int attempts;

  @BeforeEach
  void begin() {
    fencer.register("power", Map.of("pcmk_host_list", "node2 node3"));
    fencer.goes(3);
  }

  private void order(String action, String target, long membership) {
    attempts++;
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            "op" + attempts,
            attempts,
            new NodeName(target),
            action,
            "power",
            9_000,
            0,
            membership));
  }

  private void off(long membership) {
    order("off", "node3", membership);
  }

  private List<String> answered() {
    return fencer.sent(FencePeerMessage.Executed.class).stream()
        .filter(it -> it.status() == ExecStatus.DONE && it.rc() == 0)
        .map(FencePeerMessage.Executed::operation)
        .toList();
  }

  @Test
  void oneActionAnswersOrdersOfTwoMembershipsIfTheTargetDidNotReturn() {
    off(fencer.number());
    fencer.leavesAndReturns(2);
    off(fencer.number());
    fencer.runs("off").exits(0, "");

    assertEquals(List.of("op1", "op2"), answered());
    assertEquals(1, fencer.begun("off"));
  }

  @Test
  void soItDoesIfTheTargetIsAMemberStill() {
    fencer.comes(3);
    off(fencer.number()); // the first membership of its stay
    fencer.leavesAndReturns(2);
    off(fencer.number());
    fencer.runs("off").exits(0, "");

    assertEquals(List.of("op1", "op2"), answered());
  }

  @Test
  void anActionFromBeforeTheTargetReturnedDoesNotAnswerALaterOrder() {
    off(fencer.number());
    var run = fencer.runs("off");
    fencer.atOnce(
        () -> {
          fencer.leavesAndReturns(3);
          fencer.goes(3);
          off(fencer.number());
        });
    run.exits(0, ""); // by itself, before it could be ended
    assertEquals(List.of("op1"), answered());

    fencer.runs("off").exits(0, "");
    assertEquals(List.of("op1", "op2"), answered());
    assertEquals(2, fencer.begun("off"));
  }

  @Test
  void anOrderFromAMembershipUnknownHereGetsItsOwnAction() {
    off(fencer.number());
    off(fencer.number() + 1); // nobody here can tell whether node3 was back in it
    fencer.runs("off").exits(0, "");
    assertEquals(List.of("op1"), answered());

    fencer.runs("off").exits(0, "");
    assertEquals(List.of("op1", "op2"), answered());
  }

  @Test
  void anotherActionOrTargetGetsItsOwnAction() {
    off(fencer.number());
    order("reboot", "node3", fencer.number());
    order("off", "node2", fencer.number() + 9);
    fencer.runs("off").exits(0, "");
    assertEquals(List.of("op1"), answered());
    fencer.runs("reboot").exits(0, "");
    fencer.runs("off").exits(0, "");

    assertEquals(List.of("op1", "op2", "op3"), answered());
  }

  @Test
  void aFailedActionAnswersOnlyItsOwnOrder() {
    off(fencer.number());
    off(fencer.number());
    fencer.runs("off").exits(1, "");
    fencer.world.pass(Duration.ofSeconds(2));
    fencer.runs("off").exits(1, ""); // the second try
    assertEquals(List.of(), answered());

    fencer.runs("off").exits(0, "");
    assertEquals(List.of("op2"), answered());
  }
}
