package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.controld.fsm.Input;
import org.systole.controld.transition.CibChange;
import org.systole.schedulerd.client.SchedulerMessage;

final class PlanningTest {
  private final TestWorld world = new TestWorld();
  private final Scheduler scheduler = new Scheduler();
  private final Planning planning = new Planning(world, scheduler);

  /// The scheduler and the DC around it: it is always time to plan, answers are given by hand.
  private final class Scheduler implements Planning.Host {
    final Deque<Consumer<SchedulerMessage.Calculated>> asked = new ArrayDeque<>();
    final List<Input> offered = new ArrayList<>();
    final List<String> aborted = new ArrayList<>();
    boolean busy;
    boolean mayPlan = true;
    boolean connected = true;
    long recheckBy;
    Duration recheckInterval = Duration.ofMinutes(15);

    void plans() {
      answer("<transition_graph/>", "");
    }

    void fails() {
      answer("", "it broke");
    }

    private void answer(String graph, String failure) {
      asked
          .remove()
          .accept(new SchedulerMessage.Calculated("1-1", XmlText.of(graph), "", List.of(), List.of(), failure));
      world.settle();
    }

    @Override
    public boolean mayPlan() {
      return mayPlan;
    }

    @Override
    public boolean busy() {
      return busy;
    }

    @Override
    public String nextTransition() {
      return "1-term";
    }

    @Override
    public Element cib() {
      return Element.of("cib");
    }

    @Override
    public void whenSettled(Runnable task) {
      world.post(task);
    }

    @Override
    public boolean canAsk() {
      return connected;
    }

    @Override
    public void calculate(
        String reference, Element cib, Consumer<SchedulerMessage.Calculated> done) {
      asked.add(done);
    }

    @Override
    public void offer(Input input) {
      offered.add(input);
    }

    @Override
    public void abort(String why) {
      aborted.add(why);
    }

    @Override
    public Duration recheckInterval() {
      return recheckInterval;
    }

    @Override
    public long recheckBy() {
      return recheckBy;
    }
  }

  private void schedule(String why) {
    planning.overtake(); // the state machine says it when it is told, and hears it a step later
    planning.schedule(why);
    world.settle();
  }

  private long plans() {
    return scheduler.offered.stream().filter(Input.Planned.class::isInstance).count();
  }

  @Test
  void aPlanIsOvertakenByARequestNotYetTakenUp() {
    schedule("a node is lost");
    scheduler.plans();
    assertEquals(1, plans());
    assertFalse(planning.isOvertaken());

    planning.overtake(); // such as the end of a fencing that an earlier transition had begun

    assertTrue(planning.isOvertaken());
    planning.schedule("the fencing ended");
    assertTrue(planning.isOvertaken());
    world.settle();
    scheduler.plans();
    assertEquals(2, plans());
    assertFalse(planning.isOvertaken());
  }

  @Test
  void aPlanOvertakenWhileItIsMadeIsMadeAgain() {
    schedule("a node is lost");
    schedule("a resource failed");
    assertEquals(1, scheduler.asked.size());

    scheduler.plans();

    assertEquals(0, plans());
    scheduler.plans();
    assertEquals(1, plans());
    assertFalse(planning.isOvertaken());
  }

  @Test
  void aConfigurationThatChangesAllTheTimeDoesNotBlockPlanning() {
    schedule("the cluster is up");
    for (var round = 0; plans() == 0 && round < 20; round++) {
      schedule(CibChange.CONFIGURATION);
      scheduler.plans();
      world.pass(Duration.ofSeconds(1));
    }

    assertEquals(1, plans());
    assertFalse(planning.isOvertaken());
    assertEquals(List.of(CibChange.CONFIGURATION), scheduler.aborted);
  }

  @Test
  void nothingIsPlannedBeforeWhatRunsHasEnded() {
    scheduler.busy = true;
    schedule("a resource failed");
    assertEquals(0, scheduler.asked.size());

    scheduler.busy = false;
    planning.retry();
    world.settle();

    assertEquals(1, scheduler.asked.size());
  }

  @Test
  void aSchedulerThatFailsIsAskedAgainAfterAWhile() {
    schedule("a node is lost");
    scheduler.fails();
    assertEquals(0, scheduler.asked.size());

    world.pass(Duration.ofSeconds(2));

    assertEquals(1, scheduler.asked.size());
  }

  @Test
  void aPlanThatTimeAloneChangesIsMadeInTime() {
    scheduler.recheckBy = world.now().getEpochSecond() + 60;
    planning.settle();
    world.pass(Duration.ofSeconds(60));
    assertEquals(List.of(), scheduler.offered);

    world.pass(Duration.ofSeconds(1));

    assertEquals(List.of(new Input.ScheduleNeeded("recheck timer")), scheduler.offered);
  }

