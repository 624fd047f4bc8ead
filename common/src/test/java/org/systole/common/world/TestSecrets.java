package org.systole.common.world;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.SecretValue;

/// The secrets of a node under test, in memory.
public final class TestSecrets implements SecretStore {
  private final TestWorld world;
  private final SortedMap<String, SortedMap<String, byte[]>> files = new TreeMap<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private List<String> problems = List.of();
  private boolean waits;
  private int reads;
  private @Nullable String error;

  TestSecrets(TestWorld world) {
    this.world = world;
  }

  // For the test

  /// A value with its digest.
  public void put(String resource, String parameter, String text) {
    var value = SecretValue.of(text);
    if (value == null) {
      throw new IllegalArgumentException("no value");
    }
    file(resource, parameter, value.content());
    file(resource, parameter + SecretNames.SIGN, value.sign());
  }

  public void file(String resource, String name, byte[] content) {
    files.computeIfAbsent(resource, _ -> new TreeMap<>()).put(name, content);
  }

  public void remove(String resource, String name) {
    files.getOrDefault(resource, new TreeMap<>()).remove(name);
  }

  /// The text of a file, null if there is none.
  public @Nullable String text(String resource, String name) {
    var content = files.getOrDefault(resource, new TreeMap<>()).get(name);
    return content == null ? null : new String(content, StandardCharsets.UTF_8);
  }

  /// What every reader is told from now on.
  public void problems(String... lines) {
    problems = List.of(lines);
  }

  /// Whether the disk does not answer.
  public void waits(boolean yes) {
    waits = yes;
    if (!yes) {
      waiting.forEach(world::post);
      waiting.clear();
    }
  }

  /// From now on nothing can be written; null for that it can.
  public void fails(@Nullable String why) {
    error = why;
  }

  public int reads() {
    return reads;
  }

  // For the daemon

  @Override
  public void read(String resource, List<String> names, Consumer<Contents> done) {
    reads++;
    SortedMap<String, byte[]> found = new TreeMap<>();
    files
        .getOrDefault(resource, new TreeMap<>())
        .forEach(
            (name, content) -> {
              if (names.contains(name)) {
                found.put(name, content);
              }
            });
    later(() -> done.accept(new Contents(found, problems)));
  }

  @Override
  public void readAll(Consumer<All> done) {
    reads++;
    SortedMap<String, SortedMap<String, byte[]>> all = new TreeMap<>();
    files.forEach((resource, its) -> all.put(resource, new TreeMap<>(its)));
    later(() -> done.accept(new All(all, problems)));
  }

  @Override
  public void change(List<Change> changes, Consumer<@Nullable String> done) {
    var wrong = error;
    if (wrong == null) {
      for (var change : changes) {
        switch (change) {
          case Change.Write(var resource, var name, var content) -> file(resource, name, content);
          case Change.Delete(var resource, var name) -> remove(resource, name);
        }
      }
      files.values().removeIf(SortedMap::isEmpty);
    }
    later(() -> done.accept(wrong));
  }

  private void later(Runnable task) {
    if (waits) {
      waiting.add(task);
    } else {
      world.post(task);
    }
  }
}
