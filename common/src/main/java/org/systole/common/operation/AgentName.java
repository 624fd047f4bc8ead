package org.systole.common.operation;

import org.systole.common.xml.Element;

/// A resource agent.
///
/// @param standard such as `ocf`, `systemd`, `lsb`, `stonith`
/// @param provider such as `heartbeat`; empty where the standard has none
/// @param type such as `Dummy`
public record AgentName(String standard, String provider, String type) {
  public static final String OCF = "ocf";

  /// The standard of fence agents.
  public static final String FENCING = "stonith";

  /// Stands for the connection to a remote or guest node; there is no such program.
  public static final AgentName REMOTE = new AgentName(OCF, "pacemaker", "remote");

  /// The agent that an element names with `class`, `provider` and `type`.
  public static AgentName of(Element xml) {
    return new AgentName(xml.get("class", ""), xml.get("provider", ""), xml.get("type", ""));
  }

  public boolean isRemoteConnection() {
    return equals(REMOTE);
  }

  public boolean isFenceAgent() {
    return standard.equals(FENCING);
  }

  /// Names the agent on an element as [#of] reads it; an empty provider is left out.
  public Element.Builder on(Element.Builder xml) {
    return xml.attr("class", standard)
        .attr("provider", provider.isEmpty() ? null : provider)
        .attr("type", type);
  }

  /// Written as in commands: `ocf:heartbeat:Dummy`, `systemd:httpd`.
  @Override
  public String toString() {
    return provider.isEmpty() ? standard + ":" + type : standard + ":" + provider + ":" + type;
  }
}
