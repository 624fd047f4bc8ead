package org.systole.controld.roles;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.io.PeerMessage;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.live.DcWork;
import org.systole.roles.live.SeenRoles;

/// The DC's work on the cluster's roles. Whenever they, the members or a run change, it looks at the
/// replicated document and does the next thing that is due: tells who is a member, reports ends of
/// runs, asks nodes about runs of another DC, begins what the annealer finds due, sets the nodes'
/// attributes. It keeps nothing that the document does not say, but for orders under way, so a new
/// DC goes on where the last one ended.
///
/// A run is written into the document, and held by a quorum on disk, before its jig is ordered. Of a
/// run that is in the document and that this DC has not ordered, the node is asked. Only the node knows
/// whether it began.
///
/// In a cluster without roles it hears and does nothing.
public final class RoleDirector {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration AGAIN = Duration.ofSeconds(5);
  private static final Duration COMPARED = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofSeconds(10);

  /// What it needs of the controller.
  public interface Host {
    /// Whether this node is DC and the others have joined it.
    boolean governs();

    long epoch();

    /// The nodes that have joined this DC.
    List<NodeId> joined();

    NodeName nodeName(NodeId node);

    @Nullable NodeId nodeId(NodeName node);

    boolean isMember(NodeId node);

    /// Whether all members know of checks.
    boolean knowsChecks();

    /// Whether all members can end a run.
    boolean knowsEnding();

    /// The number of the membership in which a node's stay began.
    long stay(NodeName node);

    /// Whether nothing is to be begun on a node: it is in maintenance.
    boolean isLeftAlone(NodeName node);

    /// The roles that the join gate waits for.
    List<String> gate();

    void send(NodeId node, PeerMessage message);

    void setAttribute(String name, NodeName node, @Nullable String value);

    /// Runs the alerts: a role of a node is in a state that is to be known.
    void alert(NodeName node, String role, String state, String text);

    /// The attributes `#role-...` of nodes that the CIB has.
    SortedMap<NodeName, SortedMap<String, String>> roleAttributes();

    /// Reads the roles.
    ///
    /// @param known the content hash of what is known already, 0 for nothing; the answer may be what
    ///     leads on from there, see [CibMessage.RolesQuery]
    void readRoles(long known, Consumer<CibMessage.Answer> done);

    /// Asks the CIB manager for a change as the DC of this term.
    void changeRoles(Element request, Duration timeout, Consumer<CibMessage.Answer> done);

    /// A plan that had to wait for the roles can be made.
    void mayPlan();

    /// What the last plan was made with is so no more.
    void planAgain(String why);
  }

  private final World world;
  private final Host host;
  private final TreeMap<RunKey, PeerMessage> begun = new TreeMap<>(); // written, but not ordered yet; the orders
  private final TreeMap<RunKey, Boolean> ordered = new TreeMap<>(); // or asked for; whether it may be ended
  private final Set<RunKey> unwanted = new TreeSet<>(); // nodes were told lately to end them
  private final TreeMap<RunKey, RunEnd> ended = new TreeMap<>(); // but not written yet
  private final TreeMap<RunKey, String> found = new TreeMap<>(); // by checks, but not written yet
  private final SeenRoles roles = new SeenRoles();
  private final RoleChecks checks;
  private final RoleNews news;
  private final PlannedRoles planned = new PlannedRoles();
  private final SortedMap<NodeName, SortedMap<String, String>> told = new TreeMap<>();
  private final Set<List<Element>> carriedOut = new HashSet<>(); // of the document as it is
  private long document; // its hash
  private long term; // rises with each begin and end: answers of an earlier one are ignored
  private boolean active;
  private boolean present; // there are roles
  private boolean unreadable; // the last time
  private boolean busy;
  private boolean again;
  private World.@Nullable Timer timer;
  private World.@Nullable Timer comparison; // of the attributes

  public RoleDirector(World world, Host host) {
    this.world = world;
    this.host = host;
    this.news = new RoleNews(host::alert);
    this.checks =
        new RoleChecks(
            world,
            it -> {
              found.put(it.getKey(), it.getValue());
              look();
            });
  }

  /// This node is DC, and a join round has ended.
  public void joined() {
    active = true;
    if (present) {
      look();
    }
  }

  /// The CIB manager is gone; it tells again that there are roles once it is the primary.
  public void cibLost() {
    forget();
  }

  /// This node is DC no more.
  public void end() {
    active = false;
    forget();
  }

  private void forget() {
    term++;
    carriedOut.clear();
    roles.forget();
    news.forget();
    planned.forget();
    present = false;
    unreadable = false;
    busy = false;
    again = false;
    begun.clear();
    ordered.clear();
    unwanted.clear();
    ended.clear();
    found.clear();
    checks.end();
    told.clear();
    cancelTimer();
    if (comparison != null) {
      comparison.cancel();
      comparison = null;
    }
  }

