package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.world.Processes.Program;

/// One run of a fence agent, with its hand on the power switches.
final class SimFenceAgent {
  private static final long OFF_TO_ON = 2_000_000_000L;
  private static final int STATUS_OFF = 2;
  private static final int NOT_YET = -1;

  /// A power switch that is told a password wants this one.
  static final String PASSWORD = "open-sesame";

  private final SimNode node;
  private final SimProcess child;
  private final Map<String, String> parameters;
  private final SimAgents.Output output;
  private int done = NOT_YET;

  SimFenceAgent(SimNode node, SimProcess child, Program program, SimAgents.Output output) {
    this.node = node;
    this.child = child;
    this.parameters = parameters(program);
    this.output = output;
  }

  /// What the agent was told on standard input, or by `-o ACTION` and `--action=ACTION`.
  static Map<String, String> parameters(Program program) {
    var found = new LinkedHashMap<String, String>();
    program
        .input()
        .lines()
        .filter(it -> it.contains("="))
        .forEach(
            it -> {
              var at = it.indexOf('=');
              found.put(it.substring(0, at).strip(), it.substring(at + 1).strip());
            });
    var command = program.command();
    for (var at = 1; at < command.size(); at++) {
      if (command.get(at).startsWith("--action=")) {
        found.put("action", command.get(at).substring("--action=".length()));
      } else if (command.get(at).equals("-o") && at + 1 < command.size()) {
        found.put("action", command.get(at + 1));
      }
    }
    return found;
  }

  void run(SimAgents.@Nullable Fault fault, long usualNanos) {
    var action = parameters.getOrDefault("action", "reboot");
    trace(action + " " + target() + (fault == null ? "" : " with " + fault));
    node.cluster().hostChecks().begins(node, action, target());
    node.cluster().checks().removals().fences(action, target());
    if (child.name().equals("fence_sbd") && fault == null && !quick(action)) {
      if (!node.cluster().messageDisks().write(target(), DiskMessage.RESET, node.name())) {
        node.cluster().queue().after(usualNanos / 20, child, () -> child.end(1, 0));
        return;
      }
      var waits = node.cluster().messageDisks().messageWait().toNanos();
      node.cluster().queue().after(waits, child, () -> child.end(0, 0));
      return;
    }
    var acts = fault == null ? null : fault.acts();
    if (acts != null) {
      node.cluster().queue().after(acts.toNanos(), child, () -> done = work(action));
    }
    if (fault != null && fault.hang()) {
      return;
    }
    var takes =
        fault != null && fault.takes() != null
            ? fault.takes().toNanos()
            : quick(action) ? usualNanos / 20 : usualNanos;
    node.cluster()
        .queue()
        .after(
            takes,
            child,
            () -> {
              var status = status(action, fault);
              trace(action + " " + target() + " ends with " + status);
              child.end(status, 0);
            });
  }

  private static boolean quick(String action) {
    return !action.equals("off") && !action.equals("on") && !action.equals("reboot");
  }

  private int status(String action, SimAgents.@Nullable Fault fault) {
    if (fault != null && fault.status() != 0) {
      return fault.status();
    }
    return done == NOT_YET ? work(action) : done;
  }

  private String target() {
    for (var name : new String[] {"plug", "port", "nodename"}) {
      var value = parameters.get(name);
      if (value != null) {
        return value;
      }
    }
    return "";
  }

  private int work(String action) {
    switch (action) {
      case "metadata", "meta-data" -> {
        output.is(SimMetaData.fence(child.name()), "");
        return 0;
      }
      case String _ when isRefused() -> {
        output.is("", "wrong password");
        return 1;
      }
      case "list", "list-status" -> {
        output.is(list(), "");
        return 0;
      }
      case "monitor", "validate-all" -> {
        return 0;
      }
      default -> {
        return power(action);
      }
    }
  }

  private boolean isRefused() {
    return !parameters.getOrDefault("passwd", PASSWORD).equals(PASSWORD);
  }

  private String list() {
    var text = new StringBuilder();
    for (var each : node.cluster().machines()) {
      if (!each.isGuest()) {
        text.append(each.name()).append(",\n");
      }
    }
    return text.toString();
  }

  private int power(String action) {
    var victim = node.cluster().nodeOrNull(target());
    if (victim == null || victim.isGuest()) {
      output.is("", "no such plug: " + target());
      return 1;
    }
    switch (action) {
      case "off" -> {
        node.cluster().cutPower(victim, node);
        node.cluster().outside().switchedOff(victim);
      }
      case "reboot" -> {
        node.cluster().cutPower(victim, node);
        victim.powerOnAfter(OFF_TO_ON);
      }
      case "on" -> victim.powerOn();
      case "status" -> {
        return status(victim);
      }
      default -> {
        return 1;
      }
    }
    return 0;
  }

  private int status(SimNode victim) {
    return switch (node.cluster().outside().volumes().power(victim)) {
      case null -> victim.isPowered() ? 0 : STATUS_OFF;
      case ON -> 0;
      case OFF -> STATUS_OFF;
      case UNKNOWN, RIGHT -> {
        output.is("", "no answer from the switch");
        yield 1;
      }
    };
  }

  private void trace(String text) {
    node.cluster().trace().add(node.cluster().queue().now(), node.name(), child.name(), text);
  }
}
