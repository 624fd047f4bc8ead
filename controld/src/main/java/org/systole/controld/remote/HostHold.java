package org.systole.controld.remote;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// A connection that is lost while host HA looks after its host. It does not count as failed: host HA
/// finds out how the host is, and until then nothing that runs there is given up. Once host HA holds the
/// host to be well, or to be none of its business, the connection is made anew; one that cannot be made
/// then has failed.
///
/// A host that was fenced meanwhile and then left to the cluster, since a person has cleared it or host HA was switched off, runs
/// nothing: that its connection cannot be made yet, as it is off or on its way up, is no failure either. It is tried until it
/// can be made.
///
/// Where the CIB names another member for the connection, that one makes it: this one has given it away, and
/// lost it before the other had it. Both would take the node from each other, and what one of them asks for
/// then fails.
///
/// Where another member has taken the node over, and this side of the cluster has no quorum, that is the
/// other side's right: the connection is not made anew, or both sides would take the node from each other
/// without end, and what each has under way there would fail.
final class HostHold {
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration WITHIN = Duration.ofSeconds(10);
  private static final Duration UNTIL_IT_IS_ON = Duration.ofSeconds(10);

  /// What it needs of its connection.
  interface Way {
    /// Makes the connection anew; nothing of what runs there is taken for granted.
    ///
    /// @param done told once, with why it could not be made, or null
    void reopen(Duration within, ConnectionMonitors.Told done);

    /// Whether somebody has a connection of his own to the node, for a moment.
    boolean isVisited();

    /// It has failed.
    void failed(String why);

    /// Another member has it: this one says nothing of it any more, unless it is just being handed over, or made.
    void letGo();
  }

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private final Way way;
  private boolean on;
  private boolean opening;
  private boolean overtaken;
  private boolean seen; // by the CIB that came last
  private String why = "";

  HostHold(World world, RemoteHost host, NodeName node, Way way) {
    this.world = world;
    this.host = host;
    this.node = node;
    this.way = way;
  }

  boolean isOn() {
    return on;
  }

  /// Whether host HA looks after the host.
  boolean isFor() {
    var status = HostStatus.of(host.cib(), node);
    return status != null && status.isManaged();
  }

  /// The connection cannot be made.
  ///
  /// @return whether that is host HA's affair, and no failure
  boolean begin(String reason) {
    if (!isFor() || isLetGo()) {
      return false;
    }
    begun(reason);
    var lost = List.of(List.of(RemoteRecords.lost(node, host.nodeName())));
    UntilWritten.write(world, host, lost, () -> on && !opening, Long.MAX_VALUE, _ -> {});
    return true;
  }

  /// Whether the status calls a host available whose connection was stopped in good order: the DC is about to say otherwise.
  /// Taken at its word, a start that nobody can make would count as made, and then as lost: the host would be fenced.
  private boolean isLetGo() {
    var state = RemoteRecords.state(host.cib(), node);
    var status = HostStatus.of(host.cib(), node);
    return state != null
        && status != null
        && status.state().equals("AVAILABLE")
        && !status.lost()
        && RemoteRecords.since(state).equals("0");
  }

  /// The connection was there, and is lost. Another member may have it by now, which the CIB then says, or will
  /// have said before it is changed.
  ///
  /// @return whether that is host HA's affair, and no failure
  boolean beginLost(String reason) {
    if (!isFor()) {
      return false;
    }
    begun(reason);
    writeLost();
    return true;
  }

  private void writeLost() {
    host.writeIfThere(
        RemoteRecords.lostUnlessTaken(node, host.nodeName()),
        made -> {
          if (!made) {
            world.after(AGAIN, this::writeLostAgain);
          }
        });
  }

  /// What was not written may be another member's to say. Who has the connection by now can be lost, and would be missed by
  /// nobody where this member, which does not make it anew, claimed to have it, too.
  private void writeLostAgain() {
    if (!on || opening) {
      return;
    }
    if (!RemoteRecords.isTaken(host.cib(), node, host.nodeName())) {
      writeLost();
    } else if (isAnothers()) {
      way.letGo();
    }
  }

  /// Before this member is let in. Where another side's CIB has won, that does not say that the connection is lost: nobody
  /// would make it anew, nor ask the host by another one.
  void rejoined() {
    if (on && !opening) {
      writeLost();
    }
  }

  private void begun(String reason) {
    on = true;
    opening = false;
    overtaken = false;
    why = reason;
    world.log().notice("What becomes of %s is for host HA to say".formatted(node));
  }

  /// The connection was lost because another member has made one.
  void overtaken() {
    overtaken = on;
  }

  /// It is connected again, stopped, or has failed.
  void end() {
    on = false;
    opening = false;
    overtaken = false;
  }

  /// Whether host HA has come to hold the node to be fenced while it is connected: a person was wrong, or a fence device.
  /// What the CIB says of it then is not true of this connection any more, which nobody would make anew.
  ///
  /// @param connected whether it is, and the CIB was told
  boolean isFencedAway(Element cib, boolean connected) {
    var state = connected ? RemoteRecords.state(cib, node) : null;
    if (state == null) {
      seen = false;
      return false;
    }
    if (!RemoteRecords.since(state).equals("0")) {
      seen = true;
      return false;
    }
    var status = HostStatus.of(state);
    return seen && status != null && status.hold() == HostStatus.Hold.DOWN && RemoteRecords.isDownAndClean(state);
  }

  /// Whether it is on, and the CIB names another member that has the connection, and has not stopped it since.
  boolean isAnothers() {
    return on && isAnothers(host.cib());
  }

  private boolean isAnothers(@Nullable Element cib) {
    return RemoteRecords.isTaken(cib, node, host.nodeName()) && RemoteRecords.connection(cib, node) != null;
  }

  /// The CIB has changed, and with it perhaps what host HA says.
  void cibChanged(Element cib) {
    if (!on || opening || overtaken && "0".equals(cib.get("have-quorum"))) {
      return;
    }
    if (isAnothers(cib)) {
      return;
    }
    var status = HostStatus.of(cib, node);
    if (status != null && status.isManaged() && !status.state().equals("AVAILABLE")) {
      return;
    }
    if (status != null && status.isManaged() && !status.lost()) {
      return; // what was known before it was lost
    }
    opening = true;
    if (way.isVisited()) {
      again(AGAIN); // a newer connection would take the node over from one that is being used
    } else {
      way.reopen(WITHIN, this::reopened);
    }
  }

  private void again(Duration wait) {
    world.after(
        wait,
        () -> {
          var cib = host.cib();
          if (on && opening && cib != null) {
            opening = false;
            var status = HostStatus.of(cib, node);
            if (status != null && status.isManaged() && !status.lost()) {
              writeLost(); // another side's CIB has won meanwhile
            } else {
              cibChanged(cib);
            }
          }
        });
  }

  private void reopened(@Nullable String wrong) {
    if (!on) {
      return;
    }
    if (wrong == null) {
      end();
      return;
    }
    var status = HostStatus.of(host.cib(), node);
    if (status != null && status.isManaged()) {
      again(AGAIN);
      return;
    }
    var state = RemoteRecords.state(host.cib(), node);
    if (state != null && RemoteRecords.isDownAndClean(state)) {
      again(UNTIL_IT_IS_ON);
      return;
    }
    end();
    way.failed(why + "; again: " + wrong);
  }
}
