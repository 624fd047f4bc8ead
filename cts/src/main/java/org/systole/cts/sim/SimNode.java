package org.systole.cts.sim;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.xml.Element;

/// One simulated machine.
public final class SimNode {
  /// What the names of processes of members of the cluster's group begin with.
  static final String GUEST = "guest-";

  /// The supervisor's exit status that tells the machine's init to leave it down.
  private static final int STAY_DOWN = 100;

  private static final long BOOT = 1_000_000_000L;
  private static final long RESTART = 1_000_000_000L;
  private static final long TRIED_AGAIN = 20_000_000_000L; // by who mends its files
  /// The id of a host that is no member of the cluster.
  static final int NO_MEMBER = 0;

  private final SimCluster cluster;
  private final String name;
  private final int id;
  private final String software; // what is started with the machine
  private final Map<String, SimDisk> disks = new LinkedHashMap<>();
  private final List<SimProcess> processes = new ArrayList<>();
  private SimSockets sockets;
  private final SimSecrets secrets;
  private SimAgents agents;
  private final SimWatchdog watchdog = new SimWatchdog(this);
  private Duration clockSkew = Duration.ZERO;
  private Duration diskSlowness = Duration.ZERO;
  private @Nullable SimWatch watch;
  private int comings;
  private @Nullable SimProcess leaving;
  private boolean powered;
  private boolean paused;
  private boolean diskFailing;
  private final SimConfFile file;
  private int boots;
  private @Nullable SimBuild build;
  private @Nullable SimGuest guest;

  SimNode(SimCluster cluster, String name, int id) {
    this.cluster = cluster;
    this.name = name;
    this.id = id;
    this.file = new SimConfFile(cluster);
    this.software = id == NO_MEMBER ? "remoted" : "pacemakerd";
    this.secrets = new SimSecrets(cluster.queue());
    this.sockets = newSockets();
    this.agents = new SimAgents(this);
  }

  private SimSockets newSockets() {
    return new SimSockets(cluster.queue(), cluster.random("sockets", name, "", boots));
  }

  SimCluster cluster() {
    return cluster;
  }

  public String name() {
    return name;
  }

  public int id() {
    return id;
  }

  public boolean isPowered() {
    return powered;
  }

  boolean isPaused() {
    return paused || machine() != this && machine().isPaused();
  }

  void livesIn(SimGuest it) {
    guest = it;
  }

  boolean isGuest() {
    return guest != null;
  }

  /// What carries this one if it is a guest that runs, else itself.
  SimNode machine() {
    var carrier = guest == null ? null : guest.carrier();
    return carrier == null ? this : carrier;
  }

  /// Whether the machine, or the one process that could tell it of others, stands still.
  boolean isLinkStopped() {
    var supervisor = process(software);
    return paused || supervisor != null && supervisor.isStopped();
  }

  /// Another one each time the machine is switched on.
  String boot() {
    return "boot-" + boots;
  }

  Duration clockSkew() {
    return clockSkew;
  }

  SimSecrets secrets() {
    return secrets;
  }

  SimSockets sockets() {
    return sockets;
  }

  SimAgents agents() {
    return agents;
  }

  SimWatchdog watchdog() {
    return watchdog;
  }

  Layout layout() {
    return new Layout(cluster.directory().resolve(name), Path.of("/usr/share"));
  }

  SimDisk disk(String daemon) {
    return disks.computeIfAbsent(
        daemon,
        it -> {
          var disk = new SimDisk(this, it);
          disk.slow(diskSlowness);
          disk.failing(diskFailing);
          return disk;
        });
  }

  SimProcess spawn(String program) {
    var process = new SimProcess(this, program, cluster.nextPid());
    processes.add(process);
    return process;
  }

  void forget(SimProcess process) {
    processes.remove(process);
  }

  List<SimProcess> processes() {
    return List.copyOf(processes);
  }

  /// The running process of that name, the newest if there are several; null if there is none.
  @Nullable SimProcess process(String program) {
    for (var process : processes.reversed()) {
      if (process.name().equals(program)) {
        return process;
      }
    }
    return null;
  }

  /// Switches the machine on; the cluster software starts with it. Not a guest: its resource does.
  public void powerOn() {
    if (guest == null) {
      cluster.story().deed("power " + name + " on", this::switchOn);
    }
  }

  void switchOn() {
    if (powered) {
      return;
    }
    powered = true;
    boots++;
    sockets = newSockets();
    agents.booted();
    cluster.change(name + " powered on");
    watch = id == NO_MEMBER ? null : SimWatch.start(this);
    startClusterAfter(BOOT);
  }