  @Test
  void aPlanThatCannotBeReadIsAskedForAgainAfterAWhile() {
    for (var graph : List.of("<broken", "")) {
      schedule("a node is lost");
      scheduler.answer(graph, "");
      world.pass(Duration.ofMillis(1900));
      assertEquals(0, scheduler.asked.size());
      world.pass(Duration.ofMillis(200));
      assertEquals(1, scheduler.asked.size(), "nobody else would ask");
      scheduler.plans();
    }
    assertEquals(2, plans());
  }

  @Test
  void anOvertakenFailureIsNotRetriedAsWell() {
    schedule("a node is lost");
    scheduler.fails();
    schedule("a resource failed");
    assertEquals(1, scheduler.asked.size());
    world.pass(Duration.ofSeconds(10));
    assertEquals(1, scheduler.asked.size());
    scheduler.plans();
    assertEquals(1, plans());
  }

  @Test
  void aReleasedDcMakesNoPlan() {
    schedule("a node is lost");
    planning.release();
    scheduler.plans();
    planning.retry();
    world.pass(Duration.ofHours(1));
    assertEquals(List.of(), scheduler.offered);
    assertEquals(0, scheduler.asked.size());

    planning.settle();
    planning.release();
    world.pass(Duration.ofHours(1));
    assertEquals(List.of(), scheduler.offered);
  }

  @Test
  void aSchedulerThatIsAwayIsAskedWhenItIsThere() {
    scheduler.connected = false;
    schedule("a node is lost");
    assertEquals(0, scheduler.asked.size());
    scheduler.connected = true;
    planning.retry();
    world.settle();
    assertEquals(1, scheduler.asked.size());
    planning.retry();
    world.settle();
    assertEquals(1, scheduler.asked.size(), "one plan at a time");
    scheduler.plans();
    scheduler.plans();
    planning.retry();
    world.settle();
    assertEquals(1, plans());
    assertEquals(0, scheduler.asked.size(), "there is nothing left to plan");
  }

  @Test
  void aPlanThatIsNoLongerWantedIsDiscarded() {
    schedule("a node is lost");
    scheduler.mayPlan = false;
    scheduler.plans();
    assertEquals(0, plans());
    planning.retry();
    world.settle();
    assertEquals(0, scheduler.asked.size());
    schedule("a resource failed");
    assertEquals(0, scheduler.asked.size());
    scheduler.mayPlan = true;
    planning.retry();
    world.settle();
    scheduler.plans();
    assertEquals(1, plans());
  }

  @Test
  void aPlanThatIsOvertakenByWhatStillRunsIsMadeWhenThatHasEnded() {
    schedule("a node is lost");
    schedule("a fencing has begun");
    scheduler.busy = true;
    scheduler.plans();
    assertEquals(0, plans());
    assertEquals(0, scheduler.asked.size());
    scheduler.busy = false;
    planning.retry();
    world.settle();
    scheduler.plans();
    assertEquals(1, plans());
  }

  @Test
  void changesOfTheConfigurationAreWaitedForLongerEachTime() {
    schedule("the cluster is up");
    var pauses = new ArrayList<Long>();
    for (var round = 0; round < 5; round++) {
      schedule(CibChange.CONFIGURATION);
      scheduler.plans();
      var millis = 0L;
      while (scheduler.asked.isEmpty() && millis < 5000) {
        world.pass(Duration.ofMillis(1));
        millis++;
      }
      pauses.add(millis);
    }
    assertEquals(List.of(25L, 50L, 100L, 200L, 400L), pauses);
  }

  @Test
  void otherThanConfigurationChangesAreNotDelayed() {
    schedule("the cluster is up");
    schedule(CibChange.CONFIGURATION);
    scheduler.plans();
    assertEquals(0, scheduler.asked.size(), "it pauses");
    schedule("a node is lost");
    assertEquals(1, scheduler.asked.size());
    world.pass(Duration.ofSeconds(1));
    assertEquals(1, scheduler.asked.size(), "the pause is over with it");
    scheduler.plans();
    assertEquals(1, plans());
  }

  @Test
  void theDcLooksAgainFromTimeToTimeUnlessThatIsOff() {
    scheduler.recheckBy = world.now().getEpochSecond() + 10_000;
    planning.settle();
    world.pass(Duration.ofMinutes(15));
    assertEquals(1, scheduler.offered.size());
    scheduler.recheckBy = 0;
    scheduler.recheckInterval = Duration.ZERO;
    planning.settle();
    world.pass(Duration.ofHours(5));
    assertEquals(1, scheduler.offered.size());
    scheduler.recheckBy = 1;
    planning.settle();
    world.pass(Duration.ofSeconds(1));
    assertEquals(2, scheduler.offered.size(), "what is due already comes at once");
    scheduler.recheckBy = world.now().getEpochSecond() + 60;
    planning.settle();
    schedule("a resource failed");
    world.pass(Duration.ofMinutes(5));
    assertEquals(2, scheduler.offered.size(), "planning it is looking");
  }
}
