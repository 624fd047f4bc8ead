package org.systole.common.world;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The node's files with values that are kept out of the CIB: a directory for each resource, in it
/// small files. They belong to root, nobody else can read them, and no link leads in or out.
///
/// A directory's name, its *holder*, is the id of the resource, or of a fence device. Such names and
/// those of files are what [org.systole.common.secrets.SecretNames] allows, with
/// `.sign` behind some; a name that holds anything else is an [IllegalArgumentException].
public interface SecretStore {
  /// The longest file in bytes.
  int CONTENT_MAX = 64 << 10;

  /// The most files that all resources together may have, and the most bytes in them.
  int FILES_MAX = 2_000;

  int BYTES_MAX = 4 << 20;

  /// Reads some files of a resource; what does not exist is no problem, it is not among them.
  ///
  /// @param done told in the loop, never from within this call. It may be told late or never, as
  ///     with a disk that does not answer
  void read(String holder, List<String> names, Consumer<Contents> done);

  /// Reads all files of all resources.
  ///
  /// @param done as for [#read]
  void readAll(Consumer<All> done);

  /// Carries out changes in order, each atomic and synced; the first that fails ends it.
  ///
  /// @param done told in the loop: null, or what went wrong in one line
  void change(List<Change> changes, Consumer<@Nullable String> done);

  /// @param files content by name
  /// @param problems what could not be read or may not be used, a line each, without contents
  record Contents(SortedMap<String, byte[]> files, List<String> problems) {
    public static Contents none(String problem) {
      return new Contents(new TreeMap<>(), List.of(problem));
    }

    @Override
    public String toString() {
      return "Contents[%s, %s]".formatted(files.keySet(), problems);
    }
  }

  /// @param holders files by resource and name
  record All(SortedMap<String, SortedMap<String, byte[]>> holders, List<String> problems) {
    public static All none(String problem) {
      return new All(new TreeMap<>(), List.of(problem));
    }

    @Override
    public String toString() {
      return "All[%s, %s]".formatted(holders.keySet(), problems);
    }
  }

  /// One step of [#change].
  sealed interface Change {
    String holder();

    /// Replaces a file; its directory is made if there is none.
    record Write(String holder, String name, byte[] content) implements Change {
      @Override
      public String toString() {
        return "Write[%s/%s]".formatted(holder, name);
      }
    }

    /// Removes a file if it is there, and the directory if it was the last.
    record Delete(String holder, String name) implements Change {}
  }

  /// Whether there are more files than [#FILES_MAX], or more bytes in them than [#BYTES_MAX].
  static boolean isTooMuch(Map<String, ? extends Map<String, byte[]>> holders) {
    var files = 0;
    var bytes = 0L;
    for (var holder : holders.values()) {
      files += holder.size();
      for (var content : holder.values()) {
        bytes += content.length;
      }
    }
    return files > FILES_MAX || bytes > BYTES_MAX;
  }
}
