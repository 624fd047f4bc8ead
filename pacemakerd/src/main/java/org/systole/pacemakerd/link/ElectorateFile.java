package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// What this node knows of whose votes count. It is kept on disk: a node that is started anew must
/// not take those who were left out for a majority. Where nobody was ever left out there is no file.
final class ElectorateFile {
  static final String FILE = "electorate";

  private final World world;
  private Electorate present = Electorate.ALL;
  private Electorate stored = Electorate.ALL;
  private @Nullable Electorate writing; // what was asked for last and is not on disk yet
  private Runnable whenStored = () -> {};

  ElectorateFile(World world) {
    this.world = world;
  }

  void start() {
    try {
      var bytes = world.store().read(FILE);
      present = bytes == null ? Electorate.ALL : parsed(new String(bytes, StandardCharsets.UTF_8));
      stored = present;
    } catch (Store.StoreException e) {
      world
          .log()
          .error(
              ("Whose votes count by last_man_standing is lost, those of all nodes do: %s; "
                      + "where others of the cluster may be at work apart from this node, stop it")
                  .formatted(e.getMessage()));
    }
  }

  Electorate present() {
    return present;
  }

  /// A membership was made by those who know this; null from a leader that does not tell.
  void learn(@Nullable Electorate told) {
    if (told != null) {
      become(Electorate.merged(List.of(present, told)), () -> {});
    }
  }

  /// @param kept called once it is on disk
  void propose(Counted proposal, Runnable kept) {
    become(present.with(proposal), kept);
  }

  void settle(long since) {
    var changed = present.settled(since);
    if (changed != present) {
      var nodes = changed.settled().nodes();
      world
          .log()
          .notice(
              nodes == null
                  ? "The votes of all nodes count again"
                  : "last_man_standing: the votes of nodes %s count, others' do not until they are back"
                      .formatted(words(nodes)));
      become(changed, () -> {});
    }
  }

  /// All nodes count again, as a person has said who has seen to it that those which are away are
  /// off.
  void reset() {
    if (!present.isAll()) {
      become(new Electorate(new Counted(present.newest() + 1, null), List.of()), () -> {});
    }
  }

  private void become(Electorate changed, Runnable kept) {
    present = changed;
    if (changed.equals(stored)) {
      kept.run();
      return;
    }
    whenStored = kept;
    if (changed.equals(writing)) {
      return; // a disk that hangs is not asked again and again
    }
    writing = changed;
    var bytes = text(changed).getBytes(StandardCharsets.UTF_8);
    world
        .store()
        .change(
            List.of(new Store.Change.Write(FILE, bytes)), problem -> written(changed, problem));
  }

  private void written(Electorate it, @Nullable String problem) {
    if (problem == null) {
      stored = it;
    } else {
      world.log().error(problem);
    }
    if (it.equals(writing)) {
      writing = null;
      if (problem == null) {
        whenStored.run();
      }
    }
  }

  // ---- the form on disk: a line for what is settled, one for each proposal

  private static String text(Electorate it) {
    return it.all().stream()
        .map(one -> one.since() + " " + (one.nodes() == null ? "all" : words(one.nodes())) + "\n")
        .collect(Collectors.joining());
  }

  private static String words(List<NodeId> nodes) {
    return nodes.stream().map(NodeId::toString).collect(Collectors.joining(" "));
  }

  private static Electorate parsed(String text) throws Store.StoreException {
    var lines = new ArrayList<Counted>();
    for (var line : text.lines().toList()) {
      var words = List.of(line.split(" "));
      var known = words.size() > 1 && words.getFirst().matches("\\d{1,18}|[1-8]\\d{18}");
      var all = known && words.equals(List.of(words.getFirst(), "all"));
      var nodes = new ArrayList<NodeId>();
      for (var word : all ? List.<String>of() : words.subList(1, words.size())) {
        var node = NodeId.of(word);
        known &= node != null;
        nodes.add(node);
      }
      if (!known) {
        throw new Store.StoreException(FILE + " is damaged");
      }
      lines.add(new Counted(Long.parseLong(words.getFirst()), all ? null : List.copyOf(nodes)));
    }
    if (lines.isEmpty()) {
      throw new Store.StoreException(FILE + " is empty");
    }
    return new Electorate(lines.getFirst(), List.copyOf(lines.subList(1, lines.size())));
  }
}
