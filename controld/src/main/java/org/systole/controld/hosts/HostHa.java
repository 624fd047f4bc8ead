package org.systole.controld.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.io.PeerMessage;

/// Host HA as far as the DC has to do with it. There is something behind it only on a DC, and only if
/// the cluster uses host HA, or has used it and something of that is left to be cleaned up.
public final class HostHa {
  /// What this needs of the controller.
  public interface Host extends HostOrders.Host {
    @Nullable Element cib();

    /// Of this node's term as DC.
    long epoch();

    /// Whether all members know what host HA says.
    boolean knowHostHa();

    /// Whether all members know the reason that something takes a quorum.
    boolean knowQuorumWanted();

    /// Whether this side of the cluster may write what lasts.
    boolean hasQuorum();

    /// Whether the whole cluster is in maintenance.
    boolean isInMaintenance();

    /// Makes changes unless there is a later DC.
    void writeAsDc(List<CibOp> changes, Consumer<Boolean> done);

    /// Has all transient attributes of a remote node forgotten.
    void forgetAttributes(NodeName node);

    /// Runs the alert agents.
    ///
    /// @param host null if it is about more than one
    void alert(@Nullable NodeName host, String text);
  }

  static final String NO_QUORUM = "this side of the cluster has no quorum";

  private final World world;
  private final Host host;
  private @Nullable HostDesk desk;
  private @Nullable String complaint;
  private boolean waits; // for a member to go, or to be of another build

  public HostHa(World world, Host host) {
    this.world = world;
    this.host = host;
  }

  /// This node is DC, and its CIB the primary one.
  public void tookOver() {
    if (desk != null && desk.epoch() != host.epoch()) {
      release();
    }
    begin();
  }

  /// This node is DC no more.
  public void release() {
    if (desk != null) {
      desk.close();
      desk = null;
    }
    complaint = null;
    waits = false;
  }

  private void begin() {
    var cib = host.cib();
    if (desk != null || cib == null) {
      return;
    }
    if (HostHaUse.isConfigured(cib) || HostHaUse.hasLeft(cib)) {
      waits = !host.knowHostHa();
      if (waits) {
        complain(List.of("a member is of a build that knows no host HA"));
        return;
      }
      desk = HostDesk.begin(world, host, cib, this::complain);
    }
  }

  private void complain(List<String> faults) {
    if (faults.isEmpty()) {
      complaint = null;
      return;
    }
    var text = String.join("; ", faults);
    if (!text.equals(complaint)) {
      complaint = text;
      world.log().error("Host HA leaves out of its configuration what makes no sense: " + text);
      host.alert(null, "Host HA leaves out of its configuration what makes no sense: " + text);
    }
  }

  /// The CIB has changed, and this node is DC.
  public void cibChanged(Element before, Element after) {
    var configured = before.first("configuration") != after.first("configuration");
    if (desk == null) {
      if (configured || waits) {
        begin();
      }
      return;
    }
    desk.cibChanged(before, after);
    if (!HostHaUse.isConfigured(after) && !HostHaUse.hasLeft(after) && desk.isIdle()) {
      world.log().notice("Host HA is off, and nothing of it is left");
      release();
    }
  }

  /// A member has answered.
  public void ran(PeerMessage.AgentRan ran) {
    if (desk != null) {
      desk.ran(ran);
    }
  }

  /// A member has read the power of a host.
  public void powerRead(NodeId from, PeerMessage.PowerRead read) {
    if (desk != null) {
      desk.powerRead(from, read);
    }
  }

  /// A node was fenced for somebody else: the cluster starts elsewhere what ran there. Where it is a host that host HA is
  /// about to fence, that has nothing left to do; it would go on to switch off what a person is mending.
  public void fencedByOthers(NodeName node, String why) {
    if (desk != null) {
      desk.fencedByOthers(node, why);
    }
  }

  /// The hosts as they are.
  public CtlMessage.Reply hosts(CtlMessage.HostsQuery query) {
    var why = complaint == null ? null : "host HA leaves out of its settings what makes no sense: " + complaint;
    if (!host.hasQuorum()) {
      why = NO_QUORUM + ": host HA does nothing here, and the other side may know better";
    }
    return desk == null
        ? new CtlMessage.Hosts(List.of(), List.of(), why == null ? List.of() : List.of(why))
        : desk.hosts(query, why);
  }

  /// Does what a person wants about a host. Without a quorum nothing of it would last: the other side would neither
  /// know of it nor heed it.
  ///
  /// @param answer told once, when what has to last of it is on record
  public void order(CtlMessage.OrderHost order, Consumer<CtlMessage.Reply> answer) {
    if (!host.hasQuorum() && order.what() != CtlMessage.HostOrder.CHECK) {
      var why = "%s, so nothing is ordered: what is ordered here would be heeded by nobody";
      answer.accept(new CtlMessage.Refused(noQuorum(host), why.formatted(NO_QUORUM)));
    } else if (desk == null) {
      answer.accept(notInUse());
    } else {
      desk.order(order, answer);
    }
  }

  /// The reason that something takes a quorum, as all members understand it.
  static CtlMessage.Reason noQuorum(Host host) {
    return host.knowQuorumWanted() ? CtlMessage.Reason.NO_QUORUM : CtlMessage.Reason.NOT_NOW;
  }

  private CtlMessage.Reply notInUse() {
    return new CtlMessage.Refused(
        CtlMessage.Reason.NOT_NOW,
        complaint == null
            ? "host HA is switched on for no host"
            : "its configuration makes no sense: " + complaint);
  }

  /// Does all checks of a host once, for a person.
  ///
  /// @param done told once
  public void tryOut(NodeName name, Consumer<CtlMessage.Reply> done) {
    if (desk == null) {
      done.accept(notInUse());
    } else {
      desk.tryOut(name, done);
    }
  }

  static String noHost(NodeName name) {
    return "there is no host %s: hosts are the remote nodes, and crm_hostha --list shows them".formatted(name);
  }

  /// Lines for the log about what is not as it should be, at most a few.
  static List<String> shortened(List<String> all) {
    var max = 10;
    if (all.size() <= max) {
      return all;
    }
    var some = new ArrayList<>(all.subList(0, max));
    some.add("and %d more".formatted(all.size() - max));
    return some;
  }
}
