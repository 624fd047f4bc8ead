package org.systole.schedulerd;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.values.Bool;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.Scheduler;
import org.systole.schedulerd.client.PackedGraph;
import org.systole.schedulerd.client.SchedulerMessage;

/// The scheduler daemon: answers the controller of its node, and keeps what it decided from.
public final class SchedulerDaemon
    implements RpcServer.Handler<SchedulerMessage.Request, SchedulerMessage.Reply, NoEvent> {
  /// Whether the daemon makes itself quick ahead of the first request.
  public static final String WARM_UP = "SYSTOLE_WARM_UP";

  /// A value of it: one plan, at once, which shows what planning loads.
  public static final String ONCE = "once";

  private static final Duration EFFORT_MIN = Duration.ofSeconds(10);
  private static final Duration EFFORT_MAX = Duration.ofMinutes(9);

  private static final String DEPRECATED = " is deprecated";
  private static final int SAID_MAX = 1000;
  private static final int GRAPH_MAX = 40 << 20; // bytes of XML: more would not fit the reply

  private static final Duration REST = Duration.ofSeconds(15);

  private final World world;
  private final Layout layout;
  private final SavedInputs inputs;
  private final BiFunction<Element, Instant, Plan> scheduler;
  private final WarmUp warmUp;
  private final Set<RpcServer.Session<NoEvent>> sessions = new LinkedHashSet<>();
  private final Set<String> said = new LinkedHashSet<>();
  private World.@Nullable Timer resting;

  SchedulerDaemon(World world, Layout layout, BiFunction<Element, Instant, Plan> scheduler) {
    this.world = world;
    this.layout = layout;
    this.inputs = new SavedInputs(world);
    this.scheduler = scheduler;
    this.warmUp = new WarmUp(world, this::rehearse);
  }

  /// Starts the daemon in its world; the world calls it from then on.
  ///
  /// @param environment `SYSTOLE_WARM_UP=no` keeps it from planning for a made-up cluster while
  ///     there is nothing to do, which makes it quick
  public static void start(World world, Layout layout, Map<String, String> environment) {
    var zone = world.zone();
    var daemon = new SchedulerDaemon(world, layout, (cib, now) -> plan(cib, now, zone));
    daemon.serve();
    if (ONCE.equals(environment.get(WARM_UP))) {
      daemon.rehearse(WarmUp.cib());
    } else if (Bool.parse(environment.get(WARM_UP), true)) {
      daemon.warmUp.begin();
    }
  }

  private static Plan plan(Element cib, Instant now, ZoneId zone) {
    var current = SchemaUpgrade.toCurrent(cib);
    if (!current.isOk()) {
      throw new IllegalArgumentException(String.join("; ", current.problems()));
    }
    var transition = Scheduler.run(current.cib(), now, zone, Set.of());
    var warnings = new LinkedHashSet<>(current.warnings());
    var errors = new LinkedHashSet<String>();
    for (var message : transition.cluster().messages()) {
      switch (message.severity()) {
        case ERROR, LOG_ERROR, CONFIG_ERROR -> errors.add(message.text());
        case WARNING, LOG_WARNING, CONFIG_WARNING -> warnings.add(message.text());
        case NOTICE, INFO -> {}
      }
    }
    return new Plan(
        transition.graph().toXml(),
        List.copyOf(warnings),
        List.copyOf(errors),
        ActionLines.of(transition.cluster()));
  }

  void serve() {
    RpcServer.serve(
        world, SchedulerMessage.SOCKET, World.Access.OWNER, SchedulerMessage.PROTOCOL, this);
    world.log().notice("Scheduler is ready");
  }

  @Override
  public void opened(RpcServer.Session<NoEvent> session) {
    sessions.add(session);
  }

  @Override
  public void closed(RpcServer.Session<NoEvent> session) {
    sessions.remove(session);
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<SchedulerMessage.Reply> call,
      SchedulerMessage.Request request) {
    switch (request) {
      case SchedulerMessage.Calculate it -> {
        warmUp.requested();
        call.reply(calculate(it));
        rest();
      }
    }
  }

  /// What a plan for a large cluster took is of no use until the next one.
  private void rest() {
    if (resting != null) {
      resting.cancel();
    }
    resting = world.after(REST, world::giveBackMemory);
  }

  @Override
  public SchedulerMessage.Reply tooLong(SchedulerMessage.Request request, String why) {
    return switch (request) {
      case SchedulerMessage.Calculate it -> failed(it, "", "the plan is too long to be told: " + why);
    };
  }

  private static String tooLong(int length) {
    return String.format(
        Locale.ROOT,
        "the plan would have %,d bytes of XML, at most %,d can be told; fewer or shorter parameters of"
            + " resources make it shorter",
        length,
        GRAPH_MAX);
  }

  /// A plan that nobody has asked for.
  private void rehearse(String cib) {
    try {
      var plan = scheduler.apply(XmlReader.parse(cib), world.now());
      world.log().debug("Rehearsed: %d bytes".formatted(XmlWriter.compact(plan.graph()).length()));
    } catch (XmlException | RuntimeException e) {
      world.log().debug("The rehearsal failed: " + e);
    }
  }

  private SchedulerMessage.Calculated calculate(SchedulerMessage.Calculate request) {
    Element cib;
    try {
      cib = request.cib().element();
    } catch (XmlException e) {
      return failed(request, "", "the CIB to plan from is not XML: " + e.getMessage());
    }
    var effort = effort(cib);
    sessions.forEach(it -> it.busy(effort));
    var moment = Instant.ofEpochMilli(request.nowMillis());
    try {
      var plan = scheduler.apply(cib, moment);
      var series =
          !plan.errors().isEmpty()
              ? SavedInputs.Series.ERROR
              : !plan.warnings().isEmpty() ? SavedInputs.Series.WARN : SavedInputs.Series.INPUT;
      var file = save(series, cib, moment);
      var graph = PackedGraph.pack(plan.graph());
      var length = graph.textLength();
      if (length > GRAPH_MAX) {
        return failed(request, file, tooLong(length));
      }
      log(plan, request.reference(), file);
      return new SchedulerMessage.Calculated(
          request.reference(),
          XmlText.of(graph),
          file,
          plan.warnings(),
          plan.errors(),
          "");
    } catch (RuntimeException e) {
      // A mistake in the scheduler must not take the cluster's status with it: the input that shows
      // it is kept, and the controller tries again when something changes.
      var file = save(SavedInputs.Series.ERROR, cib, moment);
      world.log().error("No plan could be made from " + file + ": " + e);
      var why = e instanceof IllegalArgumentException ? e.getMessage() : "a mistake in the scheduler";
      return failed(request, file, "no plan could be made: " + why);
    }
  }

  /// How long planning may take on a machine that has much else to do: a hundred times what it
  /// takes where nothing else runs. It grows as nodes times resources, and as the square of the
  /// length of chains of constraints.
  static Duration effort(Element cib) {
    var nodes = children(cib, "nodes").size();
    var resources = count(children(cib, "resources"));
    var constraints = children(cib, "constraints").size();
    var millis = (long) nodes * resources + (long) constraints * constraints / 100;
    return Duration.ofMillis(Math.clamp(millis, EFFORT_MIN.toMillis(), EFFORT_MAX.toMillis()));
  }

  private static List<Element> children(Element cib, String section) {
    var found = cib.path("configuration", section);
    return found == null ? List.of() : found.children();
  }

  private static int count(List<Element> resources) {
    return resources.stream().mapToInt(it -> it.is("primitive") ? 1 : count(it.children())).sum();
  }

  /// The input is saved later: nobody waits for the disk. It has the date of the decision, on which
  /// rules, and failures that expire, depend when it is looked at again.
  private String save(SavedInputs.Series series, Element cib, Instant moment) {
    var file = inputs.reserve(series, cib);
    if (file.isEmpty()) {
      return "";
    }
    var date = Long.toString(moment.getEpochSecond());
    inputs.write(series, file, cib.with("execution-date", date));
    return layout.state("pengine").resolve(file).toString();
  }

  private void log(Plan plan, String transition, String file) {
    var log = world.log().about("transition=" + transition);
    plan.errors().forEach(log::error);
    plan.warnings().stream().filter(this::isToBeSaid).forEach(log::warning);
    plan.actions().forEach(it -> log.notice("Actions: " + it));
    log.notice(
        "Calculated transition %s%s%s%s"
            .formatted(
                transition.split("-", 2)[0],
                plan.errors().isEmpty() ? "" : " (with errors)",
                plan.errors().isEmpty() && !plan.warnings().isEmpty() ? " (with warnings)" : "",
                file.isEmpty() ? "" : ", saving inputs in " + file));
  }

  /// That an old name should be replaced is said once, not with each plan.
  private boolean isToBeSaid(String warning) {
    return !warning.contains(DEPRECATED) || said.size() < SAID_MAX && said.add(warning);
  }

  private static SchedulerMessage.Calculated failed(
      SchedulerMessage.Calculate request, String file, String why) {
    return new SchedulerMessage.Calculated(
        request.reference(), XmlText.of(""), file, List.of(), List.of(), why);
  }
}
