package org.systole.common.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A section of a file in corosync.conf's syntax: `name { key: value ... }`, nested, `#` comments.
record ConfigSection(String name, int line, List<Setting> settings, List<ConfigSection> sections) {
  private static final int HEAD = 200; // characters of a long message
  private static final int TAIL = 100;

  record Setting(String key, String value, int line) {}

  /// @param file the name for messages
  /// @return the unnamed section that holds all others
  static ConfigSection parse(String file, String text) throws ClusterConfigException {
    var root = new ConfigSection("", 0, new ArrayList<>(), new ArrayList<>());
    Deque<ConfigSection> open = new ArrayDeque<>();
    open.push(root);
    var number = 0;
    for (var raw : text.lines().toList()) {
      number++;
      var line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.endsWith("{")) {
        open.push(begin(file, open.peek(), line, number));
      } else if (line.equals("}")) {
        if (open.size() == 1) {
          throw error(file, number, "a \"}\" without a section; remove it");
        }
        open.pop();
      } else {
        open.peek().settings.add(setting(file, line, number));
      }
    }
    if (open.size() > 1) {
      var section = open.peek();
      throw error(
          file, section.line, "section %s is not closed; add a \"}\"".formatted(section.name));
    }
    return root;
  }

  private static ConfigSection begin(
      String file, @Nullable ConfigSection parent, String line, int number)
      throws ClusterConfigException {
    var name = line.substring(0, line.length() - 1).strip();
    if (name.isEmpty() || name.indexOf(':') >= 0 || parent == null) {
      throw error(file, number, "a section needs a name before its \"{\"");
    }
    var section = new ConfigSection(name, number, new ArrayList<>(), new ArrayList<>());
    parent.sections.add(section);
    return section;
  }

  private static Setting setting(String file, String line, int number)
      throws ClusterConfigException {
    var colon = line.indexOf(':');
    if (colon < 1 || line.indexOf('{') >= 0 && line.indexOf('{') < colon) {
      throw error(file, number, "\"%s\" is neither \"key: value\" nor a section".formatted(line));
    }
    return new Setting(line.substring(0, colon).strip(), line.substring(colon + 1).strip(), number);
  }

  static ClusterConfigException error(String file, int line, String what) {
    var readable = what.replaceAll("\\p{Cntrl}", "?");
    if (readable.length() > HEAD + TAIL) { // what is there, cut, and what to do
      readable =
          readable.substring(0, HEAD) + " ... " + readable.substring(readable.length() - TAIL);
    }
    return new ClusterConfigException("%s, line %d: %s".formatted(file, line, readable));
  }

  /// The last setting of that name, as corosync takes it.
  @Nullable Setting setting(String key) {
    @Nullable Setting found = null;
    for (var setting : settings) {
      if (setting.key.equals(key)) {
        found = setting;
      }
    }
    return found;
  }

  List<ConfigSection> sections(String wanted) {
    return sections.stream().filter(it -> it.name.equals(wanted)).toList();
  }
}