  private void startClusterAfter(long nanos) {
    var boot = boots;
    comings++;
    cluster.queue().after(nanos, () -> startCluster(boot));
  }

  /// Has the power switched on in a moment.
  void powerOnAfter(long nanos) {
    var step = "come " + name + " " + Duration.ofNanos(nanos);
    cluster.story().deed(step, () -> switchOnAfter(nanos));
  }

  private void switchOnAfter(long nanos) {
    comings++;
    cluster
        .queue()
        .after(
            nanos,
            () -> {
              comings--;
              switchOn();
            });
  }

  /// Whether the power or the cluster software is about to come by itself.
  boolean isComing() {
    return comings > 0;
  }

  private void startCluster(int boot) {
    comings--;
    if (powered && boot == boots && process(software) == null) {
      begin();
    }
  }

  /// Starts the cluster software on a machine that is on, as `systemctl start` does.
  public void startCluster() {
    cluster.story().deed("cluster " + name + " start", this::begin);
  }

  /// Puts another build on this machine, null for this one: what starts from now on is of it.
  public void install(@Nullable SimBuild other) {
    cluster.note(name + ": has " + (other == null ? "this build" : "build " + other));
    build = other;
  }

  /// The build on this machine, null if it is this one.
  @Nullable SimBuild build() {
    return build;
  }

  private void begin() {
    var mixed = cluster.mixed();
    if (mixed != null) {
      var other = cluster.random("build", name, "", cluster.queue().now()).nextBoolean();
      install(other ? mixed : null);
    }
    agents.endOrphans(software);
    var supervisor = spawn(software);
    supervisor.onEnd(this::supervisorEnded);
    cluster.daemons().start(supervisor);
  }

  /// Has the cluster software started in a moment, unless it runs by then.
  void startClusterSoon() {
    cluster.story().deed("cluster " + name + " soon", () -> startClusterAfter(RESTART));
  }

  private void supervisorEnded(int status, int signal) {
    if (!powered) {
      return;
    }
    if (guest != null && guest.endsWithItsDaemon()) {
      cluster.queue().after(0, this::switchOff); // its carrier closes its connections
      return;
    }
    for (var process : processes()) {
      if (!agents.isAgent(process) && !process.name().startsWith("sim-")) {
        process.end(0, 9);
      }
    }
    cluster.change(name + " cluster software ended");
    if (status == STAY_DOWN && !file.mayStayDown(this)) {
      cluster.fail(SimCheck.ENDED, name + " has ended its cluster software and stays down");
    }
    if (status == 0 && signal == 0 && !isLeaving()) {
      cluster.fail(SimCheck.ENDED, name + " has ended its cluster software unasked");
    }
    if ((status != 0 && status != STAY_DOWN) || signal == 9) {
      startClusterAfter(status == SimDaemons.CONFIGURATION ? TRIED_AGAIN : RESTART);
    }
  }

  /// Stops the cluster software in good order, as `systemctl stop` does.
  public void shutdown() {
    cluster.story().deed("cluster " + name + " stop", this::stopCluster);
  }

  private void stopCluster() {
    var supervisor = process(software);
    if (supervisor != null) {
      cluster.note(name + ": shutdown asked for");
      leaving = supervisor;
      supervisor.terminate();
    }
  }

  /// Whether the cluster software was asked to stop and has not yet ended.
  boolean isLeaving() {
    return leaving != null && leaving == process(software);
  }

  /// Takes the power away: everything in memory is gone, no process is told.
  public void powerOff() {
    cluster.story().deed("power " + name + " off", this::switchOff);
  }

  void switchOff() {
    if (!powered) {
      return;
    }
    cluster.outside().ends(this);
    powered = false;
    paused = false;
    cluster.change(name + " powered off");
    cluster.network().vanished(this);
    for (var process : processes()) {
      process.end(0, 9);
    }
    watch = null;
    watchdog.off();
    agents.poweredOff();
    cluster.outside().lost(this);
    if (guest != null) {
      guest.ended();
    }
  }

  /// Its watchdog was not fed: the machine starts anew.
  void reset() {
    cluster.note(name + ": reset by its watchdog");
    switchOff();
    switchOnAfter(RESTART);
  }

  /// Kills the newest process of that name with SIGKILL; returns whether there was one.
  public boolean kill(String program) {
    var process = process(program);
    if (process == null) {
      return false;
    }
    cluster.note(name + ": " + program + " killed");
    cluster.story().deed("kill " + name + " " + program, () -> process.end(0, 9));
    return true;
  }

