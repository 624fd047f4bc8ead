package org.systole.attrd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.common.alerts.Alerts;
import org.systole.common.cib.CibOp;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Writes attributes into the CIB, on the node that is the writer. One update is on its way at a
/// time. What changes meanwhile, and for a moment after, goes with the next one, because each
/// update makes the cluster plan again.
final class AttrWriter {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration SETTLED = Duration.ofSeconds(1);
  private static final Duration PACE = Duration.ofMillis(25); // from one's end to the next
  private static final Duration RETRY = Duration.ofSeconds(2);

  /// A value as it was written.
  private record Written(
      String name, NodeName node, CibNodeId nodeId, @Nullable String text, Attribute.Value value) {
    WriteLog.Sent sent() {
      return new WriteLog.Sent(name, node, text);
    }
  }

  private final World world;
  private final CibClient cib;
  private final AttributeTable table;
  private final Function<NodeName, @Nullable CibNodeId> nodeIds;
  private final Alerts alerts;
  private final Pace pace;
  private final WriteLog log;
  private final boolean alone; // there is no CIB: all attributes are kept as private ones are
  private final Set<NodeName> cleaning = new LinkedHashSet<>();
  private final Map<String, World.Timer> delayed = new LinkedHashMap<>();
  private final Set<String> waiting = new LinkedHashSet<>(); // for the update on its way
  private boolean active;
  private boolean quorate;
  private boolean comparing;
  private boolean inFlight;
  private int requests;

  /// @param nodeIds a cluster node's id in the CIB by its name
  /// @param alone whether there is neither cluster nor CIB
  AttrWriter(
      World world,
      CibClient cib,
      AttributeTable table,
      Function<NodeName, @Nullable CibNodeId> nodeIds,
      Alerts alerts,
      boolean alone) {
    this.world = world;
    this.cib = cib;
    this.table = table;
    this.nodeIds = nodeIds;
    this.alerts = alerts;
    this.alone = alone;
    this.pace = new Pace(world, PACE, this::write);
    this.log = new WriteLog(world);
  }

  boolean isActive() {
    return active;
  }

  /// What the CIB has for a node is cleaned only with quorum. A side without it does not know what
  /// the other nodes have, and its request may still reach the CIB of those when they are back.
  void quorum(boolean now) {
    quorate = now;
    schedule();
  }

  /// Becomes the writer or ceases to be it. A new writer writes every value, because the last one
  /// may have died in the middle of a write.
  void turn(boolean ours, List<NodeName> nodes) {
    if (ours == active) {
      return;
    }
    active = ours;
    delayed.values().forEach(World.Timer::cancel);
    delayed.clear();
    cleaning.clear();
    if (ours && alone) {
      schedule();
    } else if (ours) {
      world.log().info("Writing node attributes to the CIB from now on");
      nodes.forEach(this::rewrite);
      writeAll();
    }
  }

  /// Writes every value again, at once.
  void writeAll() {
    log.writingAll();
    table.attributes().forEach(it -> it.values().values().forEach(value -> value.written(false)));
    delayed.keySet().forEach(log::overriding);
    delayed.values().forEach(World.Timer::cancel);
    delayed.clear();
    schedule();
  }

  /// Replaces what the CIB has for this node by what is known here.
  void rewrite(NodeName node) {
    for (var attribute : table.attributes()) {
      var value = attribute.values().get(node);
      if (value != null) {
        value.written(false);
      }
    }
    cleaning.add(node);
    schedule();
  }

  /// An attribute has another delay. What it has by now is written without waiting: changes of the delay that
  /// come again and again would keep it back for ever.
  void delayChanged(Attribute attribute) {
    if (!active) {
      return;
    }
    var timer = delayed.remove(attribute.name());
    if (timer != null) {
      timer.cancel();
    }
    attribute.values().values().forEach(it -> it.written(false));
    if (inFlight && !isKept(attribute)) {
      log.waiting(attribute.name(), requests);
      waiting.add(attribute.name());
    }
    write(); // a new value of the same update has the new delay
  }

  /// An attribute has changed. It is written once no further change came for the attribute's delay.
  void changed(Attribute attribute) {
    if (!active) {
      // the writer sends the alert
      attribute.values().values().forEach(Attribute.Value::takeUnalerted);
      return;
    }
    var timer = delayed.remove(attribute.name());
    if (timer != null) {
      timer.cancel();
    }
    if (attribute.delayMillis() > 0) {
      var delay = Duration.ofMillis(attribute.delayMillis());
      delayed.put(
          attribute.name(),
          world.after(
              delay,
              () -> {
                delayed.remove(attribute.name());
                schedule();
              }));
      return;
    }
    if (inFlight && !isKept(attribute)) {
      log.waiting(attribute.name(), requests);
      waiting.add(attribute.name());
    }
    schedule();
  }

  /// The CIB was changed by others. What is missing in it a moment later is written again.
  void cibChanged(Supplier<@Nullable Element> now) {
    if (!active || comparing) {
      return;
    }
    comparing = true;
    world.after(
        SETTLED,
        () -> {
          comparing = false;
          var cib = now.get();
          if (active && !inFlight && cib != null) {
            compare(cib);
          }
        });
  }

