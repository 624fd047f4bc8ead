package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.schema.RolesSchema;
import org.systole.common.schema.SchemaFault;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.document.Consistency;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.engine.Command;
import org.systole.roles.engine.Hooks;
import org.systole.roles.engine.RoleEngine;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.engine.Start;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.roles.view.Visible;

/// Tells a story of a roles document step by step. What jigs answer is made up by the story; nothing
/// is run and no time passes. The same story is always told the same way.
///
/// A story is an element `role-simulation` with a `roles-document` and `steps`. A `roles-document`
/// alone is one, too: it is annealed to rest, and all goes well.
public final class Simulation {
  private static final int PASSES_MAX = 100_000;
  private static final int FAULTS_MAX = 20;

  /// What was told of a story.
  ///
  /// @param steps an element for each step, with what came of it
  /// @param refused how many steps were refused
  public record Story(List<Element> steps, RolesDocument document, int refused) {}

  private final StepReader reader;
  private final Map<Element, Integer> lines;
  private final RoleEngine engine;
  private final boolean withEvents;
  private final Answers answers = new Answers();
  private List<RoleId> gate = List.of();
  private final Map<NodeRoleId, Json.Obj> given = new TreeMap<>();
  private final List<Element> told = new ArrayList<>();
  private int refused;

  private Simulation(RolesDocument document, Map<Element, Integer> lines, boolean withEvents) {
    this.lines = lines;
    this.reader = new StepReader(lines);
    this.engine = new RoleEngine(document, Hooks.none());
    this.withEvents = withEvents;
  }

  /// @param lines the line of each element, by identity; may be empty
  /// @param withEvents whether events are told, besides the changes of states
  /// @throws DocumentFault if the story is wrong
  public static Story tell(Element root, Map<Element, Integer> lines, boolean withEvents)
      throws DocumentFault {
    if (root.is("roles-document")) {
      var whole = new Simulation(RolesReader.read(root, lines), lines, withEvents);
      whole.step(Element.of("anneal"));
      return whole.end();
    }
    var wrong = RolesSchema.SIMULATION.check(root, lines);
    if (!wrong.isEmpty()) {
      throw RolesReader.faults(wrong.stream().map(SchemaFault::message).toList());
    }
    var start = root.first("roles-document");
    var steps = steps(root);
    var faults = new ArrayList<String>();
    var document = RolesDocument.empty("example.com");
    try {
      document = start == null ? document : RolesReader.read(start, lines);
    } catch (DocumentFault e) {
      faults.addAll(e.faults());
    }
    faults.addAll(faults(steps, new StepReader(lines)));
    if (!faults.isEmpty()) {
      throw RolesReader.faults(faults.size() > FAULTS_MAX ? faults.subList(0, FAULTS_MAX) : faults);
    }
    var story = new Simulation(document, lines, withEvents);
    for (var step : steps) {
      story.step(step);
    }
    return story.end();
  }

  private static List<Element> steps(Element root) {
    var steps = root.first("steps");
    return steps == null ? List.of() : steps.children().stream().filter(it -> !it.isComment()).toList();
  }

  /// What is wrong with any of the steps, before the first is told.
  private static List<String> faults(List<Element> steps, StepReader reader) {
    var faults = new ArrayList<String>();
    for (var step : steps) {
      try {
        if (step.is("answer")) {
          reader.role(step);
        } else if (step.is("end") || step.is("check")) {
          reader.nodeRole(step);
        } else if (step.is("gate")) {
          reader.gate(step);
        } else if (step.is("show")) {
          reader.checkShow(step);
        } else {
          reader.command(step);
        }
        for (var number : List.of("times", "run")) {
          if (step.has(number)) {
            reader.number(step, number);
          }
        }
      } catch (DocumentFault e) {
        faults.addAll(e.faults());
      }
    }
    return faults;
  }

  private Story end() {
    return new Story(List.copyOf(told), engine.document(), refused);
  }

  private void step(Element step) throws DocumentFault {
    var before = engine.document();
    var result = Element.builder("step").attr("do", step.name());
    for (var at = 0; at < step.attributeCount(); at++) {
      result.attr(
          step.attributeName(at).equals("do") ? "what" : step.attributeName(at),
          step.attributeValue(at));
    }
    switch (step.name()) {
      case "answer" -> answer(step);
      case "end" -> result.add(end(step));
      case "check" -> check(step);
      case "gate" -> {
        gate = reader.gate(step);
        engine.gate(gate);
      }
      case "pass" -> pass(result);
      case "anneal" -> anneal(result);
      case "show" -> result.addAll(new Shown(engine.document(), gate).show(step, reader));
      default -> command(step, result);
    }
    if (withEvents) {
      engine.happened().forEach(it -> result.add(event(it.event().word(), it.subject(), it.trouble())));
    }
    result.addAll(changes(before, engine.document()));
    told.add(result.build());
    var faults = new Consistency(engine.document()).faults();
    if (!faults.isEmpty()) {
      throw new IllegalStateException("after <" + step.name() + ">: " + faults);
    }
  }

  private static Element event(String name, String subject, String trouble) {
    return Element.builder("event")
        .attr("name", name)
        .attr("subject", subject)
        .attr("trouble", trouble.isEmpty() ? null : trouble)
        .build();
  }

