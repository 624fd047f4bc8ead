package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;

/// Has the members read their cluster configuration files anew, while they run.
///
/// The link that is asked for it asks all members to read and check their file. Only if each can
/// use what it has read, and all have read the same, are they told to take it; else nothing changes
/// anywhere. What was taken comes in force by a membership, see [LinkConfig].
final class FileReload {
  private static final Duration READING = Duration.ofSeconds(5);

  private static final int WAITING_MAX = 64;
  private static final String NO_QUORUM =
      "this node has no quorum, and without it running nodes cannot change what they count by; restart the nodes with the new file";

  /// What came of it.
  ///
  /// @param done whether the members have taken what they have read
  /// @param lines for people: what is wrong, or what it waits for
  public record Outcome(boolean done, List<String> lines) {}

  private enum Step {
    READING,
    /// All members are to accept a new key.
    TAKING,
    AGREEING
  }

  /// What this link was asked to have done.
  private static final class Request {
    private final long id;
    private final Consumer<Outcome> done;
    private final TreeSet<NodeId> asked;
    private final Map<NodeId, LinkPeerMessage.HasRead> answers = new TreeMap<>();
    private final TreeSet<NodeId> taken = new TreeSet<>(); // who accepts the new key
    private final List<String> told = new ArrayList<>();
    private boolean fileTaken; // by this node
    private Step step = Step.READING;
    private World.@Nullable Timer deadline;

    Request(long id, TreeSet<NodeId> asked, Consumer<Outcome> done) {
      this.id = id;
      this.asked = asked;
      this.done = done;
    }
  }

  /// What this node has read because another one, or itself, asked for it.
  private record Kept(long id, ClusterConfig config, String text, @Nullable String key) {}

  private final World world;
  private final LinkWire wire;
  private final LinkMember member;
  private final LinkConfig config;
  private final KeyChange keys = new KeyChange();
  private @Nullable Channels channels;
  private @Nullable Request request;
  private final List<Consumer<Outcome>> waiting = new ArrayList<>();
  private final Map<Address, Kept> kept = new TreeMap<>(); // by who asked
  private long lastId;
  private String text = "";
  private @Nullable String takenText; // of what was taken last
  private final FileWaits waits;
  private final MissedFile missed;

  FileReload(World world, LinkWire wire, LinkMember member) {
    this.world = world;
    this.wire = wire;
    this.member = member;
    this.config = member.config();
    this.waits = new FileWaits(world, member, () -> request != null);
    this.missed = new MissedFile(world, wire, member, waits, () -> ++lastId);
  }

  void start(Channels with) {
    channels = with;
    lastId = world.now().toEpochMilli(); // above those of the process before
    with.configuration(
        found -> {
          if (text.isEmpty() && found.text() != null) {
            text = found.text();
          }
        });
  }

  /// Of what is in force.
  String text() {
    return text;
  }

  private void keepTextInForce() {
    if (takenText != null && config.taken().isEmpty()) {
      text = takenText;
      takenText = null;
    }
  }

  // ---- the link that was asked

  /// Has all members read their file anew. One that is asked for while another one is under way is
  /// begun after it.
  void begin(Consumer<Outcome> done) {
    if (request != null) {
      if (waiting.size() < WAITING_MAX) {
        waiting.add(done);
      } else {
        done.accept(refusal("too many others want the same; try again later"));
      }
      return;
    }
    var epoch = member.epoch();
    var why = obstacle(epoch);
    if (channels != null && NO_QUORUM.equals(why)) {
      beginWithoutQuorum(channels, done);
      return;
    }
    if (epoch == null || why != null) {
      done.accept(refusal(why == null ? "the node is only just starting; try again" : why));
      return;
    }
    var begun = new Request(++lastId, epoch.nodeIds(), done);
    request = begun;
    begun.deadline = world.after(READING, () -> judge(begun));
    wire.broadcast(new LinkPeerMessage.ReadAnew(begun.id));
  }

  /// Who has just started a node, and reads the file anew in any case, does so before there is a quorum: that asks for no change.
  private void beginWithoutQuorum(Channels with, Consumer<Outcome> done) {
    with.configuration(
        found -> {
          var inForce =
              takenText == null
                  && text.equals(found.text())
                  && Objects.equals(found.key(), with.key());
          done.accept(inForce ? new Outcome(true, List.of()) : refusal(NO_QUORUM));
        });
  }