  private void compare(Element cib) {
    for (var attribute : table.attributes()) {
      if (attribute.kind().isPrivate()) {
        continue;
      }
      attribute
          .values()
          .forEach(
              (node, value) -> {
                var id = value.isRemote() ? CibNodeId.ofRemote(node) : nodeIds.apply(node);
                var text = value.text();
                if (id != null
                    && text != null
                    && !new StatusXml(id, node).has(cib, attribute, text)) {
                  value.written(false);
                }
              });
    }
    schedule();
  }

  void schedule() {
    if (active && !inFlight) {
      pace.soon();
    }
  }

  private void write() {
    if (!active) {
      return;
    }
    table.attributes().stream()
        .filter(it -> isKept(it) && !delayed.containsKey(it.name()))
        .forEach(this::keep);
    if (alone || inFlight || !cib.isConnected()) {
      return;
    }
    var operations = new ArrayList<CibOp>();
    var cleaned = quorate ? List.copyOf(cleaning) : List.<NodeName>of();
    for (var node : cleaned) {
      log.clearing(node, StatusXml.everythingOf(node));
      operations.add(CibOp.deleteAllXPath(StatusXml.everythingOf(node)));
    }
    var written = values(operations);
    if (operations.isEmpty()) {
      return;
    }
    cleaned.forEach(cleaning::remove);
    written.forEach(it -> it.value.written(true));
    // of this value, and not of one that comes meanwhile
    var news = written.stream().filter(it -> it.value.takeUnalerted()).toList();
    inFlight = true;
    requests++;
    log.sent(requests, sent(written), table);
    cib.update(operations, TIMEOUT, answer -> done(answer, cleaned, written, news));
  }

  private List<Written> values(List<CibOp> operations) {
    var written = new ArrayList<Written>();
    var merges = new LinkedHashMap<NodeName, StatusXml>();
    for (var attribute : table.attributes()) {
      if (!attribute.hasUnwritten() || delayed.containsKey(attribute.name())) {
        continue;
      }
      attribute
          .values()
          .forEach(
              (node, value) -> {
                var id = value.isRemote() ? CibNodeId.ofRemote(node) : nodeIds.apply(node);
                if (value.isUnwritten() && id == null) {
                  log.unknown(attribute, node, value.text());
                } else if (value.isUnwritten()) {
                  log.adding(attribute, node, value.text(), id);
                  var status = merges.computeIfAbsent(node, _ -> new StatusXml(id, node));
                  status.add(attribute, value.text(), operations);
                  written.add(new Written(attribute.name(), node, id, value.text(), value));
                }
              });
    }
    log.looked();
    for (var merge : merges.values()) {
      var element = merge.merge();
      if (element != null) {
        operations.add(CibOp.put("status", element));
      }
    }
    return written;
  }

  private boolean isKept(Attribute attribute) {
    return alone || attribute.kind().isPrivate();
  }

  /// Private values are known to the attribute managers, and need no more than that. The log counts the nodes that have
  /// one, as Pacemaker's does.
  private void keep(Attribute attribute) {
    var news = attribute.values().values().stream().filter(Attribute.Value::isUnwritten).toList();
    if (news.isEmpty()) {
      return;
    }
    news.forEach(it -> it.written(true));
    log.kept(attribute, attribute.values().size());
  }

  private static List<WriteLog.Sent> sent(List<Written> written) {
    return written.stream().map(Written::sent).toList();
  }

  /// @param news those of which no alert was sent yet
  private void done(
      CibMessage.Answer answer, List<NodeName> cleaned, List<Written> written, List<Written> news) {
    inFlight = false;
    pace.pause();
    if (answer.rc().isOk()) {
      log.written(requests, sent(written), emptied(cleaned, written));
      news.forEach(this::alert);
      written.forEach(it -> waiting.add(it.name));
      table.attributes().stream()
          .filter(it -> waiting.contains(it.name()) && isWritable(it))
          .forEach(it -> goesOn(it.name()));
      waiting.clear();
      schedule();
      return;
    }
    world
        .log()
        .warning(
            "Could not write node attributes to the CIB, trying again: "
                + (answer.why().isEmpty() ? answer.rc().text() : answer.why()));
    log.failed(requests, sent(written), emptied(cleaned, written), answer.rc());
    cleaning.addAll(cleaned);
    written.forEach(it -> it.value.written(false));
    news.forEach(it -> it.value.unalerted());
    world.after(RETRY, this::schedule);
  }

  /// Whether it has a value that the CIB may not have, of a node that is known there.
  private boolean isWritable(Attribute attribute) {
    return attribute.hasUnwritten()
        && attribute.values().entrySet().stream()
            .anyMatch(
                it ->
                    it.getValue().isUnwritten()
                        && (it.getValue().isRemote() || nodeIds.apply(it.getKey()) != null));
  }

  private void goesOn(String name) {
    log.goesOn(name);
    if (delayed.containsKey(name)) {
      log.delaying(name);
    }
  }

  /// Of the nodes that were cleaned, those that got no value instead.
  private static List<NodeName> emptied(List<NodeName> cleaned, List<Written> written) {
    var filled = written.stream().filter(it -> it.text != null).map(Written::node).distinct().toList();
    return cleaned.stream().filter(node -> filled.stream().noneMatch(node::equalsIgnoreCase)).toList();
  }

  private void alert(Written it) {
    alerts.attribute(it.node, it.nodeId.number(), it.name, it.text == null ? "" : it.text);
  }
}
