package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class UnfinishedTest {
  private static final String MEMBER = "2001:db8::1";

  private final Unfinished unfinished = new Unfinished(new Random(1));

  /// A connection from an address.
  private static final class From extends Socket {
    private final InetAddress address;
    private boolean closed;

    From(String address) {
      this.address = InetAddress.ofLiteral(address);
    }

    @Override
    public InetAddress getInetAddress() {
      return address;
    }

    @Override
    public synchronized void close() {
      closed = true;
    }
  }

  private From comes(String address) {
    var socket = new From(address);
    unfinished.enter(socket);
    return socket;
  }

  private List<From> comeFromEverywhere(int many) {
    var all = new ArrayList<From>();
    for (var at = 0; at < many; at++) {
      all.add(comes("2001:db8::1:%x".formatted(at)));
    }
    return all;
  }

  private void wasHereBefore(String address) {
    var before = comes(address);
    unfinished.proved(before);
    unfinished.leave(before);
  }

  @Test
  void aCrowdFromManyAddressesDoesNotDriveOutWhoComesFromWhereSomebodyHasProvedHimself() {
    wasHereBefore(MEMBER);
    var member = comes(MEMBER);
    comeFromEverywhere(10 * Unfinished.ALL);
    assertFalse(member.closed);
  }

  @Test
  void aCrowdFromOneAddressDrivesOutItsOwnThoughSomebodyHasProvedHimselfThere() {
    wasHereBefore(MEMBER);
    var stranger = comes("192.0.2.1");
    var all = new ArrayList<From>();
    for (var at = 0; at <= Unfinished.PER_ADDRESS; at++) {
      all.add(comes(MEMBER));
    }
    assertEquals(1, all.stream().filter(it -> it.closed).count());
    assertFalse(all.getLast().closed);
    assertFalse(stranger.closed);
  }

  /// Users of a member, and its containers, come from its address. It tries each second.
  @Test
  void aCrowdFromAMembersOwnAddressDoesNotDriveOutEachAttemptOfTheMember() {
    var finished = 0;
    for (var attempt = 0; attempt < 100; attempt++) {
      var member = comes(MEMBER);
      for (var at = 0; at < 2 * Unfinished.PER_ADDRESS; at++) {
        comes(MEMBER);
      }
      finished += member.closed ? 0 : 1;
      unfinished.leave(member);
    }
    assertTrue(finished > 5, "only %d of 100".formatted(finished));
  }

  @Test
  void aCrowdFromAllAddressesThatLeadBackToThisMachineDrivesOutItsOwn() {
    var member = comes(MEMBER);
    for (var at = 0; at < 10 * Unfinished.ALL; at++) {
      comes("127.0.%d.%d".formatted(at / 200, 1 + at % 200));
    }
    assertFalse(member.closed);
  }

  @Test
  void aCrowdFromSomeAddressesDoesNotDriveOutAMemberThatComesForTheFirstTime() {
    var member = comes(MEMBER);
    for (var at = 0; at < 10 * Unfinished.ALL; at++) {
      comes("192.0.2." + at % 30);
    }
    assertFalse(member.closed);
  }

  @Test
  void whereAllComeFromKnownAddressesTheOldestGoes() {
    for (var at = 0; at <= Unfinished.ALL; at++) {
      wasHereBefore("192.0.2." + at);
    }
    var all = new ArrayList<From>();
    for (var at = 0; at <= Unfinished.ALL; at++) {
      all.add(comes("192.0.2." + at));
    }
    assertEquals(1, all.stream().filter(it -> it.closed).count());
    assertTrue(all.getFirst().closed);
  }

  @Test
  void whatIsKnownHasAnEnd() {
    wasHereBefore(MEMBER);
    for (var at = 0; at < 300; at++) {
      wasHereBefore("2001:db8::2:%x".formatted(at));
    }
    var member = comes(MEMBER);
    comeFromEverywhere(Unfinished.ALL);
    assertTrue(member.closed);
  }
}
