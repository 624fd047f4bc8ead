package org.systole.common.world;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The transport between nodes, as the link needs it. Only the link uses it; daemons use a group.
///
/// It promises little: a process opens one channel and gets an address never used before. Processes
/// that find each other install views. A view is local: two processes may hold different,
/// overlapping views for seconds, a view may list a process that is gone or a node twice after a
/// restart. Between two processes that hold each other in their views, what one sends or broadcasts
/// arrives whole, once and in the order it was sent; anything may be lost around a change of view.
///
/// Threading as for [World].
public interface Channels {
  /// A process on the channel, for as long as that process lives.
  record Address(String text) implements Comparable<Address> {
    @Override
    public int compareTo(Address other) {
      return text.compareTo(other.text);
    }

    // Written out: asked for each message, and by the quick compiler a record's own are slow.
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other || other instanceof Address it && text.equals(it.text);
    }

    @Override
    public int hashCode() {
      return text.hashCode();
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /// @param creator the process that made the view
  /// @param number rises with each view of one process
  record ViewId(Address creator, long number) {}

  /// @param members in an order that all who hold this view share; the first one leads
  record View(ViewId id, List<Address> members) {
    public View {
      members = List.copyOf(members);
    }
  }

  /// The leader that this process follows. With the transport's views alone, two processes that do
  /// not hear each other would pull a third one to and fro. One that follows a leader joins no other's
  /// view.
  ///
  /// @param leader its views are accepted
  /// @param fellows the processes that follow it too: one of them may succeed it, but not within
  ///     `succession`
  /// @param succession counted from now
  /// @param others how long, from now, views of all others are dropped
  record Allegiance(Address leader, Set<Address> fellows, Duration succession, Duration others) {
    public Allegiance {
      fellows = Set.copyOf(fellows);
    }
  }

  interface Listener {
    /// The channel is there. The first view follows, with at least this process in it.
    void opened(Address self);

    void view(View view);

    /// @param from the sender, which for a broadcast may be this process
    void message(Address from, byte[] message);

    /// The peer's connection was closed by its system: its process has ended. Comes before the view
    /// without it, if at all; a silent peer, or one whose connection was broken, is never reported here.
    void ended(Address peer);

    /// This process has heard nothing of a peer in the view for long, or hears it again. Others may
    /// hear it well: a view says only that its first member does.
    void silent(Address peer, boolean silent);

    /// The last call; after [Channel#close] or when the channel cannot be had.
    void closed(String why);
  }

  interface Channel {
    /// To every member of the present view, this process included.
    void broadcast(byte[] message);

    /// To one process; lost if it is not in the view.
    void send(Address to, byte[] message);

    /// Changes which leader this process follows.
    ///
    /// @param allegiance null for none: any process may take this one into a view
    void follow(@Nullable Allegiance allegiance);

    /// A member of the present view that comes before this process does not lead it: this one goes on without it, in a view that is led
    /// by whoever is first then.
    void doubt(Address member);

    /// The nodes, their addresses or the token time changed. Takes effect in a moment.
    void use(Network network);

    /// The links to other nodes and whether they are up, as far as this process watches them: none
    /// where each node has one link only. Sorted by address and link.
    List<LinkState> links();

    /// Tells the others and leaves.
    void close();
  }

  /// The nodes as the configuration has them.
  ///
  /// @param hosts the addresses of each node by its links' numbers, this node's included
  /// @param priorities of links by their numbers; those that are not named have 1
  /// @param tokenMillis after which a silent process is taken for lost
  record Network(
      List<SortedMap<Integer, String>> hosts,
      SortedMap<Integer, Integer> priorities,
      long tokenMillis) {
    public Network {
      hosts = List.copyOf(hosts);
    }

    /// Of the links that both nodes have.
    ///
    /// @param one the addresses of a node
    /// @param other those of another one
    public SortedMap<Integer, Integer> between(
        SortedMap<Integer, ?> one, SortedMap<Integer, ?> other) {
      var both = new TreeMap<Integer, Integer>();
      for (var link : one.keySet()) {
        if (other.containsKey(link)) {
          both.put(link, priorities.getOrDefault(link, 1));
        }
      }
      return both;
    }
  }

  /// A link to another node.
  ///
  /// @param address the node's on link 0, as the configuration has it
  record LinkState(String address, int link, boolean up) {}

  /// What the cluster configuration file says by now.
  ///
  /// @param text null if it cannot be read
  /// @param problem why, for people; null if it can
  /// @param key what tells the cluster's key on disk from others, and nothing of it; null without
  ///     encryption
  record Configuration(
      String file, @Nullable String text, @Nullable String problem, @Nullable String key) {}

  /// Reads the cluster configuration file, and the cluster's key, anew; `done` is called with it later.
  /// A key that cannot be used is a problem of the whole.
  void configuration(Consumer<Configuration> done);

  /// What tells the key that this process speaks with from others; null without encryption.
  @Nullable String key();

  /// From now on accepts the key that was read last, too.
  ///
  /// @param key it, as [Configuration] tells it
  /// @return whether it is accepted; not if another one was read last
  boolean acceptKey(String key);

  /// Speaks with a key that is accepted. The one before is still accepted for a while, and then no
  /// more. A process that hears a peer speak with the key does this by itself.
  void useKey(String key);

  /// Opens the process's channel; the outcome arrives at `listener`.
  Channel open(Listener listener);
}
