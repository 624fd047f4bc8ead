package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes.Program;

/// The agents of one node and what they manage: resources that are stopped, started or promoted,
/// and power switches of the other nodes.
final class SimAgents {
  /// What an agent prints.
  interface Output {
    void is(String output, String errors);
  }

  /// How a resource is.
  enum State {
    STOPPED,
    STARTED,
    PROMOTED
  }

  /// What an agent is made to do instead of its work.
  ///
  /// @param status the exit status it fails with; 0 to work as usual
  /// @param hang it never ends by itself
  /// @param takes how long it takes; null for the usual time
  /// @param acts when a fence agent has switched the power, before it ends; null for when it ends
  record Fault(int status, boolean hang, @Nullable Duration takes, @Nullable Duration acts) {
    /// As [SimNode#agentFault] has it; null for an agent that works.
    static @Nullable Fault of(List<String> what) {
      return switch (what.getFirst()) {
        case "fails" ->
            new Fault(what.size() > 1 ? Integer.parseInt(what.get(1)) : 1, false, null, null);
        case "hangs" -> new Fault(0, true, null, null);
        case "takes" -> new Fault(0, false, Duration.parse(what.get(1)), null);
        case "acts" ->
            new Fault(
                what.get(2).equals("fails") ? 1 : 0,
                what.get(2).equals("hangs"),
                what.get(2).equals("takes") ? Duration.parse(what.get(3)) : null,
                Duration.parse(what.get(1)));
        case "well" -> null;
        default -> throw new IllegalArgumentException("an agent cannot be " + what);
      };
    }
  }

  /// The agent of what can be promoted.
  private static final String PROMOTABLE = "Stateful";

  private static final Duration HARMLESS = Duration.ofSeconds(5);

  static final int OK = 0;
  private static final int GENERIC_ERROR = 1;
  static final int ERROR = 1;
  static final int UNIMPLEMENTED = 3;
  static final int NOT_RUNNING = 7;
  static final int PROMOTED = 8;
  private static final int FAILED_PROMOTED = 9;

  private static final long WORK_MIN = 20_000_000;
  private static final long WORK_SPREAD = 80_000_000;
  private static final long FENCE_TAKES = 1_000_000_000;

  private final SimNode node;
  private final Map<String, State> resources = new TreeMap<>();

  /// By resource, which agent started it, and what its parameter `state` named then: as in reality, who
  /// does not name both again neither finds nor stops it.
  private final Map<String, String> started = new TreeMap<>();

  private final Map<String, Fault> faults = new TreeMap<>();
  private boolean harmed;
  private final Set<Long> agentPids = new HashSet<>();

  /// Resource and action of agents that hang in the kernel: they are not killed at their timeout.
  private final Set<String> inKernel = new HashSet<>();

  private final Set<Long> stuck = new HashSet<>();

  /// Those that tell what they are.
  private final Set<Long> describing = new HashSet<>();

  private RandomGenerator random;
  private int boots;

  SimAgents(SimNode node) {
    this.node = node;
    this.random = node.cluster().random("agents", node.name(), "", 0);
  }

  void booted() {
    boots++;
    random = node.cluster().random("agents", node.name(), "", boots);
    resources.clear();
    started.clear();
  }

  void poweredOff() {
    active().forEach(it -> node.cluster().resourceChanged(node, it, State.STOPPED));
    resources.clear();
  }

  /// From now on an agent's action cannot be killed: it comes to its end as if nobody had tried.
  void hangInKernel(String resource, String action) {
    inKernel.add(resource + " " + action);
  }

  boolean isStuck(SimProcess process) {
    return stuck.contains(process.pid());
  }

  boolean isAgent(SimProcess process) {
    return agentPids.contains(process.pid());
  }

  /// A daemon that is started ends the agents that one before it left running.
  void endOrphans(String daemon) {
    for (var process : node.processes()) {
      var fencing = process.name().startsWith("fence_");
      if (isAgent(process)
          && (daemon.equals(fencing ? "fenced" : "execd") || daemon.equals("remoted"))) {
        process.end(0, 9);
      }
    }
  }

  /// Sets what an agent does wrong.
  ///
  /// @param resource the resource's or fence device's name, `*` for all
  /// @param action such as `monitor`, `*` for all
  /// @param fault null to work as usual again
  void fault(String resource, String action, @Nullable Fault fault) {
    var key = resource + " " + action;
    if (fault == null) {
      faults.remove(key);
    } else {
      faults.put(key, fault);
      harmed |= fault.status() != 0 || fault.hang() || fault.takes() != null && fault.takes().compareTo(HARMLESS) > 0;
    }
  }

