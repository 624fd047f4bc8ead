package org.systole.common.alerts;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Bool;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.Interval;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;

/// One recipient of an alert, as the configuration's `alerts` section has it.
///
/// @param recipient empty if the alert has none
/// @param variables what is added to the program's environment
/// @param kinds what it wants to hear of
/// @param attributes of which attributes, if of any; empty for all
record Alert(
    String id,
    String path,
    String recipient,
    Duration timeout,
    String timestampFormat,
    Map<String, String> variables,
    Set<Kind> kinds,
    Set<String> attributes) {
  enum Kind {
    NODE,
    FENCING,
    RESOURCE,
    ATTRIBUTE;

    String word() {
      return switch (this) {
        case NODE -> "node";
        case FENCING -> "fencing";
        case RESOURCE -> "resource";
        case ATTRIBUTE -> "attribute";
      };
    }
  }

  /// The alerts of a CIB, one for each recipient, disabled ones left out.
  ///
  /// @param zone which dates in rules mean
  static List<Alert> of(Element cib, Instant now, ZoneId zone) {
    var section = cib.path("configuration", "alerts");
    var alerts = new ArrayList<Alert>();
    if (section == null) {
      return alerts;
    }
    var blocks = new NameValues(new Rules(cib, Diagnostics.NONE));
    var context = RuleContext.at(IsoTime.of(now, zone));
    for (var alert : section.children("alert")) {
      var recipients = alert.children("recipient");
      if (recipients.isEmpty()) {
        add(alert, List.of(alert), "", blocks, context, alerts);
      }
      for (var recipient : recipients) {
        add(alert, List.of(recipient, alert), recipient.get("value", ""), blocks, context, alerts);
      }
    }
    return alerts;
  }

  /// @param owners whose settings count, the nearest first
  private static void add(
      Element alert,
      List<Element> owners,
      String recipient,
      NameValues blocks,
      RuleContext context,
      List<Alert> into) {
    var meta = new LinkedHashMap<String, String>();
    var variables = new LinkedHashMap<String, String>();
    for (var owner : owners) {
      blocks.unpack(owner, "meta_attributes", null, context, meta, null);
      blocks.unpack(owner, "instance_attributes", null, context, variables, null);
    }
    var enabled = meta.get("enabled");
    if (enabled != null && !Bool.isTrue(enabled)) {
      return;
    }
    var kinds = EnumSet.of(Kind.NODE, Kind.FENCING, Kind.RESOURCE);
    var attributes = new LinkedHashSet<String>();
    var select = alert.first("select");
    if (select != null) {
      kinds = EnumSet.noneOf(Kind.class);
      for (var wanted : select.children()) {
        switch (wanted.name()) {
          case "select_nodes" -> kinds.add(Kind.NODE);
          case "select_fencing" -> kinds.add(Kind.FENCING);
          case "select_resources" -> kinds.add(Kind.RESOURCE);
          case "select_attributes" -> {
            kinds.add(Kind.ATTRIBUTE);
            wanted.children("attribute").forEach(it -> attributes.add(it.get("name", "")));
          }
          default -> {} // the schema allows nothing else
        }
      }
    }
    var timeout = Interval.parse(meta.get("timeout"), 30_000);
    into.add(
        new Alert(
            alert.get("id", ""),
            alert.get("path", ""),
            recipient,
            Duration.ofMillis(timeout > 0 ? timeout : 30_000),
            meta.getOrDefault("timestamp-format", "%H:%M:%S.%06N"),
            variables,
            kinds,
            attributes));
  }
}