  /// Stops a daemon with SIGSTOP and has it go on after a while.
  void hang(String program, long nanos) {
    var process = process(program);
    if (process != null) {
      cluster.note(name + ": " + program + " hangs");
      var step = "hang %s %s %s".formatted(name, program, Duration.ofNanos(nanos));
      cluster.story().deed(step, () -> process.stop(nanos));
    }
  }

  /// Freezes the whole machine, as a stopped virtual machine.
  public void pause() {
    cluster.note(name + ": paused");
    cluster.story().deed("pause " + name, this::standStill);
  }

  private void standStill() {
    cluster.outside().volumes().written(this);
    paused = true;
  }

  public void resume() {
    if (paused) {
      cluster.note(name + ": goes on");
      cluster.story().deed("resume " + name, this::goOn);
    }
  }

  private void goOn() {
    paused = false;
    processes().forEach(SimProcess::unpark);
    cluster.outside().goneOn(this);
    cluster.network().resumed(this);
  }

  /// Closes the connections of this remote host, as a firewall that is loaded anew does.
  public void resetConnections() {
    cluster.story().deed("reset " + name, () -> cluster.streams().reset(this));
  }

  /// Moves this machine's time of day.
  public void skewClock(Duration by) {
    cluster.story().deed("clock " + name + " " + by, () -> clockSkew = by);
  }

  /// Makes every write to disk take longer.
  public void slowDisk(Duration extra) {
    cluster
        .story()
        .deed(
            "disk " + name + " slow " + extra,
            () -> {
              diskSlowness = extra;
              disks.values().forEach(it -> it.slow(extra));
            });
  }

  public void failDisk(boolean on) {
    cluster
        .story()
        .deed(
            "disk " + name + (on ? " failing" : " well"),
            () -> {
              diskFailing = on;
              disks.values().forEach(it -> it.failing(on));
            });
  }

  /// Gives this node a cluster configuration file that lists only the first nodes. It is read when
  /// the cluster software starts.
  public void listNodes(int first) {
    file.list(first);
  }

  SimConfFile file() {
    return file;
  }

  /// A file on this node's disk, null if there is none.
  public byte @Nullable [] file(String daemon, String file) {
    return disk(daemon).file(file);
  }

  /// Puts a file on this node's disk.
  public void file(String daemon, String file, byte[] content) {
    disk(daemon).files().put(file, content.clone());
  }

  /// Brings a resource behind the cluster's back into the state `stopped`, `started` or `promoted`.
  public void force(String resource, String state) {
    var to = SimAgents.State.valueOf(state.toUpperCase(Locale.ROOT));
    cluster
        .story()
        .deed(
            "resource %s %s %s".formatted(name, resource, state),
            () -> agents.force(resource, to));
  }

  /// Sets what an agent does wrong here from now on.
  ///
  /// @param resource the resource's name or the fence agent's; `*` for all
  /// @param action such as `monitor`; `*` for all
  /// @param what `fails`, `fails STATUS`, `hangs`, `takes DURATION`, or `well`; of a fence agent
  ///     also `acts DURATION` followed by `takes DURATION`, `hangs` or `fails`: it has switched the
  ///     power that long after it began, whatever it says later
  public void agentFault(String resource, String action, List<String> what) {
    cluster
        .story()
        .deed(
            "agent %s %s %s %s".formatted(name, resource, action, String.join(" ", what)),
            () -> agents.fault(resource, action, SimAgents.Fault.of(what)));
  }

  /// All agents work as usual again.
  public void agentsWell() {
    agents.noFaults();
  }

  /// Whether the cluster software runs.
  public boolean isRunning() {
    return process(software) != null;
  }

  /// Whether this node's controller takes itself for the DC.
  public boolean isDc() {
    return powered && watch != null && watch.isDc();
  }

  /// Whether this node is DC and has nothing left to do.
  public boolean isIdle() {
    return watch != null && watch.isIdle();
  }

  /// Such as `S_IDLE`; empty if the controller does not answer.
  public String controllerState() {
    var state = watch == null ? null : watch.state();
    return state == null ? "" : state.state();
  }

  /// This node's copy of the CIB, null if there is none to be had.
  public @Nullable Element cib() {
    return watch == null ? null : watch.cib();
  }

  /// The resources active on this machine in truth, whatever the cluster believes.
  public List<String> activeResources() {
    return agents.active();
  }

  @Override
  public String toString() {
    return name;
  }
}