  private @Nullable String obstacle(@Nullable Epoch epoch) {
    if (epoch == null || member.phase() instanceof Phase.Prepared) {
      return "the members are just changing; try again";
    }
    if (!member.membership().quorate()) {
      return NO_QUORUM;
    }
    return epoch.level() < Levels.FILES_READ_ANEW
        ? "a member is of a build that cannot read the file anew; upgrade it, or restart the nodes one by one"
        : null;
  }

  private static Outcome refusal(String why) {
    return new Outcome(false, List.of("corosync.conf was not read anew: " + why));
  }

  void hasRead(Address from, LinkPeerMessage.HasRead answer) {
    missed.hasRead(from, answer);
    var present = request;
    if (present == null || present.step != Step.READING || answer.id() != present.id) {
      return;
    }
    present.answers.put(answer.nodeId(), answer);
    if (present.answers.keySet().containsAll(present.asked)) {
      judge(present);
    }
  }

  private void judge(Request present) {
    if (present != request || present.step != Step.READING) {
      return;
    }
    if (present.deadline != null) {
      present.deadline.cancel();
    }
    var problems = problems(present);
    if (!problems.isEmpty()) {
      var lines = new ArrayList<>(problems);
      lines.add("Nothing was changed on any node.");
      end(present, new Outcome(false, lines));
      return;
    }
    var key = newKey(present);
    if (key == null) {
      agree(present);
    } else {
      present.step = Step.TAKING;
      present.deadline = world.after(READING, () -> endWithFormerKey(present));
    }
    wire.broadcast(new LinkPeerMessage.Take(present.id, key));
  }

  private void agree(Request present) {
    present.step = Step.AGREEING;
    present.deadline =
        world.after(FileWaits.LONG, () -> end(present, new Outcome(true, with(present, waits.lines()))));
  }

  private static List<String> with(Request present, List<String> lines) {
    var all = new ArrayList<>(present.told);
    all.addAll(lines);
    return all;
  }

  /// The key that all members have read, unless this node speaks with it: then all do, or are about to.
  private @Nullable String newKey(Request present) {
    var own = present.answers.get(config.local().id());
    var key = own == null ? null : own.key();
    return channels == null || key == null || key.equals(channels.key()) ? null : key;
  }

  void hasTaken(LinkPeerMessage.HasTaken it) {
    var present = request;
    if (present == null || present.step != Step.TAKING || it.id() != present.id) {
      return;
    }
    present.taken.add(it.nodeId());
    if (!present.taken.containsAll(present.asked)) {
      return;
    }
    if (present.deadline != null) {
      present.deadline.cancel();
    }
    var epoch = member.epoch();
    if (epoch == null
        || member.phase() instanceof Phase.Prepared
        || !epoch.nodeIds().equals(present.asked)) {
      endWithFormerKey(present);
      return;
    }
    present.told.add(
        "The cluster's key is the new one; the former one is accepted for a few seconds more.");
    agree(present);
    wire.broadcast(new LinkPeerMessage.UseKey(present.id));
    if (present.fileTaken) {
      settle(present);
    }
  }

  private void endWithFormerKey(Request present) {
    var missing = new TreeSet<>(present.asked);
    missing.removeAll(present.taken);
    var why =
        missing.isEmpty()
            ? "the members are just changing"
            : "node %s has not said that it accepts the new one"
                .formatted(KeyChange.names(missing, waits::name));
    end(
        present,
        new Outcome(
            false, List.of("The cluster's key stays the former one: %s; try again.".formatted(why))));
  }

  private List<String> problems(Request present) {
    var problems = new ArrayList<String>();
    var own = present.answers.get(config.local().id());
    var file = own == null ? null : own.file();
    for (var id : present.asked) {
      var answer = present.answers.get(id);
      if (file != null && !file.lists(id)) {
        continue; // it is to leave, whatever its own file says
      }
      if (answer == null) {
        problems.add(
            "Node %s does not answer: see whether it works, and its disk, or stop it; then try again."
                .formatted(waits.name(id)));
      } else if (answer.file() == null) {
        problems.add("Node %s: %s".formatted(waits.name(id), answer.problem()));
      } else if (file != null) {
        var differences = answer.differences(file, own.addresses());
        if (!differences.isEmpty()) {
          problems.add(
              "corosync.conf of node %s differs from this node's: %s; make them the same."
                  .formatted(waits.name(id), String.join("; ", differences)));
        }
      }
    }
    var epoch = member.epoch();
    if (file != null && epoch != null && waits.neededToLeave(file, epoch, true) instanceof String needed) {
      problems.add("The new corosync.conf could not come in force: " + needed);
    }
    var keysRead = new TreeMap<NodeId, String>();
    present.answers.forEach(
        (id, it) -> {
          if (it.key() != null) {
            keysRead.put(id, it.key());
          }
        });
    var keyInUse = channels == null ? null : channels.key();
    var differ = KeyChange.differences(keysRead, keyInUse, waits::name);
    if (differ != null) {
      problems.add(differ);
    }
    return problems;
  }

