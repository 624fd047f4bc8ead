package org.systole.controld.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

final class CibLinkTest {
  private final TestWorld world = new TestWorld();
  private final TestCib cib = new TestCib(world);
  private final List<String> told = new ArrayList<>();
  private final CibLink link = new CibLink(world, new Listener());

  private final class Listener implements CibLink.Listener {
    @Override
    public void cibReady() {
      told.add("ready");
    }

    @Override
    public void cibEpoch(long highest) {
      told.add("epoch " + highest);
    }

    @Override
    public void cibChanged(Element before, Element after) {
      told.add("changed");
    }

    @Override
    public void rolesChanged() {}

    @Override
    public void cibLost(String why) {
      told.add("lost");
    }
  }

  private void open() {
    link.open();
    world.settle();
    told.clear();
  }

  private static CibOp node(int id) {
    return CibOp.put("status", Element.of("node_state", "id", String.valueOf(id)));
  }

  private static String put(int id) {
    return "cib_modify status <node_state id=\"" + id + "\"/>";
  }

  private void write(int id) {
    link.write(List.of(node(id)), fine -> told.add(id + " " + fine));
    world.settle();
  }

  private void settled(String what) {
    link.whenSettled(() -> told.add(what));
    world.settle();
  }

  private List<String> told() {
    var now = List.copyOf(told);
    told.clear();
    return now;
  }

  @Test
  void itIsReadyOnceItHasACopyAndKnowsTheHighestEpoch() {
    cib.epoch = 2049;
    cib.keep();
    link.open();
    world.settle();
    assertEquals(List.of(), told(), "the epoch is not known yet");
    assertFalse(link.isReady());
    cib.answerAll();
    assertEquals(List.of("epoch 2049", "ready"), told());
    assertTrue(link.isReady());
  }

