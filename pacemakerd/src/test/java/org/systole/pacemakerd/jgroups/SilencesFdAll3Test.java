package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.stack.Protocol;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.TimeScheduler;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

/// Two members, of which nothing is heard of the second one.
final class SilencesFdAll3Test {
  private final Address own = UUID.randomUUID();
  private final Address peer = UUID.randomUUID();
  private final List<Address> silent = new ArrayList<>();
  private final SilencesFdAll3 silences = new SilencesFdAll3((it, _) -> silent.add(it));
  private final List<Runnable> tasks = new ArrayList<>();

  private Runnable started(long timeout, long interval) {
    var timer = mock(TimeScheduler.class);
    when(timer.scheduleWithFixedDelay(any(), anyLong(), anyLong(), any(), anyBoolean()))
        .thenAnswer(
            call -> {
              tasks.add(call.getArgument(0));
              return mock(Future.class);
            });
    silences.setValue("timer", timer);
    silences.setTimeout(timeout).setInterval(interval);
    silences.addr(own);
    var quiet =
        new Protocol() {
          @Override
          public Object up(Event event) {
            return null;
          }

          @Override
          public Object down(Event event) {
            return null;
          }

          @Override
          public Object down(Message message) {
            return null;
          }
        };
    silences.setUpProtocol(quiet);
    silences.setDownProtocol(quiet);
    silences.setProtocolStack(new ProtocolStack());
    silences.down(new Event(Event.VIEW_CHANGE, View.create(own, 1, own, peer)));
    return tasks.getLast();
  }

  /// As where this node stood still for a while and goes on just before a tick.
  @Test
  void checksThatFollowUponEachOtherAreNoSilence() {
    var task = started(300_000, 100_000);
    for (var check = 0; check < 10; check++) {
      task.run();
    }
    assertEquals(List.of(), silent);
  }

  @Test
  void whoSaysNothingForTheTimeIsSilent() {
    var begun = System.nanoTime();
    var task = started(30, 10);
    while (silent.isEmpty()) {
      task.run();
    }
    assertEquals(List.of(peer), silent);
    var took = System.nanoTime() - begun;
    assertTrue(took >= 26_000_000, took + " ns: three checks, each a while after the one before");
  }
}