  /// A membership was installed; what was taken may be in force with it.
  void installed() {
    keepTextInForce();
    waits.watch();
    missed.installed();
    var epoch = member.epoch();
    kept.keySet().removeIf(it -> epoch != null && !epoch.has(it));
    var present = request;
    if (present != null && present.step == Step.AGREEING) {
      settle(present);
    }
  }

  private void settle(Request present) {
    if (config.taken().isEmpty()) {
      end(present, new Outcome(true, List.copyOf(present.told)));
    }
  }

  private void end(Request present, Outcome outcome) {
    if (present != request) {
      return;
    }
    request = null;
    if (present.deadline != null) {
      present.deadline.cancel();
    }
    outcome.lines().stream()
        .filter(it -> !present.told.contains(it))
        .forEach(
            it -> {
              waits.told(it);
              world.log().warning(it);
            });
    present.done.accept(outcome);
    if (!waiting.isEmpty()) {
      begin(waiting.removeFirst());
    }
  }

  // ---- every member

  void readAnew(Address from, LinkPeerMessage.ReadAnew it) {
    var from_ = channels;
    var epoch = member.epoch();
    if (from_ == null || epoch == null || !epoch.has(from)) {
      return;
    }
    from_.configuration(
        found -> {
          var id = config.local().id();
          try {
            var read = parse(found);
            Changeable.check(read, member);
            read.remarks().forEach(remark -> world.log().warning(remark));
            var key = key(found, from_, epoch);
            kept.put(from, new Kept(it.id(), read, Objects.requireNonNullElse(found.text(), ""), key));
            var file = NodeConfig.of(read, config.local());
            wire.send(from, new LinkPeerMessage.HasRead(it.id(), id, file, null, key, NodeAddress.of(read)));
          } catch (ClusterConfigException e) {
            world.log().error("corosync.conf is left as it was: " + e.getMessage());
            wire.send(from, new LinkPeerMessage.HasRead(it.id(), id, null, e.getMessage(), null, null));
          }
        });
  }

  /// @return null where nothing is to be said of it
  private static @Nullable String key(Channels.Configuration found, Channels channels, Epoch epoch)
      throws ClusterConfigException {
    if (epoch.level() >= Levels.KEYS_CHANGED) {
      return found.key();
    }
    if (!Objects.equals(found.key(), channels.key())) {
      throw new ClusterConfigException(
          "the cluster's key on disk is not the one in use, and a member is of a build that cannot change it while it runs; give all nodes the former one, or upgrade that node");
    }
    return null;
  }

  private static ClusterConfig parse(Channels.Configuration found) throws ClusterConfigException {
    var text = found.text();
    if (text == null) {
      throw new ClusterConfigException(
          "cannot read the cluster configuration: %s".formatted(found.problem()));
    }
    return ClusterConfig.parse(found.file(), text);
  }

  void take(Address from, LinkPeerMessage.Take it) {
    var read = kept.get(from);
    if (read == null || read.id != it.id()) {
      return;
    }
    kept.remove(from);
    var with = channels;
    if (it.key() != null
        && with != null
        && it.key().equals(read.key)
        && keys.take(with, from, it.id(), it.key())) {
      wire.send(from, new LinkPeerMessage.HasTaken(it.id(), config.local().id()));
    }
    member.take(
        read.config,
        () -> {
          takenText = read.text;
          keepTextInForce();
          var present = request;
          if (present != null && wire.isSelf(from)) {
            present.fileTaken = true;
            if (present.step == Step.AGREEING) {
              settle(present); // nothing the members have to agree to
            }
          }
        });
  }

  void useKey(Address from, LinkPeerMessage.UseKey it) {
    if (channels != null) {
      keys.use(channels, from, it.id());
    }
  }
}
