package org.systole.execd.client.remote;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.execd.client.ExecMessage;

/// What goes on at the executor of a remote node. It stands in the reply to [RemoteRequest.ListRecurring], in which Pacemaker's executors
/// say only what recurs, and its controllers overlook the rest.
///
/// @param recurring keys such as `db_monitor_10000`
/// @param underWay the transition keys of what runs or waits for its turn; null if the executor does not say
public record GoingOn(List<String> recurring, @Nullable Set<String> underWay) {
  private static final String UNDER_WAY = "systole_under_way";

  /// A reply that also tells what is under way.
  static Element in(Element reply, List<ExecMessage.ResourceState> resources) {
    var list = Element.builder(UNDER_WAY);
    for (var resource : resources) {
      for (var queued : resource.pending()) {
        list.add(Element.of(RemoteXml.RECURRING_OPERATION, RemoteXml.KEY, queued.request().transitionKey()));
      }
    }
    return reply.plus(list.build());
  }

  static GoingOn of(Element reply) {
    var list = reply.first(UNDER_WAY);
    return new GoingOn(recurringIn(reply), list == null ? null : keys(list));
  }

  private static Set<String> keys(Element list) {
    var keys = new HashSet<String>();
    list.children(RemoteXml.RECURRING_OPERATION).forEach(it -> keys.add(it.get(RemoteXml.KEY, "")));
    return keys;
  }

  private static List<String> recurringIn(Element message) {
    var keys = new ArrayList<String>();
    for (var resource : message.children("lrmd_rsc")) {
      for (var operation : resource.children(RemoteXml.RECURRING_OPERATION)) {
        keys.add(
            OperationKey.text(
                resource.get(RemoteXml.RESOURCE, ""),
                operation.get(RemoteXml.ACTION, ""),
                Numbers.whole(operation.get(RemoteXml.INTERVAL), 0)));
      }
    }
    return keys;
  }
}
