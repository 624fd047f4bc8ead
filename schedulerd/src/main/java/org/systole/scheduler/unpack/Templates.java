package org.systole.scheduler.unpack;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.IdRefs;
import org.systole.scheduler.model.WorkingSet;

/// Resource templates: what a resource takes from one.
final class Templates {
  static final String INSTANCE = "clone";

  private final WorkingSet ws;
  private final @Nullable Element resources;

  Templates(WorkingSet ws) {
    this.ws = ws;
    this.resources = ws.cib().path("configuration", "resources");
  }

  void note(String template) {
    ws.templates().computeIfAbsent(template, IdRefs::new);
  }

  /// The configuration of a resource with its template merged in; null if that is not possible.
  @Nullable Element expand(Element configured) {
    var reference = configured.get("template");
    if (reference == null) {
      return configured;
    }
    var id = configured.get("id", "");
    if (reference.equals(id)) {
      ws.configError(
          "unpack_template", "The resource object '" + id + "' should not reference itself");
      return null;
    }
    var template = resources == null ? null : resources.first("template", reference);
    if (template == null) {
      ws.configError("unpack_template", "No template named '" + reference + "'");
      return null;
    }
    return merge(template, configured, id);
  }

  private static Element merge(Element template, Element configured, String id) {
    var merged = template.withName(configured.name()).with("id", id);
    var instance = configured.get(INSTANCE);
    if (instance != null) {
      merged = merged.with(INSTANCE, instance);
    }
    var templateOperations = template.first("operations");
    var operations = configured.first("operations");
    if (templateOperations != null && operations != null) {
      merged = merged.remove(merged.indexOf(templateOperations));
    }
    for (var child : configured.children()) {
      merged =
          merged.plus(
              child == operations && templateOperations != null
                  ? mergeOperations(templateOperations, operations)
                  : child);
    }
    return merged;
  }

  private static Element mergeOperations(Element ofTemplate, Element own) {
    var merged = own;
    Set<String> present = new HashSet<>();
    for (var operation : own.children()) {
      present.add(key(operation));
    }
    for (var operation : ofTemplate.children()) {
      if (!operation.isComment() && !present.contains(key(operation))) {
        merged = merged.plus(operation);
      }
    }
    return merged;
  }

  // Operations of the same name and role replace each other, whatever their intervals.
  private static String key(Element operation) {
    var role = operation.get("role");
    var plain =
        role == null
            || role.equalsIgnoreCase("Started")
            || role.equalsIgnoreCase("Unpromoted")
            || role.equalsIgnoreCase("Slave");
    return operation.get("name") + "-" + (plain ? "Unknown" : role);
  }

  void addUser(Element configured) {
    var reference = configured.get("template");
    if (reference != null) {
      note(reference);
      ws.templates().get(reference).refs().add(configured.get("id", ""));
    }
  }
}
