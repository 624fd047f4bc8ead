package org.systole.roles.engine;

import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRoleId;

/// What came of a jig's run.
///
/// @param run the number of the run, as its [Start] had it: a result of another one is ignored
public record RunEnd(NodeRoleId id, int run, Outcome outcome) {
  /// How it ended.
  public sealed interface Outcome {}

  /// It says that it succeeded.
  ///
  /// @param given what the jig was given
  /// @param answer what it answered, which is to be a JSON object
  public record Succeeded(Json.Obj given, String answer) implements Outcome {}

  /// It failed.
  ///
  /// @param cause one line
  public record Failed(String cause) implements Outcome {}

  /// Nobody knows what became of it.
  ///
  /// @param cause one line
  public record Lost(String cause) implements Outcome {}
}
