package org.systole.pacemakerd.link;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.Levels;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.Processes;
import org.systole.common.world.SecretStore;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.SystemBus;
import org.systole.common.world.World;

/// Links on virtual time, over a transport whose views the test makes by hand.
public final class FakeCluster {
  private static final long LATENCY = 1_000_000;

  private record Event(long at, long order, Process owner, Runnable task) {}

  final ClusterConfig config;
  final List<Process> processes = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Map<Integer, TreeMap<String, byte[]>> disks = new LinkedHashMap<>();
  private long now = 1_000_000_000L;
  private long order;
  private long viewNumber;

  public FakeCluster(int nodes, String quorum) throws Exception {
    config = QuorumRulesTest.config(nodes, quorum);
  }

  /// Starts a link and one daemon beside it.
  Process start(int id) {
    return start(id, config);
  }

  /// The same with a cluster configuration file of its own.
  Process start(int id, ClusterConfig config) {
    return start(id, config, Levels.own());
  }

  /// The same with a build that speaks these levels.
  Process start(int id, Levels levels) {
    return start(id, config, levels);
  }

  private Process start(int id, ClusterConfig config, Levels levels) {
    var process = new Process(id, new Channels.Address("p" + processes.size()));
    processes.add(process);
    process.link =
        new LinkCore(
            process, config, java.util.Objects.requireNonNull(config.node(new NodeId(id))), levels);
    process.link.onDropped(() -> process.dropped++);
    at(0, process, () -> process.link.start(process));
    at(0, process, () -> process.daemon.open());
    run(10);
    return process;
  }

  /// The files of a node's link.
  TreeMap<String, byte[]> disk(int id) {
    return disks.computeIfAbsent(id, _ -> new TreeMap<>());
  }

  private void at(long delay, Process owner, Runnable task) {
    events.add(new Event(now + delay, ++order, owner, task));
  }

  public void run(long millis) {
    var end = now + millis * 1_000_000;
    while (!events.isEmpty() && events.peek().at <= end) {
      var event = events.remove();
      now = Math.max(now, event.at);
      if (!event.owner.dead) {
        if (event.owner.paused) {
          event.owner.missed.add(event.task);
        } else {
          event.task.run();
        }
      }
    }
    now = end;
  }

  /// Installs a view at the holders; its first member leads.
  void view(List<Process> holders, Process... members) {
    var list = java.util.Arrays.stream(members).map(it -> it.address).toList();
    var view = new Channels.View(new Channels.ViewId(list.getFirst(), ++viewNumber), list);
    for (var holder : holders) {
      at(0, holder, () -> holder.install(view));
    }
  }

  void view(Process... members) {
    view(List.of(members), members);
  }

