package org.systole.tools.resource;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Product;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.execd.client.LocalAgents;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.operations.OperationConfig;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// `--validate` and `--force-*`: has an agent of this machine act, past the cluster.
final class ResourceExecution {
  private static final long DEFAULT_TIMEOUT_MILLIS = 20_000;

  private final Terminal terminal;
  private final Output out;
  private final ResourceOptions options;
  private final Map<String, String> overrides;
  private final int verbosity;

  ResourceExecution(
      Terminal terminal,
      Output out,
      ResourceOptions options,
      Map<String, String> overrides,
      int verbosity) {
    this.terminal = terminal;
    this.out = out;
    this.options = options;
    this.overrides = overrides;
    this.verbosity = verbosity;
  }

  /// The agent named on the command line, which need not be anybody's.
  AgentName named() throws CommandException {
    var standard = options.standard;
    var type = options.agent;
    if (options.requested != null) {
      throw CommandException.usage(
          "--class, --agent, and --provider cannot be used with -r/--resource");
    }
    if (options.mode != ResourceMode.EXECUTE) {
      throw CommandException.usage(
          "--class, --agent, and --provider can only be used with --validate and --force-*");
    }
    var ocf = "ocf".equals(standard);
    if (ocf && (options.provider == null || type == null)) {
      throw CommandException.usage("--provider and --agent are required with --class=ocf");
    }
    if (!ocf && options.provider != null) {
      throw CommandException.usage("--provider is supported only with --class=ocf");
    }
    if (type == null) {
      throw CommandException.usage("--agent is required with --class");
    }
    if (standard == null) {
      throw CommandException.usage("--class is required with --agent");
    }
    var agent = new AgentName(standard, options.provider == null ? "" : options.provider, type);
    if (!new LocalAgents(Layout.of(terminal.environment()), terminal.environment()).has(agent)) {
      throw CommandException.usage(
          standard.equals("stonith")
              ? type + " is not a known fencing agent"
              : agent + " is not a known resource agent");
    }
    return agent;
  }

  ExitStatus ofCommandLine() throws CommandException {
    return run(named(), null, options.given, millis(DEFAULT_TIMEOUT_MILLIS));
  }

  ExitStatus ofResource(ResourceContext context) throws CommandException {
    var rsc = context.theResource();
    var changesState =
        switch (options.action) {
          case "force-start", "force-promote", "force-demote" -> true;
          default -> false;
        };
    if (rsc.isClone() && changesState && !context.force() && !rsc.active().isEmpty()) {
      out.error(
          "It is not safe to %s %s here: the cluster claims it is already active"
              .formatted(options.action, rsc.id()));
      out.error("Try setting target-role=Stopped first or specifying the force option");
      return ExitStatus.UNSAFE;
    }
    if (rsc.isClone() && !rsc.children().isEmpty()) {
      rsc = rsc.children().getFirst();
    }
    if (rsc.isGroup() || rsc.isBundled()) {
      out.error(
          "Sorry, the %s option doesn't support %s resources"
              .formatted(options.action, rsc.isGroup() ? "group" : "bundled"));
      return ExitStatus.UNIMPLEMENT_FEATURE;
    }
    var agent =
        new AgentName(rsc.standard(), rsc.xml().get("provider", ""), rsc.xml().get("type", ""));
    return run(agent, instance(context, rsc), parameters(rsc), millis(configured(rsc)));
  }

  private static String instance(ResourceContext context, Resource rsc) {
    var anonymous =
        rsc.parent() != null && rsc.parent().isClone() && !rsc.parent().is(ResourceFlag.UNIQUE);
    return anonymous ? context.requested() : rsc.id();
  }

  private static Map<String, String> parameters(Resource rsc) {
    var all = new LinkedHashMap<>(rsc.parameters(null));
    rsc.meta()
        .forEach((name, value) -> all.putIfAbsent("CRM_meta_" + name.replace('-', '_'), value));
    return all;
  }

