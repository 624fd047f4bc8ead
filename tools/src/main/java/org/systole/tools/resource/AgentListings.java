package org.systole.tools.resource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.execd.client.LocalAgents;
import org.systole.execd.client.ServiceMetadata;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.fencing.GlueAgents;
import org.systole.tools.fencing.KeptMetadata;
import org.systole.tools.fencing.LocalFenceAgent;

/// Which agents this machine has, and what they say about themselves.
final class AgentListings {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Terminal terminal;
  private final Output out;
  private final LocalAgents agents;
  private final GlueAgents glue;

  AgentListings(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
    this.agents = new LocalAgents(Layout.of(terminal.environment()), terminal.environment());
    this.glue = new GlueAgents(terminal, TIMEOUT);
  }

  void standards() {
    out.begin("Standards");
    agents.standards().forEach(it -> out.item(it));
    out.end();
  }

  /// @param type only those that have an agent of this type; empty for all
  void providers(String type) throws CommandException {
    var found = type.isEmpty() ? agents.providers() : agents.providersOf(type);
    if (found.isEmpty()) {
      out.error("No OCF providers found" + (type.isEmpty() ? "" : " for " + type));
      throw new CommandException(ExitStatus.NOSUCH, "");
    }
    if (out instanceof XmlOutput xml) {
      xml.open("providers", "standard", "ocf", "agent", type.isEmpty() ? null : type);
    }
    show("Providers", "provider", found);
  }

  void alternatives(String type) throws CommandException {
    var found = agents.providersOf(type);
    if (found.isEmpty()) {
      out.error("No OCF providers found for " + type);
      throw new CommandException(ExitStatus.NOSUCH, "");
    }
    if (out instanceof XmlOutput xml) {
      xml.open("providers", "for", type);
    }
    show("Providers", "provider", found);
  }

  /// @param spec a standard, or `ocf:PROVIDER`
  void agents(String spec) throws CommandException {
    var colon = spec.indexOf(':');
    var standard = colon < 0 ? spec : spec.substring(0, colon);
    var provider = colon < 0 ? "" : spec.substring(colon + 1);
    var found = agents.agents(standard, provider);
    if (standard.equals(AgentName.FENCING)) {
      var all = new TreeSet<>(found);
      all.addAll(glue.names());
      found = List.copyOf(all);
    }
    if (found.isEmpty()) {
      out.error(
          "No agents found for standard '%s'".formatted(standard)
              + (colon < 0 ? "" : " and provider '%s'".formatted(provider)));
      throw new CommandException(ExitStatus.ERROR, "");
    }
    if (out instanceof XmlOutput xml) {
      xml.open("agents", "standard", standard, "provider", provider.isEmpty() ? null : provider);
    }
    show((provider.isEmpty() ? standard : provider) + " agents", "agent", found);
  }

  private void show(String title, String element, List<String> names) {
    switch (out) {
      case TextOutput text -> {
        text.begin(title);
        names.forEach(text::item);
        text.end();
      }
      case XmlOutput xml -> {
        names.forEach(it -> xml.addText(element, it));
        xml.close();
      }
    }
  }

  /// The agent that `ocf:PROVIDER:TYPE` or `STANDARD:TYPE` names.
  ///
  /// @throws CommandException if it cannot be a name
  static AgentName parse(String spec) throws CommandException {
    var parts = spec.split(":", -1);
    var ocf = parts[0].equals("ocf");
    if (parts.length != (ocf ? 3 : 2) || parts[parts.length - 1].isEmpty() || parts[0].isEmpty()) {
      throw new CommandException(
          ExitStatus.NOSUCH, "'" + spec + "' is not a valid agent specification");
    }
    return new AgentName(parts[0], ocf ? parts[1] : "", parts[parts.length - 1]);
  }

  void metadata(String spec) throws CommandException {
    var agent = parse(spec);
    if (agent.standard().equals(AgentName.FENCING) && GlueAgents.isName(agent.type())) {
      var said = glue.metadata(agent.type());
      if (said != null) {
        out.xml("metadata", said);
        if (out instanceof TextOutput) {
          KeptMetadata.keep(terminal.environment(), agent.type(), said);
        }
        return;
      }
    }
    var found = agents.has(agent);
    if (found && agent.standard().equals("stonith")) {
      if (new LocalFenceAgent(terminal, out, TIMEOUT).showMetadata(agent.type()) == Rc.OK) {
        return;
      }
      found = false;
    }
    if (found && agent.standard().equals("ocf")) {
      var ran = new LocalAgent(terminal).run(agent, "meta-data", agent.type(), Map.of(), TIMEOUT);
      if (ran.status() == ExecStatus.DONE && ran.rc() == 0 && !ran.output().isBlank()) {
        out.xml("metadata", ran.output());
        return;
      }
      found = false;
    }
    if (!found) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Metadata query for %s failed: %s".formatted(spec, Rc.ENXIO.text()));
    }
    var script = agents.has(new AgentName("lsb", "", agent.type()));
    var isUnit = agent.standard().equals("systemd") || !script;
    out.xml(
        "metadata",
        isUnit
            ? ServiceMetadata.ofUnit(agent, new LocalAgent(terminal).description(agent))
            : ServiceMetadata.of(agent, "init script"));
  }
}
