package org.systole.scheduler.model;

import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.NextChange;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Score;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;

/// Everything one scheduler run knows: its input, what was read from it, and what was decided.
public final class WorkingSet extends ClusterState {

  private final ZoneId zone;

  /// Counts the actions of resources that were added, and the changes of their flags.
  long actionChanges;

  /// What the entries of [#failed] name their resource by.
  public static final String FAILED_RESOURCE = "rsc-id";

  private final ResourceIndex index = new ResourceIndex(resources());
  private final Map<Element, Element> changedHistory = new IdentityHashMap<>();
  private @Nullable HistoryIndex historyIndex;
  private final Rules rules;
  private final NameValues nameValues;
  private final RuleContext ruleContext;
  private final Map<String, Node> nodeById = new HashMap<>();
  private final Map<String, Node> nodeByName = new HashMap<>();
  private final Set<String> topicsWarned = new HashSet<>();
  private int nodeCount;
  private int actionCount;
  private int orderingCount;

  /// @param zone in which date specifications of rules are meant
  public WorkingSet(Element cib, Instant now, ZoneId zone) {
    super(cib, now);
    this.zone = zone;
    this.rules = new Rules(cib, diagnostics());
    this.nameValues = new NameValues(rules);
    this.ruleContext = RuleContext.at(IsoTime.of(now, zone));
  }

  private Diagnostics diagnostics() {
    return new Diagnostics() {
      @Override
      public void error(String message) {
        configError(message);
      }

      @Override
      public void warning(String message) {
        configWarning(message);
      }

      @Override
      public void doubt(String message) {
        logWarning(message);
      }
    };
  }

  /// The zone in which times are shown and date specifications are meant.
  public ZoneId zone() {
    return zone;
  }

  /// Finds entries of the operation history.
  public HistoryIndex historyIndex() {
    if (historyIndex == null) {
      historyIndex = new HistoryIndex(cib().first("status"));
    }
    return historyIndex;
  }

  /// The evaluator of rules in this CIB.
  public Rules rules() {
    return rules;
  }

  /// What rules are evaluated against where nothing but the time is known.
  public RuleContext ruleContext() {
    return ruleContext;
  }

  /// Reads the name-value blocks inside an element, see [NameValues#unpack]; when a rule may give
  /// another result, another run is asked for.
  public void readBlocks(
      @Nullable Element parent,
      String block,
      RuleContext context,
      Map<String, String> into,
      @Nullable String firstId) {
    if (parent == null) {
      return;
    }
    var next = new NextChange();
    nameValues.unpack(parent, block, firstId, context, into, next);
    var change = next.earliest();
    if (change != null) {
      recheckBy(change.epochSecond());
    }
  }

  /// Adds a resource that is in no other; it and all inside it can be found from now on.
  @WrittenBy("unpack")
  public void addResource(Resource resource) {
    resources().add(resource);
    index.add(resource);
  }

  /// Makes an instance findable that was added to a clone later on.
  @WrittenBy("unpack")
  public void addInstance(Resource instance) {
    index.addTo(instance);
  }

  /// The first resource with that id, in the configuration or in the history; null if there is
  /// none.
  public @Nullable Resource resource(String id) {
    return index.find(id);
  }

  /// Sets the id under which the history knows an instance.
  @WrittenBy("unpack")
  public void setHistoryId(Resource instance, @Nullable String id) {
    instance.setHistoryId(id);
    if (id != null) {
      index.addHistoryId(instance, id);
    }
  }

