package org.systole.common.schema;

import java.util.List;
import java.util.Map;
import org.systole.common.xml.Element;

/// The grammars of roles: of the document that says what is wanted of each node, of packages
/// that bring roles, and of stories that `crm_role` tells. Text inside of elements is not looked at.
public enum RolesSchema {
  DOCUMENT(Rule.ROLES_DOCUMENT, "systole-roles-1"),
  PACKAGE(Rule.ROLE_PACKAGE, "systole-role-package-1"),
  SIMULATION(Rule.ROLE_SIMULATION, "systole-role-simulation-1");

  private final RolesGrammar grammar;
  private final String title;

  RolesSchema(Rule start, String title) {
    this.grammar = new RolesGrammar(start);
    this.title = title;
  }

  /// What its file in RELAX NG is called, without the ending.
  public String title() {
    return title;
  }

  Grammar grammar() {
    return grammar;
  }

  /// What keeps a document from conforming; nothing if it does, at most some twenty otherwise.
  ///
  /// @param lines the line each element starts on, by identity; those it has none for get 0
  public List<SchemaFault> check(Element document, Map<Element, Integer> lines) {
    return new Validation(grammar, lines).check(document);
  }
}
