package org.systole.controld.dc;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.Version;
import org.systole.controld.fsm.Input;

/// Which nodes the DC turns down, and why.
final class Objections {
  private static final String ONE_NAME =
      "make the files the same on all nodes and start it again; for a node's new name, take the node out of the cluster and add it anew";

  private final Dc.Host host;
  private final NodeBook book;
  private final NodeId self;

  Objections(Dc.Host host, NodeBook book, NodeId self) {
    this.host = host;
    this.book = book;
    this.self = self;
  }

  /// Why a node is not let in, null if it is.
  @Nullable String to(Input.JoinRequested request) {
    if (Version.compare(request.featureSet(), Product.FEATURE_SET) < 0) {
      return "feature set %s is older than the DC's %s".formatted(request.featureSet(), Product.FEATURE_SET);
    }
    if (book.isTaken(request.from())) {
      return "a remote or guest node is called like it, or like its id: give it another name, or disable and delete that node's resource and "
          + "remove the node with crm_node -R";
    }
    // what another DC has let in may run something: it is not lost for a name
    return host.isAdmitted(request.from()) ? null : otherName(request);
  }

  /// Under another name what a node does and says would be taken for nobody's, and waited for.
  private @Nullable String otherName(Input.JoinRequested request) {
    for (var entry : new TreeMap<>(request.names()).entrySet()) {
      var id = entry.getKey();
      if (book.isMember(id) && !book.name(id).equals(entry.getValue())) {
        return "its corosync.conf calls node %s %s, which is %s in the DC's: %s"
            .formatted(id, entry.getValue(), book.name(id), ONE_NAME);
      }
    }
    return null;
  }

  /// Why it is rather this node that has to go, null if it is not: with none let in yet it may be the one whose file
  /// is wrong, and would turn down all others.
  @Nullable String toThisNode(Input.JoinRequested request) {
    var theirs = request.names().get(self);
    return theirs == null || theirs.equals(book.name(self)) || host.isAdmitted(self)
        ? null
        : "this node is %s in its corosync.conf and %s in that of %s: %s"
            .formatted(book.name(self), theirs, book.name(request.from()), ONE_NAME);
  }
}
