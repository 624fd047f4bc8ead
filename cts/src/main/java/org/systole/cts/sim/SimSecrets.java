package org.systole.cts.sim;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.SecretValue;
import org.systole.common.world.SecretStore;

/// The secrets on a node's disk. They outlive processes and power failures.
final class SimSecrets {
  private static final long READ = 300_000;
  private static final long WRITE = 2_000_000;

  private final SimQueue queue;
  private final SortedMap<String, SortedMap<String, byte[]>> files = new TreeMap<>();

  SimSecrets(SimQueue queue) {
    this.queue = queue;
  }

  /// Puts a value there, as an administrator may.
  void put(String resource, String parameter, String text) {
    var value = SecretValue.of(text);
    if (value == null) {
      throw new IllegalArgumentException("no value");
    }
    var its = files.computeIfAbsent(resource, _ -> new TreeMap<>());
    its.put(parameter, value.content());
    its.put(parameter + SecretNames.SIGN, value.sign());
  }

  /// What is there, by resource and file.
  SortedMap<String, SortedMap<String, byte[]>> files() {
    return files;
  }

  /// The directory as one process sees it.
  SecretStore openedBy(SimProcess process) {
    return new View(process);
  }

  private final class View implements SecretStore {
    private final SimProcess process;

    View(SimProcess process) {
      this.process = process;
    }

    @Override
    public void read(String resource, List<String> names, Consumer<Contents> done) {
      queue.after(
          READ,
          process,
          () -> {
            var found = new TreeMap<>(files.getOrDefault(resource, new TreeMap<>()));
            found.keySet().retainAll(names);
            done.accept(new Contents(found, List.of()));
          });
    }

    @Override
    public void readAll(Consumer<All> done) {
      queue.after(
          READ,
          process,
          () -> {
            SortedMap<String, SortedMap<String, byte[]>> all = new TreeMap<>();
            files.forEach((resource, its) -> all.put(resource, new TreeMap<>(its)));
            done.accept(new All(all, List.of()));
          });
    }

    /// What a process that ends had asked for is done or not, a file at a time.
    @Override
    public void change(List<Change> changes, Consumer<@Nullable String> done) {
      var at = 0L;
      for (var change : changes) {
        at += WRITE;
        queue.after(at, process, () -> carryOut(change));
      }
      queue.after(at + READ, process, () -> done.accept(null));
    }

    private void carryOut(Change change) {
      switch (change) {
        case Change.Write(var resource, var name, var content) ->
            files.computeIfAbsent(resource, _ -> new TreeMap<>()).put(name, content.clone());
        case Change.Delete(var resource, var name) -> {
          var its = files.getOrDefault(resource, new TreeMap<>());
          its.remove(name);
          if (its.isEmpty()) {
            files.remove(resource);
          }
        }
      }
    }
  }
}