  @Test
  void aCibManagerThatIsBackIsReadyAgain() {
    open();
    cib.peer.goes("killed");
    assertEquals(List.of("lost"), told());
    assertFalse(link.isReady());
    cib.peer.comes();
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("epoch 0", "ready"), told());
  }

  @Test
  void aStatusThatDoesNotComeIsAskedForAgain() {
    cib.keep();
    link.open();
    world.pass(Duration.ofSeconds(11));
    assertEquals(2, cib.peer.received(CibMessage.Ping.class).size());
  }

  @Test
  void aChangeIsToldAndItsWriterToo() {
    open();
    write(7);
    assertEquals(List.of("7 true", "changed"), told().stream().sorted().toList());
    cib.change(node(8));
    assertEquals(List.of("changed"), told());
  }

  @Test
  void aFailedWriteIsReported() {
    open();
    cib.refuse(Rc.EACCES);
    write(7);
    assertEquals(List.of("7 false"), told());
    assertTrue(world.logged("Cannot update the CIB"));
    cib.refuse(Rc.ECANCELED);
    write(8);
    assertEquals(List.of("8 false"), told());
    assertTrue(world.logged("came too late"));
    assertTrue(link.settled());
  }

  @Test
  void unansweredWritesAreSentAgainInTheirOrder() {
    open();
    cib.keep();
    write(7);
    write(8);
    cib.peer.goes("killed");
    cib.forgetKept();
    write(9);
    assertEquals(List.of("lost"), told());
    cib.peer.comes();
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(put(7), put(8), put(9)), cib.written());
    assertEquals(3, told().stream().filter(it -> it.endsWith("true")).count());
  }

  @Test
  void aWriteIsGivenUpInTheEnd() {
    open();
    cib.keep();
    write(7);
    world.pass(Duration.ofSeconds(121));
    assertFalse(told().contains("7 false"));
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("7 false"), told());
  }

  @Test
  void onlySoManyWritesWait() {
    open();
    cib.keep();
    for (var i = 0; i < 20_000; i++) {
      link.write(node(1));
    }
    write(7);
    assertEquals(List.of("7 false"), told());
    assertTrue(world.logged("too many changes"));
    cib.answerAll();
    write(8);
    assertTrue(told().contains("8 true"));
  }

  @Test
  void onlyWritesAsDcBearItsEpoch() {
    open();
    link.writeAsDc(List.of(node(1)), 4096, _ -> {});
    link.write(List.of(node(1)), _ -> {});
    world.settle();
    assertEquals(
        List.of(4096L, 0L),
        cib.peer.received(CibMessage.Update.class).stream().map(CibMessage.Update::dcEpoch).toList());
  }

  // Nothing is decided from a copy that lacks what was written

  @Test
  void nothingIsSettledBeforeTheCopyHasWhatWasWritten() {
    open();
    cib.tells(false);
    write(7);
    settled("plan");
    assertEquals(List.of("7 true"), told());
    assertFalse(link.settled());
    cib.tells(true);
    assertEquals(List.of("changed", "plan"), told());
    assertTrue(link.settled());
  }

  @Test
  void nothingIsSettledWhileAWriteIsOut() {
    open();
    cib.keep();
    write(7);
    settled("plan");
    world.pass(Duration.ofSeconds(60));
    assertEquals(List.of(), told());
    cib.answerAll();
    assertEquals(List.of("7 true", "changed", "plan"), told());
  }

  @Test
  void aVersionThatNeverComesIsNotWaitedForForEver() {
    open();
    cib.tells(false);
    write(7);
    settled("plan");
    world.pass(Duration.ofSeconds(4));
    assertEquals(List.of("7 true"), told());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("plan"), told(), "another CIB has taken the place of that one");
  }

  @Test
  void theLaterTaskCountsAndOneThatIsForgottenDoesNot() {
    open();
    cib.keep();
    write(7);
    settled("one");
    settled("two");
    cib.answerAll();
    assertTrue(told().stream().filter(it -> it.equals("one") || it.equals("two")).toList()
        .equals(List.of("two")));
    cib.keep();
    write(8);
    settled("three");
    link.forgetWaiting();
    cib.answerAll();
    assertFalse(told().contains("three"));
  }

  @Test
  void aWriteOfAnotherDaemonIsWaitedForBriefly() {
    open();
    link.expect(
        now -> now.find(it -> "9".equals(it.id())) != null, Duration.ofSeconds(1), () -> told.add("written"));
    settled("plan");
    assertEquals(List.of(), told());
    cib.change(node(8));
    assertEquals(List.of("changed"), told());
    cib.change(node(9));
    assertEquals(List.of("changed", "written", "plan"), told());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), told());

    link.expect(_ -> false, Duration.ofSeconds(1), () -> told.add("not written"));
    settled("plan");
    world.pass(Duration.ofMillis(900));
    assertEquals(List.of(), told());
    world.pass(Duration.ofMillis(200));
    assertEquals(List.of("not written", "plan"), told());
  }

  // Taking over

  private void takeOver(long epoch) {
    link.setPrimary(epoch, problem -> told.add("primary " + epoch + ": " + problem));
    world.settle();
  }

  @Test
  void aTakeoverIsAskedForAgainWhenTheCibManagerIsBack() {
    open();
    cib.peer.goes("killed");
    told();
    takeOver(1025);
    assertEquals(List.of(), told());
    cib.peer.comes();
    world.pass(Duration.ofSeconds(2));
    assertTrue(told().contains("primary 1025: null"));
    assertEquals(List.of("primary 1025"), cib.written());
  }

  @Test
  void theCopyIsNotReportedWhileItMayBeFromBeforeTheTakeover() {
    open();
    cib.keep();
    takeOver(1025);
    cib.change(node(8));
    assertEquals(List.of(), told());
    cib.answerAll();
    assertEquals(List.of("changed", "primary 1025: null"), told());
    cib.change(node(9));
    assertEquals(List.of("changed"), told());
  }

  @Test
  void aCopyThatLagsBehindTheTakeoverIsWaitedFor() {
    open();
    cib.tells(false);
    cib.change(node(8));
    takeOver(1025);
    assertEquals(List.of("primary 1025: null"), told());
    cib.tells(true);
    assertEquals(List.of("changed"), told());
  }

  @Test
  void anEarlierTakeoverIsNoLongerAnswered() {
    open();
    cib.keep();
    takeOver(1025);
    takeOver(2049);
    cib.answerAll();
    assertEquals(List.of("primary 2049: null"), told());
  }

  @Test
  void aRefusedTakeoverIsReported() {
    open();
    cib.refuse(Rc.ECANCELED);
    takeOver(1025);
    assertTrue(told().getFirst().startsWith("primary 1025: "));
    assertFalse(told().contains("primary 1025: null"));
  }

  @Test
  void aTakeoverEndsWhenTheNodeHandsOver() {
    open();
    cib.keep();
    takeOver(1025);
    link.setSecondary();
    cib.answerAll();
    assertEquals(List.of(), told());
    assertEquals(List.of("primary 1025", "secondary"), cib.written());
    cib.peer.goes("killed");
    link.setSecondary(); // one that is started anew is none
    cib.peer.comes();
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), cib.written());
  }

  @Test
  void aCopyOlderThanTheTakeoverIsNotReported() {
    open();
    cib.keep();
    takeOver(1025);
    cib.change(node(7));
    cib.tells(false);
    cib.change(node(8));
    cib.answerAll();
    assertEquals(List.of("primary 1025: null"), told(), "the copy lacks what the primary has");
    world.pass(Duration.ofSeconds(4));
    assertEquals(List.of(), told());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("changed"), told(), "but not for ever");
  }

  @Test
  void aTakeoverThatIsLostWithTheCibManagerIsNotAnsweredTwice() {
    open();
    cib.keep();
    takeOver(1025);
    cib.peer.goes("killed");
    cib.forgetKept();
    assertEquals(List.of("lost"), told());
    cib.peer.comes();
    world.pass(Duration.ofSeconds(2));
    assertEquals(1, told().stream().filter("primary 1025: null"::equals).count());
  }

  @Test
  void aReplacedCibIsWaitedForAfreshEachTime() {
    open();
    cib.tells(false);
    write(7);
    settled("one");
    cib.tells(true);
    told();
    world.pass(Duration.ofSeconds(4));
    cib.tells(false);
    write(8);
    settled("two");
    world.pass(Duration.ofSeconds(4));
    assertEquals(List.of("8 true"), told());
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("two"), told());
  }
}