  private long configured(Resource rsc) {
    var action = agentAction();
    var meta =
        OperationConfig.meta(rsc, null, action, 0, OperationConfig.find(rsc, action, 0, true));
    var timeout = Numbers.parse(meta.get("timeout"), 0);
    return timeout > 0 ? timeout : DEFAULT_TIMEOUT_MILLIS;
  }

  private long millis(long otherwise) {
    var asked = options.timeout == null ? 0 : Interval.parse(options.timeout, 0);
    return asked > 0 ? asked : otherwise;
  }

  /// What agents call it.
  private String agentAction() {
    return switch (options.action) {
      case "validate" -> "validate-all";
      case "force-check" -> "monitor";
      default -> options.action.substring("force-".length());
    };
  }

  /// @param instance the resource; null for an agent named on the command line
  private ExitStatus run(
      AgentName agent,
      @Nullable String instance,
      Map<String, String> parameters,
      long timeoutMillis) {
    var named = instance == null ? "test" : instance; // agents want a name
    var all = new LinkedHashMap<>(parameters);
    all.put("CRM_meta_timeout", Long.toString(timeoutMillis));
    all.put("crm_feature_set", Product.FEATURE_SET);
    all.putAll(overrides);
    var program = new LocalAgent(terminal);
    if (options.checkLevel != null) {
      program.set("OCF_CHECK_LEVEL", options.checkLevel);
    }
    if (verbosity > 1) {
      program.set("OCF_TRACE_RA", "1");
    }
    program.set("PCMK_debug", verbosity > 0 ? "1" : "0");
    program.set("HA_debug", verbosity > 0 ? "1" : "0");
    program.set("OCF_TRACE_FILE", terminal.variable("OCF_TRACE_FILE", "/dev/stderr"));
    var ran = program.run(agent, agentAction(), named, all, Duration.ofMillis(timeoutMillis));
    show(agent, instance, ran);
    var status = ExitStatus.of(ran.rc());
    return status == null ? ExitStatus.ERROR : status;
  }

  private void show(AgentName agent, @Nullable String instance, LocalAgent.Ran ran) {
    var output = orNull(ran.output());
    var errors = orNull(ran.errors());
    switch (out) {
      case TextOutput text -> {
        overrides(instance);
        var whose = instance == null ? "" : " for " + instance;
        var what = "Operation %s%s (%s)".formatted(options.action, whose, agent);
        var why = ran.reason().isEmpty() ? "" : ": " + ran.reason();
        if (ran.status() == ExecStatus.DONE) {
          text.info(
              "%s returned %d (%s%s)".formatted(what, ran.rc(), ExitStatus.text(ran.rc()), why));
        } else {
          text.error("%s could not be executed (%s%s)".formatted(what, ran.status().text(), why));
        }
        if (output != null || errors != null) {
          text.subprocess(ran.rc(), output, errors);
        }
      }
      case XmlOutput xml -> {
        xml.open(
            "resource-agent-action",
            "action",
            options.action,
            "class",
            agent.standard(),
            "type",
            agent.type(),
            "rsc",
            instance,
            "provider",
            agent.provider().isEmpty() ? null : agent.provider());
        overrides(instance);
        xml.add(
            "agent-status",
            "code",
            Integer.toString(ran.rc()),
            "message",
            ExitStatus.text(ran.rc()),
            "execution_code",
            Integer.toString(ran.status().code()),
            "execution_message",
            ran.status().text(),
            "reason",
            orNull(ran.reason()));
        if (output != null || errors != null) {
          xml.subprocess(ran.rc(), output, errors);
        }
        xml.close();
      }
    }
  }

  private void overrides(@Nullable String instance) {
    out.begin("overrides");
    overrides.forEach(
        (name, value) -> {
          switch (out) {
            case TextOutput text ->
                text.item(
                    "Overriding the cluster configuration for '%s' with '%s' = '%s'"
                        .formatted(instance, name, value));
            case XmlOutput xml ->
                xml.add("override", "name", name, "value", value, "rsc", instance);
          }
        });
    out.end();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
