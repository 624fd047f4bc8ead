package org.systole.controld;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What the controller wants to know of an agent: how it reloads, and which parameters are what.
///
/// @param reload how it can take new parameters without a restart
/// @param parameters latest named first, the order in which lists of them are written
record AgentMetadata(Reload reload, List<Parameter> parameters) {
  /// Taken for secret where an agent does not say which parameters are.
  private static final Set<String> USUAL_SECRETS = Set.of("password", "passwd", "user");

  enum Reload {
    NONE,
    /// Action `reload`, before OCF 1.1: whatever is not unique may change.
    LEGACY,
    /// Action `reload-agent`: what is marked reloadable may change.
    AGENT
  }

  record Parameter(String name, boolean reloadable, boolean unique, boolean secret) {}

  /// @return null if the text is no metadata
  static @Nullable AgentMetadata parse(String standard, String text) {
    try {
      return of(standard, XmlReader.parseMetadata(text));
    } catch (XmlException _) {
      return null;
    }
  }

  private static AgentMetadata of(String standard, Element xml) {
    var version = xml.first("version");
    var newer =
        standard.equals("ocf")
            && version != null
            && version.text() != null
            && Version.compare(version.text(), "1.1") >= 0;
    return new AgentMetadata(reload(xml, newer), parameters(xml));
  }

  private static Reload reload(Element xml, boolean newer) {
    var actions = xml.first("actions");
    if (actions == null) {
      return Reload.NONE;
    }
    var found = Reload.NONE;
    for (var action : actions.children("action")) {
      var name = action.get("name", "");
      if (newer && name.equals("reload-agent")) {
        found = Reload.AGENT;
      } else if (!newer && name.equals("reload")) {
        found = Reload.LEGACY;
      }
    }
    return found;
  }

  private static List<Parameter> parameters(Element xml) {
    var list = xml.first("parameters");
    if (list == null) {
      return List.of();
    }
    var elements = list.children("parameter");
    var marked = elements.stream().anyMatch(it -> Bool.isTrue(it.get("private")));
    var parameters = new ArrayList<Parameter>();
    for (var element : elements) {
      var name = element.get("name");
      if (name != null) {
        var secret = marked ? Bool.isTrue(element.get("private")) : USUAL_SECRETS.contains(name);
        parameters.addFirst(
            new Parameter(
                name,
                Bool.isTrue(element.get("reloadable")),
                Bool.isTrue(element.get("unique")),
                secret));
      }
    }
    return List.copyOf(parameters);
  }
}
