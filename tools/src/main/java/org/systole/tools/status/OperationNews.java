package org.systole.tools.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Product;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// Which operations of resources have had a result since the CIB was looked at before, as an external
/// agent of `crm_mon` is told of them: in variables, by Pacemaker's names.
final class OperationNews {
  private static final int PENDING = -1;

  private @Nullable Map<String, String> known;

  /// @return nothing at the first look
  List<Map<String, String>> since(Element cib) {
    var before = known;
    var now = new LinkedHashMap<String, String>();
    var news = new ArrayList<Map<String, String>>();
    var status = cib.first("status");
    for (var node : status == null ? List.<Element>of() : status.children("node_state")) {
      var resources = node.path("lrm", "lrm_resources");
      for (var rsc : resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
        for (var entry : rsc.children(HistoryEntry.ELEMENT)) {
          var key = node.get("id") + " " + rsc.id() + " " + entry.id();
          var what = entry.get("call-id") + " " + entry.get("op-status") + " " + entry.get("rc-code");
          now.put(key, what);
          if (before != null && !what.equals(before.get(key)) && isNews(entry)) {
            news.add(variables(node, rsc, entry));
          }
        }
      }
    }
    known = now;
    return news;
  }

  /// The last failure of an operation is recorded beside the operation.
  private static boolean isNews(Element entry) {
    var status = Numbers.parseInt(entry.get("op-status"), PENDING);
    var probe = "monitor".equals(entry.get("operation")) && Interval.parse(entry.get("interval")) == 0;
    var expected = Numbers.parseInt(entry.get("rc-code"), 0) == expected(entry);
    return status != PENDING
        && !entry.get("id", "").contains("_last_failure_")
        && !(probe && expected);
  }

  private static int expected(Element entry) {
    return TransitionKey.expectedRc(entry.get("transition-key", ""));
  }

  private static Map<String, String> variables(Element node, Element rsc, Element entry) {
    var status = Numbers.parseInt(entry.get("op-status"), 0);
    var rc = Numbers.parseInt(entry.get("rc-code"), 0);
    var variables = new LinkedHashMap<String, String>();
    variables.put("CRM_notify_node", node.get("uname", ""));
    variables.put("CRM_notify_rsc", rsc.get("id", ""));
    variables.put("CRM_notify_task", entry.get("operation", ""));
    variables.put("CRM_notify_desc", status == 0 ? ExitStatus.text(rc) : ExecStatus.text(status));
    variables.put("CRM_notify_rc", String.valueOf(rc));
    variables.put("CRM_notify_target_rc", String.valueOf(expected(entry)));
    variables.put("CRM_notify_status", String.valueOf(status));
    variables.put("CRM_notify_version", Product.COMPATIBLE_VERSION);
    return variables;
  }
}
