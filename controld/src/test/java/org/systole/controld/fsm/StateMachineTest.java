package org.systole.controld.fsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;

final class StateMachineTest {
  private final TestWorld world = new TestWorld();
  private final List<String> told = new ArrayList<>();
  private final StateMachine machine = new StateMachine(world, new Host());
  private boolean holds = true;

  private final class Host implements StateMachine.Host {
    @Override
    public void offered(Input input) {
      told.add("offered");
    }

    @Override
    public boolean holds(Input input) {
      return holds;
    }

    @Override
    public void carryOut(Effect effect) {
      told.add(effect.getClass().getSimpleName() + " in " + machine.state());
    }

    @Override
    public void stepped(State now) {
      told.add("stepped " + now);
    }
  }

  @Test
  void anInputIsProcessedInTheStateThatThoseBeforeItLeadTo() {
    assertEquals(State.STARTING, machine.state());
    machine.offer(new Input.Ready());
    machine.offer(new Input.DcTimeout("no DC was heard of"));
    assertEquals(List.of("offered", "offered"), told, "not from within");
    told.clear();
    world.settle();
    assertEquals(State.ELECTION, machine.state());
    var steps = told.stream().filter(it -> it.startsWith("stepped")).toList();
    assertEquals(List.of("stepped PENDING", "stepped ELECTION"), steps);
    assertEquals("stepped ELECTION", told.getLast());
    assertTrue(told.contains("Vote in ELECTION"), told::toString);
    assertTrue(world.logged("S_PENDING -> S_ELECTION"));
  }

  @Test
  void invalidAndIgnoredInputsChangeNothing() {
    holds = false;
    machine.offer(new Input.Ready());
    world.settle();
    holds = true;
    machine.offer(new Input.TransitionDone());
    world.settle();
    assertEquals(List.of("offered", "offered"), told);
    assertEquals(State.STARTING, machine.state());
  }

  @Test
  void aTableWithAGapOrAContradictionIsRefused() {
    var gap = new Table.Builder().ignore(Input.Ready.class, EnumSet.allOf(State.class), "why not");
    assertThrows(IllegalStateException.class, gap::build);
    assertThrows(
        IllegalStateException.class,
        () -> gap.row(Input.Ready.class, EnumSet.of(State.IDLE), State.IDLE, _ -> List.of()));
    assertThrows(
        IllegalStateException.class,
        () -> gap.ignore(Input.Ready.class, EnumSet.of(State.IDLE), "twice"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Table.Builder().ignore(Input.Ready.class, EnumSet.of(State.IDLE), " "));
  }
}
