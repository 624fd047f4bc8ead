package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// What this node knows of whose votes count. It is kept on disk: a node that is started anew must
/// not take those who were left out for a majority. Where nobody was ever left out there is no file.
///
/// A file that is damaged or gone is made anew from its copy. If both are, the node may have known of
/// votes that do not count any more, and might be a majority with those whose votes these were. So its
/// own does not count until it has been a member of what had quorum without it: with those it shares
/// everything that was settled, since most of them were there, too.
final class ElectorateFile {
  static final String FILE = "electorate";
  static final String COPY = "electorate.copy";

  private final World world;
  private Electorate present = Electorate.ALL;
  private @Nullable Electorate stored = Electorate.ALL; // in both files; null if they differ
  private boolean lost; // what was known may be more
  private @Nullable Electorate writing; // what was asked for last and is not on disk yet
  private Runnable whenStored = () -> {};

  ElectorateFile(World world) {
    this.world = world;
  }

  void start() {
    var problems = new ArrayList<String>();
    var file = read(FILE, problems);
    var copy = read(COPY, problems);
    lost = file == null && copy == null && !problems.isEmpty();
    if (lost) {
      stored = null;
      world
          .log()
          .error(
              ("Whose votes count by last_man_standing is lost: %s. The vote of this node counts once it has been"
                      + " together with nodes that have quorum without it, or with all; if others are gone for good,"
                      + " see to it that they are off and say so here (pcs quorum unblock)")
                  .formatted(String.join("; ", problems)));
    } else if (file != null || copy != null) {
      present = Electorate.merged(Stream.of(file, copy).filter(Objects::nonNull).toList());
      stored = present.equals(file) && present.equals(copy) ? present : null;
      if (file == null || !problems.isEmpty()) {
        var problem = problems.isEmpty() ? FILE + " is gone" : problems.getFirst();
        world.log().warning("Of whose votes count one file is lost: %s; what %s says holds".formatted(problem, file == null ? COPY : FILE));
      }
      become(present, () -> {});
    }
  }

  /// Whether what this node knew of whose votes count may be more than what it knows.
  boolean isLost() {
    return lost;
  }

  /// The members of this node's membership had quorum without its vote, or are all there are.
  void carried() {
    if (lost) {
      lost = false;
      world.log().notice("Whose votes count is known from others; the vote of this node counts again");
      become(present, () -> {});
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

  /// @param kept called once it is on disk; a node whose vote does not count yet is asked again
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
    if (lost || !present.isAll()) {
      lost = false;
      become(new Electorate(Counted.after(present.newest(), null), List.of()), () -> {});
    }
  }

  private void become(Electorate changed, Runnable kept) {
    present = changed;
    if (lost) {
      return; // a file would be taken for all that was known
    }
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
            List.of(new Store.Change.Write(FILE, bytes), new Store.Change.Write(COPY, bytes)),
            problem -> written(changed, problem));
  }

  private void written(Electorate it, @Nullable String problem) {
    if (problem == null) {
      stored = it;
    } else {
      world.log().error("Cannot keep whose votes count by last_man_standing: " + problem);
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

  private @Nullable Electorate read(String name, List<String> problems) {
    try {
      var bytes = world.store().read(name);
      return bytes == null ? null : parsed(name, new String(bytes, StandardCharsets.UTF_8));
    } catch (Store.StoreException e) {
      problems.add(e.getMessage());
      return null;
    }
  }

  private static Electorate parsed(String name, String text) throws Store.StoreException {
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
        throw new Store.StoreException(name + " is damaged");
      }
      lines.add(new Counted(Long.parseLong(words.getFirst()), all ? null : List.copyOf(nodes)));
    }
    if (lines.isEmpty() || !text.endsWith("\n")) {
      throw new Store.StoreException(name + (lines.isEmpty() ? " is empty" : " is cut short"));
    }
    return new Electorate(lines.getFirst(), List.copyOf(lines.subList(1, lines.size())));
  }
}
