package org.systole.controld.operations;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What may run on a node and is not configured any more. No DC asks for it: if the CIB does not say that it runs, the
/// controller that knows of it has to look.
public final class RemovedResources {
  /// So many are looked for at a time.
  public static final int LOOKS_MAX = 300;

  private RemovedResources() {}

  /// Probes for what may run and is not configured. What is found is recorded, and stopped as any other orphan.
  public static void look(OperationRunner runner, @Nullable Element cib) {
    var resources = cib == null ? null : cib.path("configuration", "resources");
    if (resources == null) {
      return;
    }
    runner.leftRunning().stream()
        .filter(it -> !isConfigured(resources, it.id()))
        .limit(LOOKS_MAX)
        .toList()
        .forEach(it -> runner.look(it, () -> {}));
  }

  /// Whether the configuration has a resource, or a bundle that it belongs to.
  static boolean isConfigured(Element resources, ResourceId id) {
    var instance = id.text().indexOf(':');
    var name = instance < 0 ? id.text() : id.text().substring(0, instance);
    return resources.find(it -> it.is("primitive") && name.equals(it.id()) || it.is("bundle") && BundleParts.has(it, name)) != null;
  }
}
