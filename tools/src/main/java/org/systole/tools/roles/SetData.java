package org.systole.tools.roles;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;
import org.systole.tools.cli.CommandException;

/// What `--set` says: all data of a noderole, or of a role in a deployment, or one value among them.
final class SetData {
  private static final String VALUE = "value";

  private final RolesDocument now;
  private final DeploymentId deployment;
  private final Map<String, Json.Obj> set = new TreeMap<>(); // by this request

  SetData(RolesDocument now, DeploymentId deployment) {
    this.now = now;
    this.deployment = deployment;
  }

  /// @param value as on the command line: `ROLE[@NODE]=JSON`, or `ROLE[@NODE]/KEY...=VALUE`
  /// @param defined what the request has done so far
  /// @return the step, without its deployment
  Element step(String value, Element.Builder defined) throws CommandException {
    var equals = value.indexOf('=');
    if (equals < 0) {
      throw CommandException.usage(
          "'" + value + "' sets nothing: write ROLE[@NODE]=JSON, or ROLE[@NODE]/KEY[/KEY...]=VALUE for one value");
    }
    var named = value.substring(0, equals);
    var text = value.substring(equals + 1);
    var slash = named.indexOf('/');
    var of = slash < 0 ? named : named.substring(0, slash);
    var step =
        of.contains("@")
            ? Element.of("set", RoleRequests.noderole(of))
            : Element.of("set", "role", RoleRequests.role(of).text());
    var data =
        slash < 0
            ? object(text, of)
            : DeepMerge.merge(before(of, defined.build()), at(named.substring(slash + 1), value(text, named)));
    set.put(of, data);
    return step.withText(data.toString());
  }

  private static Json.Obj object(String text, String of) throws CommandException {
    try {
      return JsonText.readObject(text.strip());
    } catch (JsonFault e) {
      throw new CommandException(
          ExitStatus.DATAERR,
          "what %s is set to is no JSON object (%s): write --set '%s={\"KEY\":VALUE}', or --set %s/KEY=VALUE for one value"
              .formatted(of, e.getMessage(), of, of));
    }
  }

  /// JSON if it is; a word otherwise.
  private static Json value(String text, String of) throws CommandException {
    try {
      var read = JsonText.readObject("{\"" + VALUE + "\":" + text + "}").entries();
      var value = read.get(VALUE);
      if (value != null && read.size() == 1) {
        return value;
      }
    } catch (JsonFault e) {
      if (text.startsWith("{") || text.startsWith("[") || text.startsWith("\"")) {
        throw new CommandException(
            ExitStatus.DATAERR, "what %s is set to is no JSON: %s".formatted(of, e.getMessage()));
      }
    }
    return new Json.Text(text);
  }

  /// As a pointer says it: `~1` stands for a slash in a key, `~0` for a tilde.
  private static Json.Obj at(String path, Json value) throws CommandException {
    var keys = path.split("/", -1);
    var made = value;
    for (var at = keys.length - 1; at >= 0; at--) {
      if (keys[at].isEmpty()) {
        throw CommandException.usage("'/" + path + "' has an empty key: write ROLE[@NODE]/KEY[/KEY...]=VALUE");
      }
      made = new Json.Obj(new TreeMap<>(Map.of(keys[at].replace("~1", "/").replace("~0", "~"), made)));
    }
    return (Json.Obj) made;
  }

  /// What it was set to before.
  private Json.Obj before(String of, Element defined) {
    var known = set.get(of);
    if (known != null) {
      return known;
    }
    var open = now.snapshot(deployment, SnapshotState.PROPOSED);
    var snapshot = open == null ? now.snapshot(deployment, SnapshotState.COMMITTED) : open;
    return data(of, snapshot, defined);
  }

  private Json.Obj data(String of, @Nullable Snapshot snapshot, Element defined) {
    var id = NodeRoleId.of(of);
    var role = id == null ? RoleId.of(of) : id.role();
    if (role == null) {
      return Json.Obj.EMPTY;
    }
    var noderole = snapshot == null || id == null ? null : snapshot.nodeRoles().get(id);
    if (noderole != null) {
      return noderole.user();
    }
    var ofAll = set.get(role.text());
    if (ofAll != null) {
      return ofAll;
    }
    var defaults = snapshot == null ? null : snapshot.deploymentRoles().get(role);
    return defaults == null ? template(role, defined) : defaults;
  }

  /// What it is bound with.
  private Json.Obj template(RoleId role, Element defined) {
    var known = now.roles().get(role);
    var data = known == null ? Json.Obj.EMPTY : known.data();
    for (var step : defined.children("role")) {
      var text = step.first("data");
      if (role.text().equals(step.get("id"))) {
        try {
          data = text == null || text.text() == null ? Json.Obj.EMPTY : JsonText.readObject(text.text().strip());
        } catch (JsonFault e) {
          data = Json.Obj.EMPTY; // it was read before, when it was defined
        }
      }
    }
    return data;
  }
}