  /// A process: a link's world and channel, and the daemon of group "cib" beside it.
  public final class Process
      implements World, Channels, Channels.Channel, Log, GroupClient.Listener, Processes {
    final int id;
    final Address address;
    final GroupClient daemon = new GroupClient(this, "cib", this);
    boolean inStep = true; // what was acknowledged is here as soon as there is a membership
    final List<String> heard = new ArrayList<>();
    final List<Membership> memberships = new ArrayList<>();
    List<List<NodeId>> counted = List.of(); // as its daemon knows
    List<List<Integer>> coming = List.of(); // as its daemon knows
    final List<String> complaints = new ArrayList<>(); // the log, from warnings upwards
    Channels.@Nullable Allegiance allegiance; // as the link has told the transport
    @Nullable String file; // what corosync.conf says by now
    String keyFile = "first"; // the cluster's key on disk
    final List<String> keys = new ArrayList<>(List.of("first")); // it speaks with the first
    List<String> used = List.of(); // what the transport was told
    long usedToken;
    List<Integer> configured = List.of(); // what the daemon was told while it runs
    List<String> configuredNames = List.of();
    final List<String> reloads = new ArrayList<>();
    int dropped; // how often it was told to leave
    private @Nullable String nextKey;
    int unread; // messages under keys that it did not accept
    boolean mute; // what it says of its file does not arrive
    boolean dead;
    @Nullable String ended; // status and reason, if it ended by itself
    boolean paused;
    private long slept;
    private long asleepSince = -1;
    LinkCore link;
    List<Integer> group = List.of();
    private final List<Runnable> missed = new ArrayList<>();
    private final Map<Address, Boolean> cut = new LinkedHashMap<>();
    private Channels.@Nullable Listener listener;
    private @Nullable View held;
    private @Nullable ServerHandler server;

    @SuppressWarnings("NullAway.Init") // the link is made right after
    public Process(int id, Address address) {
      this.id = id;
      this.address = address;
    }

    private void install(View view) {
      held = view;
      if (listener != null) {
        listener.view(view);
      }
    }

    void kill() {
      dead = true;
    }

    void resume() {
      paused = false;
      missed.forEach(it -> at(0, this, it));
      missed.clear();
    }

    /// The machine is suspended: time stands still for this process, but not for the others.
    void sleep() {
      paused = true;
      asleepSince = FakeCluster.this.now;
    }

    void wake() {
      slept += FakeCluster.this.now - asleepSince;
      asleepSince = -1;
      resume();
    }

    void sees(Process other, boolean end) {
      at(
          0,
          this,
          () -> {
            if (end && listener != null) {
              listener.ended(other.address);
            }
          });
    }

    void silent(Process other, boolean isSilent) {
      at(
          0,
          this,
          () -> {
            if (listener != null) {
              listener.silent(other.address, isSilent);
            }
          });
    }

    void cutTo(Process other, boolean isCut) {
      cut.put(other.address, isCut);
    }

    Membership membership() {
      return memberships.getLast();
    }

    boolean quorate() {
      return !memberships.isEmpty() && membership().quorate();
    }

    List<Integer> members() {
      return membership().members().stream().map(it -> it.id().number()).toList();
    }

    void say(String text) {
      at(0, this, () -> daemon.broadcast(text.getBytes()));
    }

    void tell(int to, String text) {
      at(0, this, () -> daemon.send(new NodeId(to), text.getBytes()));
    }

    // the channel

    @Override
    public Channel open(Channels.Listener it) {
      listener = it;
      at(0, this, () -> it.opened(address));
      return this;
    }

    @Override
    public void send(Address to, byte[] message) {
      var view = held;
      if (view == null || !view.members().contains(to) || cut.getOrDefault(to, false)) {
        return;
      }
      for (var process : processes) {
        if (process.address.equals(to)) {
          var key = keys.getFirst();
          at(LATENCY, process, () -> process.arrives(address, key, message));
        }
      }
    }

    private void arrives(Address from, String key, byte[] message) {
      if (!keys.contains(key)) {
        unread++;
        return;
      }
      if (key.equals(nextKey)) {
        useKey(key);
      }
      if (listener != null) {
        listener.message(from, message);
      }
    }

    @Override
    public void broadcast(byte[] message) {
      if (held != null) {
        held.members().forEach(it -> send(it, message));
      }
    }

    @Override
    public void follow(Channels.@Nullable Allegiance whose) {
      allegiance = whose; // views are what the test makes them
    }

    @Override
    public void doubt(Address first) {} // views are what the test makes them

    @Override
    public void use(Channels.Network network) {
      used = network.hosts().stream().map(it -> it.get(0)).toList();
      usedToken = network.tokenMillis();
    }

    @Override
    public List<Channels.LinkState> links() {
      return List.of();
    }

    @Override
    public void configuration(java.util.function.Consumer<Configuration> done) {
      if (!mute) {
        at(LATENCY, this, () -> done.accept(new Configuration("corosync.conf", file, "not there", keyFile)));
      }
    }

    @Override
    public String key() {
      return keys.getFirst();
    }

    @Override
    public boolean acceptKey(String key) {
      if (!key.equals(keyFile)) {
        return false;
      }
      if (!keys.contains(key)) {
        keys.add(key);
        nextKey = key;
      }
      return true;
    }

    @Override
    public void useKey(String key) {
      nextKey = null;
      keys.remove(key);
      keys.addFirst(key);
    }

    String onDisk(String name) {
      return disk().text(name);
    }

    /// Whether the link goes by a list of so many nodes, and that token time.
    boolean goesBy(int listed, long token) {
      var told = link.configuration();
      return told.nodes().size() == listed && told.tokenMillis() == token;
    }

    /// Has all members read their files anew; what comes of it is in `reloads`.
    void reload() {
      at(0, this, () -> link.readAnew((done, lines) -> reloads.add(done + " " + lines)));
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {
      configured = nodes.stream().map(it -> it.id().number()).toList();
      configuredNames = nodes.stream().map(it -> it.name().text()).toList();
    }

    @Override
    public void close() {}

    // the daemon

    @Override
    public void joined(LinkMessage.Joined welcome) {}

    @Override
    public void counted(List<List<NodeId>> lists) {
      counted = lists;
    }

    @Override
    public void coming(List<List<LinkMessage.ConfiguredNode>> lists) {
      coming = lists.stream().map(it -> it.stream().map(node -> node.id().number()).toList()).toList();
    }

    @Override
    public void membership(Membership membership) {
      memberships.add(membership);
      if (inStep) {
        daemon.inStep(membership.number());
      }
      heard.add(
          "M"
              + membership.members().stream().map(it -> it.id()).toList()
              + (membership.quorate() ? "Q" : ""));
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      group = nodeIds.stream().map(NodeId::number).toList();
      heard.add("G" + nodeIds);
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      heard.add((broadcast ? "" : ">") + fromId + ":" + new String(payload).strip());
    }

    @Override
    public void lost(String why) {
      throw new IllegalStateException(why);
    }

    /// The messages it heard, without memberships and groups.
    List<String> messages() {
      return heard.stream().filter(it -> it.contains(":")).toList();
    }

    // the world

    @Override
    public Instant now() {
      return Instant.ofEpochSecond(1_800_000_000L, FakeCluster.this.now);
    }

    @Override
    public long nanoTime() {
      return now + id - slept - (asleepSince < 0 ? 0 : now - asleepSince);
    }

    @Override
    public long elapsedNanos() {
      return now + id;
    }

    @Override
    public void post(Runnable task) {
      at(0, this, task);
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      var live = new boolean[] {true};
      fire(nanoTime() + Math.max(0, delay.toNanos()), live, task);
      return () -> live[0] = false;
    }

    /// Timers stand still while the machine sleeps.
    private void fire(long due, boolean[] live, Runnable task) {
      at(
          due - nanoTime(),
          this,
          () -> {
            if (live[0] && due - nanoTime() > 0) {
              fire(due, live, task);
            } else if (live[0]) {
              task.run();
            }
          });
    }

    @Override
    public RandomGenerator random() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void tellServiceManager(String state) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void setDebug(String daemons) {
      throw new UnsupportedOperationException("the link is not asked that");
    }

    @Override
    public Log log() {
      return this;
    }

    @Override
    public void write(Level level, String message) {
      if (level.compareTo(Level.WARNING) <= 0) {
        complaints.add(message);
      }
    }

    @Override
    public Server listen(String name, Access access, ServerHandler handler) {
      server = handler;
      return () -> {};
    }

    @Override
    public void connect(String name, ConnectionHandler handler) {
      at(
          0,
          this,
          () -> {
            if (server == null) {
              handler.closed(new End(), "nobody");
              return;
            }
            var clientEnd = new End();
            var serverEnd = new End();
            clientEnd.other = serverEnd;
            serverEnd.other = clientEnd;
            clientEnd.handler = handler;
            serverEnd.handler = server.accept(serverEnd);
            serverEnd.handler.opened(serverEnd);
            handler.opened(clientEnd);
          });
    }

    private final class End implements Connection {
      private @Nullable End other;
      private @Nullable ConnectionHandler handler;

      @Override
      public void send(byte[] frame) {
        var to = other;
        at(
            0,
            Process.this,
            () -> {
              if (to != null && to.handler != null) {
                to.handler.received(to, frame);
              }
            });
      }

      @Override
      public void close() {}

      @Override
      public long unsent() {
        return 0;
      }

      @Override
      public Credentials peer() {
        return new Credentials("root", List.of("root"), true);
      }
    }

    @Override
    public SecretStore secrets() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Store store() {
      return disk();
    }

    private FakeDisk disk() {
      return new FakeDisk(FakeCluster.this.disk(id), this::post);
    }

    @Override
    public Processes processes() {
      return this;
    }

    @Override
    public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String boot() {
      return "boot-1";
    }

    @Override
    public ZoneId zone() {
      return ZoneOffset.UTC;
    }

    @Override
    public void groupsOf(String user, Consumer<List<String>> done) {
      post(() -> done.accept(List.of())); // no users are known here
    }

    @Override
    public SystemBus systemBus() {
      return new SystemBus.None(this);
    }

    @Override
    public void giveBackMemory() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Load load() {
      return new Load(0, 4);
    }

    @Override
    public void onTerminate(Runnable request) {
      // tests kill processes without asking
    }

    @Override
    public void exit(int status, String why) {
      if (status != 100) {
        throw new IllegalStateException(why);
      }
      ended = status + " " + why;
      dead = true;
    }
  }
}
