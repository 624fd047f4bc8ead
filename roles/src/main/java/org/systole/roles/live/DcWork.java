package org.systole.roles.live;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.engine.Command;
import org.systole.roles.engine.RoleEngine;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.engine.Start;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.Refusal;
import org.systole.roles.model.SnapshotId;

/// What a DC tells of the cluster's roles: who is a member, what it begins, and what became of it.
/// Each part is carried out by itself. One that is out of date (nothing is due any more, a run has
/// ended before) does nothing: the DC sees that in the document.
public final class DcWork {
  static final String NAME = "role-work";
  private static final int LONG = 16 << 10; // characters of an answer
  private static final int SHORT = 60; // of a cause

  private final RoleEngine engine;
  private final SortedMap<NodeName, Long> stays;

  /// @param stays changed as it goes
  DcWork(RoleEngine engine, SortedMap<NodeName, Long> stays) {
    this.engine = engine;
    this.stays = stays;
  }

  /// An empty request, to which parts are added.
  public static Element.Builder request() {
    return Element.builder(NAME);
  }

  /// A node is a member.
  ///
  /// @param since the number of the membership in which its stay began
  public static Element member(NodeName node, long since) {
    return Element.of("member", "node", node.text(), "since", "" + since);
  }

  /// A node is a member no more.
  public static Element lost(NodeName node) {
    return Element.of("lost", "node", node.text());
  }

  /// Something is due and is begun.
  public static Element begin(Start start) {
    return Element.builder("begin")
        .attr("role", start.id().role().text())
        .attr("node", start.id().node().text())
        .attr("deployment", start.snapshot().deployment().text())
        .attr("number", start.snapshot().number())
        .attr("kind", start.kind().name())
        .attr("run", start.run())
        .build();
  }

  /// A run has ended.
  public static Element ended(RunEnd end) {
    var element =
        Element.builder("ended")
            .attr("role", end.id().role().text())
            .attr("node", end.id().node().text())
            .attr("run", end.run());
    return switch (end.outcome()) {
      case RunEnd.Succeeded(var given, var answer) ->
          element
              .attr("as", "ok")
              .add(Element.of("given").withText(given.toString()))
              .add(Element.of("answer").withText(answer))
              .build();
      case RunEnd.Failed(var cause) -> element.attr("as", "error").attr("cause", cause).build();
      case RunEnd.Lost(var cause) -> element.attr("as", "lost").attr("cause", cause).build();
    };
  }

  /// A noderole was looked at again.
  ///
  /// @param fault what was found; empty if it is fit
  public static Element checked(NodeRoleId id, int run, String fault) {
    return Element.builder("checked")
        .attr("role", id.role().text())
        .attr("node", id.node().text())
        .attr("run", run)
        .attr("cause", fault.isEmpty() ? null : fault)
        .build();
  }

  /// The same work with jigs' answers left out: their runs count as failed. Those that are long go first.
  ///
  /// @return null if there are none
  public static @Nullable Element withoutAnswers(Element request) {
    var fewer = withoutAnswers(request, LONG);
    return fewer == null ? withoutAnswers(request, 0) : fewer;
  }

  private static @Nullable Element withoutAnswers(Element request, int longest) {
    var any = false;
    var parts = Element.builder(NAME);
    for (var part : request.children()) {
      var answer = part.is("ended") ? text(part, "answer").strip() : "";
      var answered = answer.length() > longest;
      any |= answered;
      parts.add(
          answered
              ? part.withChildren(List.of())
                  .with("as", "error")
                  .with("cause", "its answer does not fit: the cluster's roles would be too large with it")
              : part);
    }
    return any ? parts.build() : null;
  }

