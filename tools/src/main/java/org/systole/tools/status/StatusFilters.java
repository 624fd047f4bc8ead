package org.systole.tools.status;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.NameFilter;

/// What a display is restricted to by `--node` and `--resource`.
final class StatusFilters {
  private StatusFilters() {}

  /// The nodes of this name, or of the tag of this name; all of them for `*` and null.
  static NameFilter nodes(WorkingSet status, @Nullable String onlyNode) {
    if (onlyNode == null || onlyNode.equals("*")) {
      return NameFilter.ALL;
    }
    if (status.node(onlyNode) != null) {
      return new NameFilter(List.of(onlyNode));
    }
    var tag = status.tags().get(onlyNode);
    var names = new ArrayList<String>();
    for (var id : tag == null ? List.<String>of() : tag.refs()) {
      var node = status.nodeById(id);
      if (node != null) {
        names.add(node.name());
      }
    }
    return new NameFilter(names);
  }

  /// The same for resources.
  static NameFilter resources(WorkingSet status, @Nullable String onlyResource) {
    if (onlyResource == null || onlyResource.equals("*")) {
      return NameFilter.ALL;
    }
    var how = new Resource.Match[] {Resource.Match.HISTORY, Resource.Match.BASE_NAME};
    var rsc = status.find(onlyResource, how);
    if (rsc != null) {
      return new NameFilter(List.of(onlyResource.contains(":") ? rsc.id() : rsc.printableId()));
    }
    var tag = status.tags().get(onlyResource);
    var names = new ArrayList<String>();
    for (var id : tag == null ? List.<String>of() : tag.refs()) {
      var tagged = status.find(id, how);
      if (tagged != null) {
        names.add(tagged.printableId());
      }
    }
    return new NameFilter(names);
  }
}
