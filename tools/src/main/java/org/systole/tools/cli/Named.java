package org.systole.tools.cli;

import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;

/// What users name.
public final class Named {
  private Named() {}

  /// @throws CommandException if nothing can have that name
  public static NodeName node(String text) throws CommandException {
    var name = NodeName.of(text);
    if (name == null) {
      throw CommandException.usage(
          "A node's name may neither be empty nor have control characters; give the name as crm_node -l"
              + " shows it");
    }
    return name;
  }

  /// @throws CommandException if nothing can have that id
  public static ResourceId resource(String text) throws CommandException {
    var id = ResourceId.of(text);
    if (id == null) {
      throw CommandException.usage(
          "A resource's id may neither be empty nor have control characters; give the id as"
              + " crm_resource -l shows it");
    }
    return id;
  }
}