  /// Whether any has been one that fails, or takes too long, at any time.
  boolean wereHarmed() {
    return harmed;
  }

  void noFaults() {
    faults.clear();
  }

  private @Nullable Fault faultOf(String resource, String action) {
    for (var key : List.of(resource + " " + action, resource + " *", "* " + action, "* *")) {
      var fault = faults.get(key);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  /// Brings a resource into a state behind the cluster's back.
  void force(String resource, State state) {
    set(resource, state);
  }

  State stateOf(String resource) {
    return resources.getOrDefault(resource, State.STOPPED);
  }

  List<String> active() {
    var found = new ArrayList<String>();
    resources.forEach(
        (resource, state) -> {
          if (state != State.STOPPED) {
            found.add(resource);
          }
        });
    return found;
  }

  private void set(String resource, State state) {
    if (state == State.STOPPED) {
      started.remove(resource);
    }
    if (stateOf(resource) != state) {
      resources.put(resource, state);
      node.cluster().resourceChanged(node, resource, state);
    }
  }

  /// Runs an agent in `child` if the program is one.
  boolean start(SimProcess child, Program program, Output output) {
    var path = path(program);
    var name = path.substring(path.lastIndexOf('/') + 1);
    if (path.contains("/resource.d/") || path.contains("/init.d/")) {
      agentPids.add(child.pid());
      resourceAgent(child, program, name, output);
      return true;
    }
    if (name.equals(SimJigs.STEPS)) {
      agentPids.add(child.pid());
      node.cluster().jigs().start(node, child, program, output);
      return true;
    }
    if (path.startsWith("/bin/") || path.startsWith("/usr/bin/")) {
      node.cluster().queue().after(WORK_MIN, child, () -> child.end(OK, 0)); // mkdir and the like
      return true;
    }
    if (name.startsWith("fence_")) {
      agentPids.add(child.pid());
      new SimFenceAgent(node, child, program, output)
          .run(faultOf(name, fenceAction(program)), FENCE_TAKES);
      return true;
    }
    return false;
  }

  private static String path(Program program) {
    return program.command().getFirst();
  }

  /// Provider and type.
  private static String agent(String path) {
    return path.substring(path.lastIndexOf('/', path.lastIndexOf('/') - 1) + 1) + " ";
  }

  private static String fenceAction(Program program) {
    return SimFenceAgent.parameters(program).getOrDefault("action", "reboot");
  }

  private void resourceAgent(SimProcess child, Program program, String type, Output output) {
    var action = program.command().size() > 1 ? program.command().get(1) : "";
    var instance = program.environment().getOrDefault("OCF_RESOURCE_INSTANCE", type);
    if (action.equals("meta-data")) {
      output.is(SimMetaData.resource(type), "");
      describing.add(child.pid());
      child.onEnd((_, _) -> describing.remove(child.pid()));
      node.cluster().checks().describing(node, describing.size());
      node.cluster().queue().after(WORK_MIN, child, () -> child.end(OK, 0));
      return;
    }
    var fault = faultOf(instance, action);
    if (inKernel.contains(instance + " " + action)) {
      stuck.add(child.pid());
    }
    trace(child, instance + " " + action + (fault == null ? "" : " with " + fault));
    var named = agent(path(program)) + program.environment().getOrDefault("OCF_RESKEY_state", "");
    var guest = node.cluster().outside().in(instance);
    if (guest != null && action.equals("start")) {
      guest.configured(type, program.environment());
    }
    if (action.equals("start") && (fault == null || fault.status() == 0)) {
      begin(instance, named);
    }
    if (fault != null && fault.hang()) {
      return;
    }
    node.cluster()
        .queue()
        .after(
            takes(fault),
            child,
            () -> {
              var status = fault != null ? fault.status() : OK;
              if (status == OK && SimHostAgent.isOne(type)) {
                status = SimHostAgent.run(node, action, program.environment(), output);
              } else if (status == OK) {
                var target = program.environment().get("OCF_RESKEY_CRM_meta_migrate_target");
                status = carryOut(type, instance, action, named, target, program.environment().containsKey(SimCibs.IS_LIVE));
              }
              trace(child, instance + " " + action + " ends with " + status);
              if (type.equals(PROMOTABLE) && status == FAILED_PROMOTED) {
                node.cluster().checks().roles().gate().foundFailed(node, instance);
              }
              child.end(status, 0);
            });
  }

  /// A start with another name leaves alone what runs under the one before.
  void begin(String instance, String named) {
    if (stateOf(instance) != State.STOPPED && !named.equals(started.getOrDefault(instance, named))) {
      node.cluster().checks().startedBesides(node, instance);
    }
    if (stateOf(instance) == State.STOPPED) {
      node.cluster().checks().roles().gate().starts(node, instance);
      node.cluster().checks().standby().started(node, instance);
    }
    started.put(instance, named);
    set(instance, State.STARTED);
  }

  private long takes(@Nullable Fault fault) {
    var usual = WORK_MIN + random.nextLong(WORK_SPREAD);
    return fault != null && fault.takes() != null ? fault.takes().toNanos() : usual;
  }

  private int carryOut(
      String type, String instance, String action, String named, @Nullable String target, boolean live) {
    if (!named.equals(started.getOrDefault(instance, named))) {
      return ofNothing(action);
    }
    var guest = node.cluster().outside().in(instance);
    if (guest != null && action.equals("migrate_to")) {
      var to = target == null ? null : node.cluster().nodeOrNull(target);
      return to != null && move(guest, instance, named, to) ? OK : GENERIC_ERROR;
    }
    if (guest != null && action.equals("migrate_from") && !guest.runs(node)) {
      return GENERIC_ERROR;
    }
    if (live && action.equals("migrate_to")) {
      return handOver(instance, named, target);
    }
    if (live && action.equals("migrate_from") && stateOf(instance) == State.STOPPED) {
      return GENERIC_ERROR;
    }
    return switch (action) {
      case "start", "migrate_from" -> to(type, instance, State.STARTED, "5");
      case "stop", "migrate_to" -> to(type, instance, State.STOPPED, null);
      case "promote" -> to(type, instance, State.PROMOTED, "10");
      case "demote" -> stateOf(instance) == State.STOPPED ? OK : to(type, instance, State.STARTED, "5");
      case "monitor", "status" -> monitor(type, instance);
      case "notify", "reload", "reload-agent", "validate-all" -> OK;
      default -> UNIMPLEMENTED;
    };
  }

  /// It runs on the other node once it has been moved: a probe there finds it.
  boolean move(SimGuest guest, String instance, String named, SimNode to) {
    if (!guest.move(node, to)) {
      return false;
    }
    set(instance, State.STOPPED);
    to.agents().begin(instance, named);
    return true;
  }

  private int handOver(String instance, String named, @Nullable String target) {
    var to = target == null ? null : node.cluster().nodeOrNull(target);
    if (to == null || !to.isPowered() || !node.cluster().network().hear(node, to)) {
      return GENERIC_ERROR;
    }
    if (stateOf(instance) == State.STOPPED) {
      return to.agents().stateOf(instance) == State.STOPPED ? GENERIC_ERROR : OK;
    }
    set(instance, State.STOPPED);
    to.agents().begin(instance, named);
    return OK;
  }

  /// There is nothing of that name: it cannot be handed over either.
  private static int ofNothing(String action) {
    return switch (action) {
      case "monitor" -> NOT_RUNNING;
      case "migrate_to" -> GENERIC_ERROR;
      default -> OK;
    };
  }

  private int to(String type, String instance, State state, @Nullable String promotionScore) {
    set(instance, state);
    if (type.equals(PROMOTABLE)) {
      setPromotionScore(instance, promotionScore);
    }
    return OK;
  }

  private int monitor(String type, String instance) {
    var state = stateOf(instance);
    if (type.equals(PROMOTABLE) && state != State.STOPPED) {
      setPromotionScore(instance, state == State.PROMOTED ? "10" : "5");
    }
    return switch (state) {
      case STOPPED -> NOT_RUNNING;
      case STARTED -> OK;
      case PROMOTED -> PROMOTED;
    };
  }

  /// As `crm_attribute --promotion` does for a real agent.
  private void setPromotionScore(String instance, @Nullable String score) {
    var resource = instance.contains(":") ? instance.substring(0, instance.indexOf(':')) : instance;
    new SimCommand(node).setAttribute("master-" + resource, score);
  }

  private void trace(SimProcess child, String text) {
    node.cluster().trace().add(node.cluster().queue().now(), node.name(), child.name(), text);
  }
}
