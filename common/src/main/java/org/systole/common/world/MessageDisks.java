package org.systole.common.world;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;

/// Disks on which other nodes leave messages for this one, in slots as SBD has them.
public interface MessageDisks {
  /// Reads how long a message may take, of each disk, and touches nothing.
  ///
  /// @param limit after which no more disks are waited for
  /// @param done told the longest time that a disk names, in the loop; null if none says anything
  void messageWait(List<String> disks, Duration limit, Consumer<@Nullable Duration> done);

  /// Looks after this node's slot on each disk from now on: takes one where it has none, and reads
  /// it again and again. A disk that hangs is silent; one that fails is tried again.
  ///
  /// @param owner this node's name on the disks
  /// @param clean whether a message from before the start is told; else it is forgotten
  void watch(List<String> disks, String owner, boolean clean, Listener listener);

  /// From now on the node may run resources: a message that is found counts, whenever it was written,
  /// also on a disk that is seen for the first time.
  void begun();

  /// What is heard of the disks, in the loop.
  interface Listener {
    /// A disk is there, has a slot for this node, and the slot was read.
    ///
    /// @param beganNanos when reading began, in the world's elapsed time: what was written later may
    ///     be missing
    void seen(String disk, DiskFormat.Times times, long beganNanos);

    /// There was a message for this node that wants it to do something. It is left where it is.
    ///
    /// @param old it was there before the node was started
    void message(String disk, DiskMessage message, String from, boolean old);

    /// A disk does not do; told once until it does again.
    void failed(String disk, String why);
  }
}
