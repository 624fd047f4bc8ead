package org.systole.pacemakerd.link;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;

/// A node's files, which outlive its processes.
record FakeDisk(Map<String, byte[]> files, Consumer<Runnable> later) implements Store {
  String text(String name) {
    var bytes = files.get(name);
    return bytes == null ? "" : new String(bytes).strip();
  }

  @Override
  public byte @Nullable [] read(String name) {
    return files.get(name);
  }

  @Override
  public List<String> list() {
    return List.of();
  }

  @Override
  public void change(List<Change> batch, Consumer<@Nullable String> done) {
    for (var change : batch) {
      if (change instanceof Change.Write(var name, var content)) {
        files.put(name, content);
      }
    }
    later.accept(() -> done.accept(null));
  }
}
