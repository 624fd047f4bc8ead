package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;

/// What jigs answer in a story: what was said last counts. A jig of which nothing was said succeeds
/// and gives back what it was given.
final class Answers {
  /// How a run ends.
  enum Kind {
    OK,
    ERROR,
    LOST,
    /// Not at all, until a step ends it.
    HANG
  }

  private static final class Answer {
    final RoleId role;
    final @Nullable NodeName node;
    final Kind kind;
    final String text;
    int left;

    Answer(RoleId role, @Nullable NodeName node, Kind kind, String text, int left) {
      this.role = role;
      this.node = node;
      this.kind = kind;
      this.text = text;
      this.left = left;
    }
  }

  private final List<Answer> answers = new ArrayList<>();

  /// @param node null for every node
  /// @param times how often; 0 for always
  void say(RoleId role, @Nullable NodeName node, Kind kind, String text, int times) {
    answers.add(new Answer(role, node, kind, text, times == 0 ? Integer.MAX_VALUE : times));
  }

  /// @return null if the run does not end
  RunEnd.@Nullable Outcome to(NodeRoleId id, Json.Obj given) {
    for (var answer : answers.reversed()) {
      var meant = answer.node == null || answer.node.equals(id.node());
      if (answer.left > 0 && meant && answer.role.equals(id.role())) {
        answer.left -= answer.left == Integer.MAX_VALUE ? 0 : 1;
        return outcome(answer.kind, answer.text, given);
      }
    }
    return new RunEnd.Succeeded(given, "");
  }

  static RunEnd.@Nullable Outcome outcome(Kind kind, String text, Json.Obj given) {
    return switch (kind) {
      case OK -> new RunEnd.Succeeded(given, text);
      case ERROR -> new RunEnd.Failed(text);
      case LOST -> new RunEnd.Lost(text);
      case HANG -> null;
    };
  }
}
