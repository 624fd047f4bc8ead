package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Levels;
import org.systole.common.output.Rc;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// The cluster's roles beside the CIB: replicated, acknowledged and kept as the configuration is.
class RolesTest {
  private static final long FIRST = 3L << 32 | 2;

  private final CibdInTest node = new CibdInTest();

  private static CibOp steps(String steps) {
    try {
      return CibOp.roles(XmlReader.parse("<steps>" + steps + "</steps>"));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CibOp define(String role) {
    return steps("<role id=\"" + role + "\" jig=\"script\"/>");
  }

  private static @Nullable String xml(CibdInTest.Client client) {
    return client.ask(new CibMessage.RolesQuery("")).answers().getLast().xml();
  }

  private long term() {
    return node.cibd.primary().term();
  }

  @Test
  void aChangeIsAcknowledgedOnceAQuorumHasItOnDisk() {
    node.primary();
    var client = node.client().update(define("clock"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    assertTrue(change.configuration());
    node.says(2, new CibPeerMessage.Ack(term(), change.sequence(), change.sequence() - 1));
    assertEquals(List.of(), client.answers(), "one disk is no quorum");
    node.says(3, new CibPeerMessage.Ack(term(), change.sequence(), change.sequence()));
    assertEquals(Rc.OK, client.answers().getFirst().rc());
    var seen = xml(client);
    assertNotNull(seen);
    assertTrue(seen.contains("<role id=\"clock\" jig=\"script\"/>"), seen);
    assertTrue(seen.contains("what=\"role id=clock\""), seen);
    assertTrue(seen.contains("user=\"root\"") && seen.contains("client=\"test\""), seen);
  }

  @Test
  void theCibStaysAsItWas() {
    node.primary();
    var before = node.cibd.copy().cib();
    node.client().update(define("clock"));
    assertEquals(before, node.cibd.copy().cib());
  }

  @Test
  void whatIsWrongIsRefusedWhole() {
    node.primary();
    var client = node.client().update(steps("<role id=\"a\" jig=\"noop\"/><remove-role role=\"b\"/>"));
    var answer = client.answers().getFirst();
    assertEquals(Rc.BAD_INPUT, answer.rc());
    assertTrue(answer.why().contains("b"), answer.why());
    assertNull(xml(client));
  }

  @Test
  void aMemberIsDeletedOnlyByForce() {
    node.primary();
    assertEquals(Rc.OK, acknowledged("<create-node node=\"other\"/>"));
    var refused = node.client().update(steps("<delete-node node=\"Node2\"/>")).answers().getFirst();
    assertEquals(Rc.BAD_INPUT, refused.rc());
    assertTrue(refused.why().contains("is a member of the cluster"), refused.why());
    assertTrue(refused.why().contains("--force"), refused.why());
    assertEquals(Rc.OK, acknowledged("<delete-node node=\"other\"/>"));
    assertEquals(Rc.OK, acknowledged("<delete-node node=\"node2\" force=\"true\"/>"));
  }

  private Rc acknowledged(String steps) {
    var client = node.client().update(steps(steps));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.says(2, new CibPeerMessage.Ack(term(), change.sequence(), change.sequence()));
    node.says(3, new CibPeerMessage.Ack(term(), change.sequence(), change.sequence()));
    return client.answers().getLast().rc();
  }

  @Test
  void nothingIsChangedWithoutQuorum() {
    node.primary().here(false, 1);
    assertEquals(Rc.NO_QUORUM, node.client().update(define("clock")).answers().getFirst().rc());
  }

  @Test
  void nothingIsChangedWhereAMemberDoesNotKnowRoles() {
    node.primary().atLevel(Levels.ROLES - 1, true, 1, 2, 3);
    var answer = node.client().update(define("clock")).answers().getFirst();
    assertEquals(Rc.EOPNOTSUPP, answer.rc());
    assertTrue(answer.why().contains("upgrade"), answer.why());
  }

  @Test
  void howOftenToLookIsNotSaidWhereAMemberDoesNotKnowIt() {
    node.primary().atLevel(Levels.ROLE_CHECKS - 1, true, 1, 2, 3);
    var looked = steps("<role id=\"clock\" jig=\"script\" check-interval=\"60s\"/>");
    var answer = node.client().update(looked).answers().getFirst();
    assertEquals(Rc.EOPNOTSUPP, answer.rc());
    assertTrue(answer.why().contains("check-interval"), answer.why());
    var before = node.sent(CibPeerMessage.Change.class).size();
    node.client().update(define("clock"));
    assertEquals(before + 1, node.sent(CibPeerMessage.Change.class).size(), "others go on");
  }

  @Test
  void moreRolesAreNotDefinedThanEachMemberTakes() {
    node.primary().atLevel(Levels.MANY_ROLES - 1, true, 1, 2, 3);
    var many = new StringBuilder();
    IntStream.range(0, 1_000).forEach(it -> many.append("<role id=\"r" + it + "\" jig=\"noop\"/>"));
    assertEquals(Rc.OK, acknowledged(many.toString()));
    var answer = node.client().update(define("clock")).answers().getFirst();
    assertEquals(Rc.EOPNOTSUPP, answer.rc());
    assertTrue(answer.why().contains("1000 roles"), answer.why());
    node.atLevel(Levels.MANY_ROLES, true, 1, 2, 3);
    assertEquals(Rc.OK, acknowledged("<role id=\"clock\" jig=\"noop\"/>"));
  }

  @Test
  void onlyTheDcTellsOfMembersAndRuns() {
    node.primary();
    var work = Element.of("role-work").plus(Element.of("lost", "node", "node2"));
    assertEquals(Rc.BAD_INPUT, node.client().update(CibOp.roles(work)).answers().getFirst().rc());
    var client = node.client();
    client.ask(new CibMessage.Update(List.of(CibOp.roles(work)), false, "", "test", 1_000, 4));
    assertEquals(Rc.ECANCELED, client.answers().getFirst().rc(), "of an earlier DC");
  }

  @Test
  void aFollowerAppliesKeepsAndAcknowledgesThem() {
    var primary = node.primary();
    primary.client().update(define("clock"));
    var first = primary.sent(CibPeerMessage.Change.class).getLast();
    primary.client().update(steps("<role id=\"disk\" jig=\"script\"><data>{\"a\":1}</data></role>"));
    var second = primary.sent(CibPeerMessage.Change.class).getLast();

    var follower = new CibdInTest().here(true, 1, 2, 3).follow(2, FIRST);
    follower.sent();
    for (var change : List.of(first, second)) {
      follower.says(
          2,
          new CibPeerMessage.Change(
              FIRST,
              change.sequence(),
              change.patch(),
              change.before(),
              change.after(),
              change.line(),
              true,
              change.done()));
    }
    follower.pass(Duration.ofSeconds(5));
    assertEquals(primary.cibd.copy().roles(), follower.cibd.copy().roles());
    assertEquals(2, follower.sent(CibPeerMessage.Ack.class).getLast().disk());
    var again = follower.again();
    assertEquals(primary.cibd.copy().roles(), again.cibd.copy().roles());
  }

  @Test
  void whoKnowsThemIsToldWhatLeadsOn() {
    node.primary();
    acknowledged("<role id=\"clock\" jig=\"script\"/><role id=\"disk\" jig=\"script\"/>");
    var first = node.cibd.copy().roles();
    assertEquals("cluster-roles", asked(0L).name(), "nothing is known");
    acknowledged("<role id=\"clock\" jig=\"noop\"/>");
    var now = Objects.requireNonNull(node.cibd.copy().roles());
    var patch = asked(Objects.requireNonNull(first).contentHash());
    assertEquals(RolesPatch.NAME, patch.name());
    assertEquals(Long.toString(now.contentHash()), patch.get("after"));
    assertEquals(now, RolesPatch.apply(first, patch));
    assertEquals(0, asked(now.contentHash()).childCount(), "nothing is new");
    assertEquals("cluster-roles", asked(5L).name(), "nobody has told of those");
  }

  private Element asked(long known) {
    try {
      var answer = node.client().ask(new CibMessage.RolesQuery("", known)).answers().getLast();
      return XmlReader.parse(Objects.requireNonNull(answer.xml()));
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void severalPlacesAreChangedAtOnce() {
    var before = tree("1", "2", "3", "4");
    for (var after : List.of(tree("1", "x", "3", "y"), tree("z", "2", "3", "4"), tree("1", "2", "3", "4"))) {
      assertEquals(after, RolesPatch.apply(before, RolesPatch.between(before, after)));
    }
    var wrong = Element.of("at", "place", "/0/9").plus(Element.of("c"));
    assertNull(RolesPatch.apply(before, Element.of(RolesPatch.NAME).plus(wrong)));
  }

  private static Element tree(String... values) {
    var halves = new ArrayList<Element>();
    for (var at = 0; at < values.length; at += 2) {
      halves.add(
          Element.of("half")
              .plus(Element.of("c", "v", values[at], "long", "a text that is long enough"))
              .plus(Element.of("c", "v", values[at + 1], "long", "another one that is long enough")));
    }
    return Element.of("all").withChildren(halves);
  }

  @Test
  void aChangeThatDoesNotFitMakesAFollowerFetchTheWhole() {
    node.here(true, 1, 2, 3).follow(2, FIRST);
    node.sent();
    var state = Element.of("cluster-roles", "version", "1");
    var copy = node.cibd.copy();
    var line = copy.line().next(true, FIRST, false);
    var patch = XmlText.of(RolesPatch.between(null, state));
    node.says(
        2, new CibPeerMessage.Change(FIRST, 1, patch, 77, 88, line, true, List.of()));
    assertEquals(1, node.sent(CibPeerMessage.AskWhole.class).size());
    node.says(2, new CibPeerMessage.RolesWhole(FIRST, 1, state.toString()))
        .says(
            2,
            new CibPeerMessage.Whole(
                FIRST, 1, line, List.of(), copy.cib().toString(), List.of()));
    assertEquals(state, node.cibd.copy().roles());
  }

  @Test
  void aWholeOfABuildThatKnowsNoRolesLeavesThem() {
    node.primary();
    node.client().update(define("clock"));
    var mine = node.cibd.copy().roles();
    var copy = node.cibd.copy();
    var later = term() + (1L << 32);
    var line = copy.line().taken(true, later);
    node.says(2, new CibPeerMessage.Announce(later, 6, true, 0, line, copy.cib().contentHash()));
    assertEquals(1, node.sent(CibPeerMessage.AskWhole.class).size());
    node.says(
        2,
        new CibPeerMessage.Whole(
            later, 0, line, copy.history(), copy.cib().toString(), List.of()));
    assertNotNull(mine);
    assertEquals(mine, node.cibd.copy().roles());
  }

  /// That its roles are lost makes its configuration no older: what is in it may have been confirmed.
  @Test
  void rolesThatWereDamagedAreSetAsideAndTheConfigurationStaysAsNewAsItIs() {
    node.primary();
    node.client().update(define("clock"));
    node.pass(Duration.ofSeconds(5));
    var line = node.cibd.copy().line();
    assertNotEquals(Line.NONE, line);
    var files = node.world.disk().files();
    var text = new String(files.get(RolesFile.NAME), StandardCharsets.UTF_8);
    files.put(
        RolesFile.NAME, text.replace("clock", "cluck").getBytes(StandardCharsets.UTF_8));
    var again = node.again();
    assertNull(again.cibd.copy().roles());
    assertEquals(line, again.cibd.copy().line());
    assertTrue(again.cibd.copy().rolesLost());
    again.pass(Duration.ofSeconds(1));
    assertTrue(again.world.disk().files().containsKey("roles-unusable-0.xml"));
  }

  /// A node whose roles were cut short.
  private CibdInTest torn() {
    node.primary();
    node.client().update(define("clock"));
    node.pass(Duration.ofSeconds(5));
    var files = node.world.disk().files();
    files.put(RolesFile.NAME, Arrays.copyOf(files.get(RolesFile.NAME), 40));
    return node.again();
  }

  private static String asked(CibdInTest node, CibOp op) {
    var answer = node.client().update(op).answers();
    return answer.isEmpty() ? "made" : answer.getFirst().why();
  }

  @Test
  void rolesThatAreLostAreNotTakenForNone() {
    var first = torn();
    first.primary();
    assertTrue(asked(first, define("clock")).contains("are lost"));
    var again = first.again(); // its file is gone by now
    again.primary();
    assertTrue(asked(again, define("clock")).contains("are lost"), "after another start, too");
    var told = again.client().ask(new CibMessage.RolesQuery("")).answers().getLast();
    assertTrue(told.why().contains("--begin-anew"), told.why());

    var request = Element.of("steps", "anew", "true");
    assertEquals("made", asked(again, CibOp.roles(request)));
    var roles = Objects.requireNonNull(again.cibd.copy().roles());
    assertTrue(Numbers.parse(roles.get("spent", ""), 0) > 1_000_000, roles.toString());
    assertEquals("made", asked(again, define("clock")));
    again.pass(Duration.ofSeconds(5));
    assertEquals(Set.of(), lostFiles(again));
    assertTrue(asked(again, CibOp.roles(request)).contains("not lost"));
  }

  private static Set<String> lostFiles(CibdInTest node) {
    return node.world.disk().files().keySet().stream()
        .filter(it -> it.equals(RolesFile.LOST))
        .collect(Collectors.toSet());
  }

  @Test
  void aMemberThatHasThemGivesThem() {
    var roles = "<cluster-roles version=\"1\"><roles-document version=\"1\" domain=\"\"/></cluster-roles>";
    var first = torn();
    first.here(true, 1, 2, 3);
    first.client().ask(new CibMessage.SetPrimary(5));
    var collect = first.sent(CibPeerMessage.Collect.class).getLast();
    var copy = first.cibd.copy();
    first.says(1, position(copy, collect.term(), copy.line(), false));
    first.says(2, position(copy, collect.term(), copy.line(), null));
    first.says(3, position(copy, collect.term(), Line.NONE, true));
    assertEquals(1, first.sent(CibPeerMessage.AskWhole.class).size(), "of the third");
    first
        .says(3, new CibPeerMessage.RolesWhole(collect.term(), 0, roles))
        .says(3, new CibPeerMessage.Whole(collect.term(), 0, Line.NONE, List.of(), "<other/>", List.of()));
    assertEquals(roles, XmlWriter.compact(Objects.requireNonNull(copy.roles())));
    assertTrue(first.cibd.primary().isPrimary());
    assertTrue(copy.cib().is("cib"), "its CIB stays");
    first.pass(Duration.ofSeconds(5));
    assertEquals(Set.of(), lostFiles(first));
    assertEquals(true, first.sent(CibPeerMessage.Announce.class).getLast().roles());
  }

  private static CibPeerMessage.Position position(
      CibCopy copy, long term, Line line, @Nullable Boolean roles) {
    return new CibPeerMessage.Position(
        term, line, List.of(), false, CibVersion.of(copy.cib()), copy.hash(), roles, null);
  }

  @Test
  void aNodeThatComesIsAskedForThemWhileTheyAreLost() {
    var first = torn();
    first.primary();
    var before = first.sent(CibPeerMessage.Collect.class).size();
    first.here(true, 1, 2).here(true, 1, 2, 3);
    assertTrue(first.sent(CibPeerMessage.Collect.class).size() > before);
  }

  @Test
  void rolesThatAreReplacedByNoneOrByThoseOfAnotherDocumentAreKeptAside() {
    for (var next : new @Nullable String[] {null, "<cluster-roles version=\"1\" anew=\"7\" spent=\"9\"/>"}) {
      var test = new CibdInTest();
      test.primary();
      test.client().update(define("clock"));
      var copy = test.cibd.copy();
      var later = test.cibd.primary().term() + (1L << 32);
      var line = copy.line().taken(true, later);
      test.says(2, new CibPeerMessage.Announce(later, 6, true, 0, line, 4711));
      test.says(2, new CibPeerMessage.RolesWhole(later, 0, next))
          .says(2, new CibPeerMessage.Whole(later, 0, line, copy.history(), copy.cib().toString(), List.of()));
      test.pass(Duration.ofSeconds(1));
      var now = copy.roles();
      assertEquals(next, now == null ? null : XmlWriter.compact(now));
      assertTrue(test.world.disk().files().containsKey("roles-lost-0.xml"), "" + next);
    }
  }

  @Test
  void theControllerOfTheDcIsToldOfChangesAndAsks() {
    node.primary();
    var watcher = node.client().ask(new CibMessage.SetPrimary(5));
    watcher.answers();
    assertEquals(List.of(), watcher.events());
    node.client().update(define("clock"));
    assertTrue(watcher.events().contains(new CibMessage.RolesChanged()));
    var watched = xml(watcher);
    assertNotNull(watched);
    assertTrue(watched.contains("clock"), watched);
  }

  @Test
  void oneElementThatChangesTravelsAlone() {
    var before = Element.of("a").plus(Element.of("b").plus(Element.of("c", "x", "1")));
    var after = Element.of("a").plus(Element.of("b").plus(Element.of("c", "x", "1").withText("t")));
    for (var at = 0; at < 50; at++) {
      before = before.plus(Element.of("d", "n", "" + at));
      after = after.plus(Element.of("d", "n", "" + at));
    }
    var patch = RolesPatch.between(before, after);
    assertEquals("/0/0", patch.child(0).get("place"));
    assertEquals(after, RolesPatch.apply(before, patch));
  }
}
