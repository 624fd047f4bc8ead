package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Channels.Allegiance;
import org.systole.pacemakerd.link.FakeCluster;

/// Process c follows a, and so does b; d is a stranger.
final class LoyaltyProtocolTest {
  private static final short GMS_ID = ClassConfigurator.getProtocolId(GMS.class);

  private final Address a = UUID.randomUUID();
  private final Address b = UUID.randomUUID();
  private final Address c = UUID.randomUUID();
  private final Address d = UUID.randomUUID();
  private final List<Byte> passed = new ArrayList<>();
  private final List<Runnable> later = new ArrayList<>();
  private final List<Runnable> handedOver = new ArrayList<>();
  private FakeCluster cluster;
  private LoyaltyProtocol loyalty;

  @BeforeEach
  void begin() throws Exception {
    cluster = new FakeCluster(3, "");
    loyalty = new LoyaltyProtocol(cluster.new Process(3, JGroupsChannel.address(c)), later::add, handedOver::add);
    loyalty.setUpProtocol(
        new Protocol() {
          @Override
          public Object up(Message message) {
            passed.add(message.<GMS.GmsHeader>getHeader(GMS_ID).getType());
            return null;
          }
        });
    loyalty.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Event event) {
            return null;
          }
        });
    follow(a, Set.of(JGroupsChannel.address(b)));
  }

  private List<Byte> come(Address from, byte type) {
    passed.clear();
    loyalty.up(new EmptyMessage(c).setSrc(from).putHeader(GMS_ID, new GMS.GmsHeader(type)));
    return List.copyOf(passed);
  }

  @Test
  void aStrangersInvitationsAndViewsAreRefusedWhileTheLeaderIsHeard() {
    assertEquals(List.of(), come(d, GMS.GmsHeader.MERGE_REQ));
    assertEquals(List.of(), come(d, GMS.GmsHeader.VIEW));
    assertEquals(List.of(), come(b, GMS.GmsHeader.MERGE_REQ));
    assertEquals(1, come(a, GMS.GmsHeader.MERGE_REQ).size());
    assertEquals(1, come(a, GMS.GmsHeader.VIEW).size());
    assertEquals(1, come(d, GMS.GmsHeader.GET_DIGEST_REQ).size());
    cluster.run(3001);
    assertEquals(1, come(d, GMS.GmsHeader.MERGE_REQ).size());
  }

  @Test
  void aViewOfAnotherMemberWaitsUntilTheLeaderIsSilentForAWhile() {
    assertEquals(List.of(), come(b, GMS.GmsHeader.VIEW));
    later.removeFirst().run();
    assertEquals(List.of(), passed);
    cluster.run(751);
    later.removeFirst().run();
    assertEquals(List.of(GMS.GmsHeader.VIEW), passed);
    assertEquals(List.of(), later);
  }

  @Test
  void aViewOfAnotherMemberIsDroppedIfTheLeaderGoesOn() {
    come(b, GMS.GmsHeader.VIEW);
    for (var ping = 0; ping < 8; ping++) {
      cluster.run(500);
      follow(a, Set.of(JGroupsChannel.address(b)));
      if (!later.isEmpty()) {
        later.removeFirst().run();
      }
    }
    cluster.run(10_000);
    assertEquals(List.of(), later);
    assertEquals(List.of(), passed);
  }

  @Test
  void aProcessIsFreeOnceItsLeaderEndsOrIsInTheOtherView() {
    loyalty.down(new Event(Event.VIEW_CHANGE, View.create(a, 5, a, b, c)));
    assertEquals(List.of(), come(d, GMS.GmsHeader.MERGE_REQ));
    loyalty.down(new Event(Event.VIEW_CHANGE, View.create(d, 6, d, a, b, c)));
    assertEquals(1, come(d, GMS.GmsHeader.VIEW).size());
    follow(b, Set.of());
    assertEquals(List.of(), come(d, GMS.GmsHeader.VIEW));
    loyalty.follow(null);
    assertEquals(1, come(d, GMS.GmsHeader.VIEW).size());
  }

  private void follow(Address leader, Set<org.systole.common.world.Channels.Address> members) {
    loyalty.follow(
        new Allegiance(
            JGroupsChannel.address(leader),
            members,
            Duration.ofMillis(750),
            Duration.ofMillis(3000)));
  }

  @Test
  void theLeaderOfTheLargestPartGoesOnLeading() {
    var order =
        new LargestFirstPolicy()
            .getNewMembership(List.of(List.of(d), List.of(b, a), List.<Address>of()));

    assertEquals(List.of(b, a, d), order);
  }

  /// GMS may wait for an answer of the peer whose messages that thread is to read.
  @Test
  void whoReadsAPeersMessagesDoesNotDeliverViews() {
    InReader.deliver(
        () -> {
          assertEquals(List.of(), come(a, GMS.GmsHeader.INSTALL_MERGE_VIEW));
          assertEquals(List.of(), come(d, GMS.GmsHeader.MERGE_REQ));
        });
    assertEquals(1, handedOver.size(), "a stranger's is refused as ever");
    handedOver.getFirst().run();
    assertEquals(List.of(GMS.GmsHeader.INSTALL_MERGE_VIEW), passed);
    assertEquals(1, come(a, GMS.GmsHeader.INSTALL_MERGE_VIEW).size(), "another thread does");
  }
}