  /// The first resource that matches, compared as asked for; looks at all of them.
  public @Nullable Resource find(String id, Resource.Match... how) {
    for (var resource : resources()) {
      var found = resource.find(id, how);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /// Replaces a history entry for the rest of the run.
  public void changeHistory(Element entry, Element changed) {
    changedHistory.put(entry, changed);
  }

  /// The history entry as it is to be seen by this run.
  public Element history(Element entry) {
    return changedHistory.getOrDefault(entry, entry);
  }

  /// Notes why a resource may not run on a node, or with null on no node at all.
  public void noteBan(Resource resource, @Nullable Node node, ScoreCause.Kind kind, String source) {
    if (!is(ClusterFlag.EXPLAIN)) {
      return;
    }
    for (var each : node == null ? nodes() : List.of(node)) {
      note(resource, each, -Score.INFINITY, kind, source);
    }
  }

  /// Notes where a score of a resource, and of all inside it, came from.
  public void note(Resource resource, Node node, int score, ScoreCause.Kind kind, String source) {
    if (!is(ClusterFlag.EXPLAIN)) {
      return;
    }
    scoreCauses().add(new ScoreCause(resource, node, score, kind, source, null, false));
    for (var child : resource.children()) {
      note(child, node, score, kind, source);
    }
  }

  public boolean is(ClusterFlag flag) {
    return flags().contains(flag);
  }

  @WrittenBy("unpack")
  public void set(ClusterFlag flag) {
    flags().add(flag);
  }

  @WrittenBy("unpack")
  public void clear(ClusterFlag flag) {
    flags().remove(flag);
  }

  @WrittenBy("unpack")
  public void set(ClusterFlag flag, boolean on) {
    if (on) {
      flags().add(flag);
    } else {
      flags().remove(flag);
    }
  }

  /// Creates a node and puts it into its place by name.
  public Node addNode(String id, String name) {
    var node = new Node(nodeCount++, id, name);
    var at = 0;
    while (at < nodes().size() && NodeNames.ORDER.compare(nodes().get(at).name(), name) < 0) {
      at++;
    }
    nodes().add(at, node);
    nodeById.put(fold(id), node);
    nodeByName.put(fold(name), node);
    return node;
  }

  /// The node of that name, in any case of letters; null if there is none.
  public @Nullable Node node(String name) {
    return nodeByName.get(fold(name));
  }

  /// The remote or guest node that a connection of that name leads to; null if there is none.
  public @Nullable Node remoteNode(String connection) {
    var node = node(connection);
    return isMember(node) || isOther(node, connection) ? null : node;
  }

  /// A node that a connection of that name cannot lead to, and that is found by its name: a member, or a remote or guest node
  /// whose name differs from it in the case of letters. Null if there is none.
  public @Nullable Node otherNodeOf(String connection) {
    var named = node(connection);
    var numbered = nodeById(connection);
    return isMember(named) || isOther(named, connection) ? named : isMember(numbered) ? numbered : null;
  }

  private static boolean isOther(@Nullable Node node, String connection) {
    return node != null && node.remoteKind() && !node.name().equals(connection);
  }

  public @Nullable Node nodeById(String id) {
    return nodeById.get(fold(id));
  }

  /// The node with that id, else the one with that name.
  public @Nullable Node nodeByIdOrName(@Nullable String id, @Nullable String name) {
    var found = id == null ? null : nodeById(id);
    return found == null && name != null ? node(name) : found;
  }

  /// The node of an entry of the status section; null if there is none. The entry of a remote node is no member's, though
  /// that may be called like it by now.
  public @Nullable Node nodeOf(Element state) {
    var found = nodeByIdOrName(state.id(), state.get("uname"));
    return found == null || found.remoteKind() || !Bool.isTrue(state.get("remote_node")) ? found : null;
  }

  /// The name of the member that a remote node's own entry in the status section says is connected to it; null if it names
  /// none, as Pacemaker's, or nobody is.
  public @Nullable String connectedMember(String remote) {
    var status = cib().first("status");
    var state = status == null ? null : status.first("node_state", remote);
    return state == null || state.get("in_ccm", "0").equals("0") ? null : state.get("connection");
  }

  /// Whether a name or an id is that of a member: no remote node can be called so, as it would have the same entry in
  /// the status section, or one that looks like the member's.
  public boolean isMember(String name) {
    return isMember(node(name)) || isMember(nodeById(name));
  }

  private boolean isMember(@Nullable Node node) {
    return node != null && !node.remoteKind() && !is(ClusterFlag.PRETENDED_NODES);
  }

  private static String fold(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  public int nextActionId() {
    return ++actionCount;
  }

  public int nextOrderingId() {
    return ++orderingCount;
  }

  /// Now in seconds since the epoch.
  public long nowSeconds() {
    return now().getEpochSecond();
  }

  /// Asks for another run at that time (seconds since the epoch) unless an earlier one is wanted.
  public void recheckBy(long seconds) {
    if (seconds > nowSeconds() && (recheckBy() == 0 || recheckBy() > seconds)) {
      setRecheckBy(seconds);
    }
  }

  public void configError(String text) {
    messages().add(new Message(Message.Severity.CONFIG_ERROR, text));
  }

  /// As the method without an origin, see [Message].
  public void configError(String origin, String text) {
    messages().add(new Message(Message.Severity.CONFIG_ERROR, text, origin, ""));
  }

  public void configWarning(String text) {
    messages().add(new Message(Message.Severity.CONFIG_WARNING, text));
  }

  /// Something wrong with the input that is no configuration mistake.
  public void error(String text) {
    set(ClusterFlag.PROCESSING_ERROR);
    messages().add(new Message(Message.Severity.ERROR, text));
  }

  /// As the method without an origin, see [Message].
  public void error(String origin, String text, String detail) {
    set(ClusterFlag.PROCESSING_ERROR);
    messages().add(new Message(Message.Severity.ERROR, text, origin, detail));
  }

  public void warning(String text) {
    set(ClusterFlag.PROCESSING_WARNING);
    messages().add(new Message(Message.Severity.WARNING, text));
  }

  /// As the method without an origin, see [Message].
  public void warning(String origin, String text, String detail) {
    set(ClusterFlag.PROCESSING_WARNING);
    messages().add(new Message(Message.Severity.WARNING, text, origin, detail));
  }

  /// Warns about a topic unless that was done before, with whatever text.
  public void configWarningOnce(String topic, String text) {
    if (topicsWarned.add(topic)) {
      configWarning(text);
    }
  }

  /// A warning that does not mark the input as having warnings.
  public void logWarning(String text) {
    messages().add(new Message(Message.Severity.LOG_WARNING, text));
  }

  /// As the method without an origin, see [Message].
  public void logWarning(String origin, String text, String detail) {
    messages().add(new Message(Message.Severity.LOG_WARNING, text, origin, detail));
  }

  /// An error that does not mark the input as having errors.
  public void logError(String text) {
    messages().add(new Message(Message.Severity.LOG_ERROR, text));
  }

  /// As the method without an origin, see [Message].
  public void logError(String origin, String text, String detail) {
    messages().add(new Message(Message.Severity.LOG_ERROR, text, origin, detail));
  }

  public void notice(String text) {
    messages().add(new Message(Message.Severity.NOTICE, text));
  }

  /// As [#info], and told in the midst of scores, too.
  public void tell(String text) {
    info(text);
    scoreLines().add(new ScoreLine.Note(text));
  }

  public void info(String text) {
    messages().add(new Message(Message.Severity.INFO, text));
  }

  public long actionChanges() {
    return actionChanges;
  }

  private static final long COLOCATION_STEPS_MIN = 500_000;
  private static final long COLOCATION_STEPS = 200; // for each pair of resources
  private long colocationSteps;
  private long colocationLimit;

  /// Takes a step from a resource to one that is colocated with it. Ways through colocations that lead
  /// from many to many can be more than there is time for; after a number far above what sound
  /// configurations need no further ones are gone.
  ///
  /// @return whether the step may be taken
  public boolean followsColocation() {
    if (colocationLimit == 0) {
      var resources = (long) count(resources());
      colocationLimit = COLOCATION_STEPS_MIN + COLOCATION_STEPS * resources * resources;
    }
    if (++colocationSteps == colocationLimit) {
      configWarning(
          "Colocations lead from resource to resource in more ways than can be followed, so that"
              + " scores are only in part those of colocated resources; make the sets of"
              + " rsc_colocation smaller, or sequential");
    }
    return colocationSteps < colocationLimit;
  }

  private static int count(List<Resource> resources) {
    return resources.stream().mapToInt(it -> 1 + count(it.children())).sum();
  }

  private int namesCheckedOf = -1;
  private boolean namesDistinct;

  /// Whether each node sees a name of its own in `#uname`, whatever the case of letters and whoever
  /// asks. With guests, which may see that of their host, it is not. Found out once for a list of
  /// nodes, whose names do not change.
  public boolean hasDistinctNodeNames() {
    if (namesCheckedOf != nodes().size()) {
      var names = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
      namesDistinct = true;
      for (var node : nodes()) {
        var name = node.attributes().get("#uname");
        namesDistinct &= name != null && !node.isGuest() && names.add(name);
      }
      namesCheckedOf = nodes().size();
    }
    return namesDistinct;
  }
}