  /// There are roles, or they changed. It may be told before the others have joined this DC.
  public void changed() {
    present = true;
    if (active) {
      look();
    }
  }

  /// Who is a member, or what the configuration says, changed.
  public void membersChanged() {
    if (active && present) {
      look();
    }
  }

  /// Whether a plan may be made: a new DC knows of no gate whether it is open before it has read the roles.
  public boolean mayPlan() {
    return roles.last() != null || unreadable || !active || !present;
  }

  /// The CIB as a plan is to see it, see [PlannedRoles].
  public Element inPlan(Element cib) {
    var seen = roles.last();
    return seen == null ? cib : planned.correct(cib, new RoleWork(seen, host).attributes());
  }

  /// What became of a run.
  public void news(NodeId from, PeerMessage.JigNews it) {
    var key = RunKey.of(it.noderole(), it.run());
    if (!active || key == null || !host.nodeName(from).equals(key.id().node())) {
      return;
    }
    ended.put(key, RunReports.end(key, it));
    look();
  }

  /// What a check has found.
  public void checked(NodeId from, PeerMessage.CheckNews it) {
    var key = RunKey.of(it.noderole(), it.run());
    if (active && key != null && host.nodeName(from).equals(key.id().node())) {
      checks.news(key, it);
    }
  }

  private void look() {
    if (!active || !present || !host.governs()) {
      return;
    }
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    var mine = term;
    var known = roles.element();
    host.readRoles(
        known == null ? 0 : known.contentHash(),
        answer -> {
          if (mine != term) {
            return;
          }
          busy = false;
          var couldPlan = mayPlan();
          unreadable = !answer.rc().isOk() || answer.xml() == null;
          if (unreadable) {
            later();
          } else {
            see(answer.xml());
          }
          if (!couldPlan && mayPlan()) {
            host.mayPlan();
          }
          lookAgain();
        });
  }

  private void lookAgain() {
    if (again && !busy) {
      again = false;
      look();
    }
  }

  private void see(String xml) {
    RoleWork work;
    try {
      var element = whole(XmlReader.parse(xml));
      if (element == null) {
        roles.forget(); // to be told the whole
        again = true;
        return;
      }
      work = new RoleWork(roles.see(element), host);
      if (element.contentHash() != document) {
        document = element.contentHash();
        carriedOut.clear();
      }
    } catch (XmlException | DocumentFault e) {
      world.log().error("The cluster's roles cannot be read: " + e.getMessage());
      unreadable = true;
      return;
    }
    news.see(work.live(), host::roleAttributes);
    var attributes = work.attributes();
    tellAttributes(attributes);
    if (planned.isOutdated(attributes)) {
      planned.forget();
      host.planAgain("A role that was waited for is active");
    }
    var known = work.running();
    endUnwanted(work, known);
    ordered.keySet().retainAll(known);
    ended.keySet().retainAll(known);
    begun.keySet().retainAll(known);
    var parts = new ArrayList<>(work.members());
    parts.addAll(RunReports.parts(ended.values()));
    var lookedAt = host.knowsChecks() ? work.checks(this::lookAt) : new TreeMap<RunKey, RoleChecks.Due>();
    checks.want(lookedAt, work.bound());
    found.keySet().removeIf(it -> !checks.isWanted(it));
    found.forEach((key, fault) -> parts.add(DcWork.checked(key.id(), key.run(), fault)));
    found.clear();
    if (change(RunReports.first(parts), () -> {})) {
      return;
    }
    order(work);
    var beginning = work.beginning();
    var orders = new TreeMap<RunKey, PeerMessage>();
    beginning.runs().forEach(it -> orders.put(it, work.order(it, host.epoch())));
    if (change(beginning.parts(), () -> begun.putAll(orders))) {
      return;
    }
    if (!ordered.isEmpty() || !begun.isEmpty() || !parts.isEmpty() || !beginning.parts().isEmpty()) {
      poll();
    }
  }

  /// The roles that an answer has, or leads to; null if it leads on from others than are known.
  private @Nullable Element whole(Element answer) {
    if (!answer.is(RolesPatch.NAME)) {
      return answer;
    }
    var led = RolesPatch.apply(roles.element(), answer);
    var fits = led != null && Long.toString(led.contentHash()).equals(answer.get("after"));
    return fits ? led : null;
  }

  /// @return whether there is anything to ask for; what was carried out and left the document as it is
  ///     would be so again
  private boolean change(List<Element> parts, Runnable done) {
    if (parts.isEmpty() || carriedOut.contains(parts)) {
      return false;
    }
    busy = true;
    var mine = term;
    host.changeRoles(
        RunReports.request(parts),
        TIMEOUT,
        answer -> {
          if (mine != term) {
            return;
          }
          busy = false;
          if (answer.rc().isOk()) {
            carriedOut.add(parts);
            done.run();
            again = true;
          } else if (answer.rc() != Rc.ECANCELED) {
            world
                .log()
                .warning(
                    "Roles: not written: "
                        + (answer.why().isEmpty() ? answer.rc().text() : answer.why()));
            later();
          }
          lookAgain();
        });
    return true;
  }

