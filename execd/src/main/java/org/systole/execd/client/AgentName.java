package org.systole.execd.client;

/// A resource agent.
///
/// @param standard such as `ocf`, `systemd`, `lsb`, `stonith`
/// @param provider such as `heartbeat`; empty where the standard has none
/// @param type such as `Dummy`
public record AgentName(String standard, String provider, String type) {
  /// Written as in commands: `ocf:heartbeat:Dummy`, `systemd:httpd`.
  @Override
  public String toString() {
    return provider.isEmpty() ? standard + ":" + type : standard + ":" + provider + ":" + type;
  }
}
