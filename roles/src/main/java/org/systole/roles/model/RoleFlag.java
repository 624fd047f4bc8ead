package org.systole.roles.model;

import org.jspecify.annotations.Nullable;

/// What is special about a role.
public enum RoleFlag {
  /// Bound to every new node that is no admin node, if the role's jig is active.
  DISCOVERY("discovery"),
  /// Bound to every new admin node, with all it depends on.
  BOOTSTRAP("bootstrap"),
  /// Bound by itself, to the same node, when a role that depends on it is bound.
  IMPLICIT("implicit"),
  /// Code and data for other roles. Changes nothing.
  LIBRARY("library"),
  /// Whoever depends on it depends on all its noderoles in sight, not on one.
  CLUSTER("cluster"),
  /// Being active means being up now: once its node is lost, those that rest on it are blocked,
  /// on other nodes too.
  SERVICE("service"),
  /// Its jig runs once in the life of a node, however it ended; a person may allow another time.
  DESTRUCTIVE("destructive"),
  /// Never bound; stands for the roles that provide it.
  ABSTRACT("abstract"),
  /// A point to wait for; its jig is `noop`.
  MILESTONE("milestone");

  private final String word;

  RoleFlag(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }

  public static @Nullable RoleFlag of(String word) {
    for (var flag : values()) {
      if (flag.word.equals(word)) {
        return flag;
      }
    }
    return null;
  }
}