  private void command(Element step, Element.Builder result) throws DocumentFault {
    Command command = reader.command(step);
    if (command == null) {
      throw new IllegalStateException("the grammar knows a step that nobody does: " + step.name());
    }
    try {
      engine.carryOut(command);
    } catch (Refusal e) {
      refused++;
      result.add(Element.of("refused").withText(e.getMessage()));
    }
  }

  private void answer(Element step) throws DocumentFault {
    NodeName node = step.has("node") ? reader.node(step) : null;
    RoleId role = reader.role(step);
    var times = step.has("times") ? reader.number(step, "times") : 0;
    answers.say(role, node, kind(step), text(step), times);
  }

  private static Answers.Kind kind(Element step) {
    return Answers.Kind.valueOf(step.get("as", "ok").strip().toUpperCase(Locale.ROOT));
  }

  private static String text(Element step) {
    var text = step.text();
    return text == null ? "" : text.strip();
  }

  /// The end of a run that hangs.
  private Element end(Element step) throws DocumentFault {
    var id = reader.nodeRole(step);
    var outcome = Answers.outcome(kind(step), text(step), given.getOrDefault(id, Json.Obj.EMPTY));
    var run = step.has("run") ? reader.number(step, "run") : run(id);
    var taken = outcome != null && engine.end(new RunEnd(id, run, outcome));
    return Element.of("ended", "noderole", id.toString(), "run", "" + run, "taken", "" + taken);
  }

  /// The noderole is looked at again.
  private void check(Element step) throws DocumentFault {
    var id = reader.nodeRole(step);
    var now = engine.noderole(id);
    var found = text(step).isEmpty() ? "it is not fit" : text(step);
    var fault = step.get("as", "ok").strip().equals("ok") ? "" : found;
    engine.checked(id, now == null ? 0 : now.run(), fault);
  }

  /// The number of the run that is under way.
  private int run(NodeRoleId id) {
    for (var snapshot : engine.document().snapshots().values()) {
      var noderole = snapshot.nodeRoles().get(id);
      if (noderole != null && noderole.state() == NodeRoleState.TRANSITION) {
        return noderole.run();
      }
    }
    return 0;
  }

  private void anneal(Element.Builder result) {
    for (var passes = 0; pass(result); passes++) {
      if (passes > PASSES_MAX) {
        throw new IllegalStateException("it does not come to rest");
      }
    }
  }

  /// All that is due is begun, then all that answers has answered.
  ///
  /// @return whether anything was due
  private boolean pass(Element.Builder result) {
    var due = engine.plan();
    if (due.isEmpty()) {
      return false;
    }
    var pass = Element.builder("pass");
    var visible = new Visible(new LiveRoles(engine.document()));
    due.forEach(it -> given.put(it.id(), visible.of(it.id()).merged()));
    due.forEach(engine::begin);
    for (var start : due) {
      pass.add(run(start));
    }
    result.add(pass);
    return true;
  }

  private Element run(Start start) {
    var element =
        Element.builder("run")
            .attr("noderole", start.id().toString())
            .attr("run", start.run())
            .attr("kind", start.kind().name().toLowerCase(Locale.ROOT));
    if (start.kind() == Start.Kind.RUN) {
      var outcome = answers.to(start.id(), given.getOrDefault(start.id(), Json.Obj.EMPTY));
      if (outcome != null) {
        engine.end(new RunEnd(start.id(), start.run(), outcome));
      }
    }
    var now = engine.noderole(start.id());
    if (now != null) {
      element.attr("state", now.state().word()).attr("cause", now.cause().isEmpty() ? null : now.cause());
      element.attr("wall", now.wall().isEmpty() ? null : now.wall().toString());
    }
    return element.build();
  }

  /// What came out other than it was: the states of noderoles, snapshots and nodes.
  private static List<Element> changes(RolesDocument before, RolesDocument after) {
    var changes = new ArrayList<Element>();
    var old = new LiveRoles(before).all();
    var now = new LiveRoles(after).all();
    for (var noderole : now.values()) {
      var was = old.get(noderole.id());
      if (was == null || was.state() != noderole.state()) {
        changes.add(change(was == null ? "new" : was.state().word(), noderole));
      }
    }
    for (var id : old.keySet()) {
      if (!now.containsKey(id)) {
        changes.add(
            Element.of("change", "of", id.toString(), "from", old.get(id).state().word(), "to", "gone"));
      }
    }
    for (var snapshot : after.snapshots().values()) {
      var was = before.snapshots().get(snapshot.id());
      if (was == null || was.state() != snapshot.state()) {
        changes.add(
            Element.of(
                "change",
                "of",
                "snapshot " + snapshot.id(),
                "from",
                was == null ? "new" : was.state().word(),
                "to",
                snapshot.state().word()));
      }
    }
    return changes;
  }

  private static Element change(String from, NodeRole now) {
    return Element.builder("change")
        .attr("of", now.id().toString())
        .attr("from", from)
        .attr("to", now.state().word())
        .attr("cause", now.cause().isEmpty() ? null : now.cause())
        .build();
  }
}