  /// Has jigs run, and asks about runs that somebody else has ordered.
  private void order(RoleWork work) {
    for (var key : work.running()) {
      var node = host.nodeId(key.id().node());
      if (node == null || !host.joined().contains(node) || ordered.containsKey(key)) {
        continue;
      }
      var unwanted = work.mayEnd(key) && !work.isLive(key);
      if (begun.containsKey(key) && !unwanted && host.isLeftAlone(key.id().node())) {
        continue; // in maintenance since it was written: it is ordered after that
      }
      ordered.put(key, work.mayEnd(key));
      var order = begun.remove(key);
      if (order == null) {
        ask(node, key);
      } else if (work.isLive(key)) {
        host.send(node, work.order(key, host.epoch()));
      } else if (unwanted) {
        ended.put(key, new RunEnd(key.id(), key.run(), new RunEnd.Lost("it was bound no more before it began")));
        again = true;
      } else {
        host.send(node, order); // goes on for its snapshot, with what that says
      }
    }
  }

  /// Ends what runs for roles that were taken off their nodes: it would keep the node from going on for as
  /// long as it likes. Runs whose role was removed with them are in the document no more.
  private void endUnwanted(RoleWork work, Set<RunKey> known) {
    var all = work.unwanted();
    all.removeAll(begun.keySet()); // not ordered yet
    all.removeAll(ended.keySet());
    ordered.forEach(
        (key, mayEnd) -> {
          if (mayEnd && !known.contains(key) && !ended.containsKey(key)) {
            all.add(key);
          }
        });
    for (var key : all) {
      var node = host.nodeId(key.id().node());
      if (host.knowsEnding() && node != null && host.joined().contains(node) && unwanted.add(key)) {
        world.log().notice("Roles: run %d of %s is ended: it is bound no more".formatted(key.run(), key.id()));
        host.send(node, new PeerMessage.EndJig(host.epoch(), key.id().toString(), key.run()));
      }
    }
  }

  private void lookAt(RunKey key, PeerMessage order) {
    var node = host.nodeId(key.id().node());
    if (node != null && host.joined().contains(node)) {
      host.send(node, order);
    }
  }

  private void ask(NodeId node, RunKey key) {
    host.send(node, new PeerMessage.AskJig(host.epoch(), key.id().toString(), key.run()));
  }

  /// Messages may be lost with a controller or an executor that is started again, so nodes are asked
  /// from time to time, while anything is under way.
  private void poll() {
    if (timer == null) {
      timer =
          world.after(
              POLL,
              () -> {
                timer = null;
                unwanted.clear(); // a node that has lost the message is told again
                for (var key : List.copyOf(ordered.keySet())) {
                  var node = host.nodeId(key.id().node());
                  if (node != null && host.joined().contains(node)) {
                    ask(node, key);
                  }
                }
                look();
              });
    }
  }

  private void later() {
    cancelTimer();
    timer =
        world.after(
            AGAIN,
            () -> {
              timer = null;
              look();
            });
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /// Has the attributes of the nodes that have joined say what the document does, and nothing of what
  /// it knows no more: a node may have been deleted in it, and taken in anew. A node that was not there
  /// for a while has what the CIB says. What was told is compared with that a while later: a change may
  /// have been lost with the attribute manager or the DC before this one.
  private void tellAttributes(SortedMap<NodeName, SortedMap<String, String>> wantedNow) {
    told.keySet().retainAll(wantedNow.keySet());
    if (!told.keySet().containsAll(wantedNow.keySet())) {
      var inCib = host.roleAttributes();
      wantedNow.keySet().forEach(it -> told.putIfAbsent(it, inCib.getOrDefault(it, new TreeMap<>())));
    }
    var before = new TreeMap<>(told);
    setAttributes(wantedNow);
    if (!told.equals(before) && comparison == null) {
      comparison =
          world.after(
              COMPARED,
              () -> {
                comparison = null;
                told.clear();
                look();
              });
    }
  }

  private void setAttributes(SortedMap<NodeName, SortedMap<String, String>> all) {
    all.forEach(
            (node, wanted) -> {
              var before = told.getOrDefault(node, new TreeMap<>());
              wanted.forEach(
                  (name, value) -> {
                    if (!value.equals(before.get(name))) {
                      host.setAttribute(name, node, value);
                    }
                  });
              for (var name : before.keySet()) {
                if (!wanted.containsKey(name)) {
                  host.setAttribute(name, node, null);
                }
              }
              told.put(node, wanted);
            });
  }
}