  /// The same work with less: causes are cut short; then what was found by looking again is left out, as the
  /// next look finds it again. So a full document does not keep a DC from writing that a node was lost, or
  /// that a run has begun.
  ///
  /// @return null if nothing more can be left out
  public static @Nullable Element shorter(Element request) {
    var cut = Element.builder(NAME);
    var any = false;
    for (var part : request.children()) {
      var cause = part.get("cause", "");
      any |= cause.length() > SHORT;
      cut.add(cause.length() > SHORT ? part.with("cause", XmlWriter.sayable(cause.substring(0, SHORT))) : part);
    }
    if (any) {
      return cut.build();
    }
    var rest = request.children().stream().filter(it -> !it.is("checked")).toList();
    return rest.size() < request.childCount() ? request.withChildren(rest) : null;
  }

  void carryOut(Element request) throws DocumentFault {
    for (var part : request.children()) {
      var node = NodeName.of(part.get("node"));
      if (node == null) {
        throw RolesReader.fault("<" + part.name() + "> names no node");
      }
      switch (part.name()) {
        case "member" -> noteMember(node, part);
        case "lost" -> noteLost(node);
        case "begin" -> noteBegin(part);
        case "ended" -> noteEnd(part);
        case "checked" ->
            engine.checked(noderole(part), number(part, "run"), part.get("cause", ""));
        default -> throw RolesReader.fault("<" + part.name() + "> is no part of a DC's work");
      }
    }
  }

  private void noteMember(NodeName node, Element part) {
    var since = Numbers.parse(part.get("since", ""), 0);
    var known = engine.document().nodes().get(node);
    if (known != null && known.alive() && Long.valueOf(since).equals(stays.get(node))) {
      return;
    }
    if (known == null && !tried(new Command.TakeIn(node))) {
      return; // its name does not fit; it has no roles
    }
    if (known == null || !stays.containsKey(node)) {
      tried(new Command.SetAlive(node, true));
    } else {
      tried(new Command.Restarted(node));
    }
    stays.put(node, since);
  }

  private void noteLost(NodeName node) {
    if (engine.document().nodes().containsKey(node)) {
      tried(new Command.SetAlive(node, false));
    }
  }

  private boolean tried(Command command) {
    try {
      engine.carryOut(command);
      return true;
    } catch (Refusal e) {
      return false;
    }
  }

  private void noteBegin(Element part) throws DocumentFault {
    var deployment = DeploymentId.of(part.get("deployment"));
    var kind = kind(part.get("kind", ""));
    if (deployment == null || kind == null) {
      throw RolesReader.fault("<begin> of " + noderole(part) + " is not whole");
    }
    var snapshot = new SnapshotId(deployment, number(part, "number"));
    engine.begin(new Start(noderole(part), snapshot, kind, number(part, "run")));
  }

  private static Start.@Nullable Kind kind(String word) {
    for (var kind : Start.Kind.values()) {
      if (kind.name().equals(word)) {
        return kind;
      }
    }
    return null;
  }

  private void noteEnd(Element part) throws DocumentFault {
    var cause = part.get("cause", "");
    var outcome =
        switch (part.get("as", "")) {
          case "ok" -> succeeded(part);
          case "lost" -> new RunEnd.Lost(cause);
          default -> new RunEnd.Failed(cause);
        };
    engine.end(new RunEnd(noderole(part), number(part, "run"), outcome));
  }

  private static RunEnd.Outcome succeeded(Element part) {
    try {
      return new RunEnd.Succeeded(
          JsonText.readObject(text(part, "given")), text(part, "answer"));
    } catch (JsonFault e) {
      return new RunEnd.Failed("what its jig was given is not known any more: " + e.getMessage());
    }
  }

  private static String text(Element part, String name) {
    var element = part.first(name);
    var text = element == null ? null : element.text();
    return text == null ? "" : text;
  }

  private static NodeRoleId noderole(Element part) throws DocumentFault {
    var id = NodeRoleId.of(part.get("role", "") + "@" + part.get("node", ""));
    if (id == null) {
      throw RolesReader.fault("<" + part.name() + "> names no noderole");
    }
    return id;
  }

  private static int number(Element part, String name) {
    return Numbers.parseInt(part.get(name, ""), 0);
  }
}
