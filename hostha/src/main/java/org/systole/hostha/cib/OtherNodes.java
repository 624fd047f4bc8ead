package org.systole.hostha.cib;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Nodes that are no hosts: host HA looks after remote nodes only.
///
/// A member that does not answer takes its vote with it, and what it may hold is settled by quorum and
/// fencing, for all members in the same way: one that was kept, unanswering, from being fenced could be on
/// a side that goes on. A guest's power is its machine, which is a resource: whoever stops that proves by it
/// that the guest is down, so nothing is to be found out that the cluster does not know.
final class OtherNodes {
  private static final String MEMBER =
      "a member of the cluster: host HA looks after remote nodes only. A member that does not answer has"
          + " to be fenced, or its vote and what it runs stay uncertain";
  private static final String GUEST =
      "a guest node: host HA looks after remote nodes only. A guest is recovered with the resource that"
          + " runs it; look after the host that carries it";

  private OtherNodes() {}

  /// What a node is that is no host, and what follows from it, in words; null if there is none of that
  /// name.
  static @Nullable String whatIs(Element cib, String name) {
    if (isAny(cib, "resources", it -> isMachineOf(it, name) || isReplica(it, name))) {
      return GUEST;
    }
    return isAny(cib, "nodes", it -> isMember(it, name)) ? MEMBER : null;
  }

  private static boolean isAny(Element cib, String section, Predicate<Element> wanted) {
    var in = cib.path("configuration", section);
    return in != null && in.find(wanted) != null;
  }

  private static boolean isMember(Element node, String name) {
    return node.is("node")
        && name.equals(node.get("uname"))
        && node.get("type", "member").equals("member");
  }

  private static boolean isMachineOf(Element pair, String name) {
    return pair.is("nvpair")
        && "remote-node".equals(pair.get("name"))
        && name.equals(pair.get("value"));
  }

  private static boolean isReplica(Element bundle, String name) {
    var at = name.lastIndexOf('-');
    return bundle.is("bundle")
        && at > 0
        && name.substring(0, at).equals(bundle.id())
        && name.substring(at + 1).matches("\\d{1,6}");
  }
}
