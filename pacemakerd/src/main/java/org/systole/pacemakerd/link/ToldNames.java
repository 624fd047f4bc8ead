package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// The names of nodes to which the node list gives none, as they have told them. They are kept on
/// disk: after a start the node knows what those are called that are not there.
final class ToldNames {
  static final String FILE = "names";

  private final World world;
  private final LinkConfig config;

  ToldNames(World world, LinkConfig config) {
    this.world = world;
    this.config = config;
  }

  void start() {
    config.learn(read());
  }

  /// Members have told theirs.
  ///
  /// @return whether one was not known
  boolean told(Map<NodeId, NodeConfig> files) {
    var names = new TreeMap<NodeId, NodeName>();
    files.forEach((id, file) -> names.put(id, file.name()));
    var news = config.learn(names);
    if (news) {
      write();
    }
    return news;
  }

  private Map<NodeId, NodeName> read() {
    var names = new TreeMap<NodeId, NodeName>();
    try {
      var bytes = world.store().read(FILE);
      var text = bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
      for (var line : text.lines().toList()) {
        var words = line.split(" ", 2);
        var id = NodeId.of(words[0]);
        var name = words.length == 2 ? NodeName.of(words[1]) : null;
        if (id != null && name != null) {
          names.put(id, name);
        }
      }
    } catch (Store.StoreException e) {
      world.log().warning("The names that nodes have told are lost: " + e.getMessage());
    }
    return names;
  }

  private void write() {
    var lines = new StringBuilder();
    config.learned().forEach((id, name) -> lines.append(id + " " + name + "\n"));
    world
        .store()
        .change(
            List.of(
                new Store.Change.Write(FILE, lines.toString().getBytes(StandardCharsets.UTF_8))),
            problem -> {
              if (problem != null) {
                world.log().error("Cannot keep the names that nodes have told: " + problem);
              }
            });
  }
}
