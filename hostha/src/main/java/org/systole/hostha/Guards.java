package org.systole.hostha;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.hostha.config.Setting;

/// What keeps a host from being recovered or fenced whatever it shows.
final class Guards {
  private final Desk desk;

  Guards(Desk desk) {
    this.desk = desk;
  }

  /// Why nothing may be done to a host now; null if it may.
  @Nullable String against(Host host) {
    if (host.forced) {
      return null;
    }
    if (host.held != null) {
      return host.held.isEmpty() ? "a person holds it" : "a person holds it: " + host.held;
    }
    var flaw = desk.configuration.flaw();
    if (flaw != null) {
      return flaw;
    }
    if (!host.cluster().hasOtherThan(host.name)) {
      return "no other host is known to be available: it may be the last that can run something";
    }
    for (var domain : host.domains) {
      if (domain.isOver()) {
        tell(domain);
        return domain.counts();
      }
    }
    return null;
  }

  /// Whether more hosts may be sick than are accepted, as far as this decider knows: those that it has not had an answer from
  /// count, too. Each is asked, so that this does not last.
  boolean isUnsure(Host host) {
    return host.held == null && host.domains.stream().anyMatch(Domain::mayBeOver);
  }

  /// Notes that counts have changed: people hear when a guard lets go.
  void counted(List<Domain> domains) {
    for (var domain : domains) {
      if (domain.told && !domain.isOver()) {
        domain.told = false;
        desk.tell(null, false, domain.counts() + ": hosts are recovered and fenced again.");
      }
    }
  }

  private void tell(Domain domain) {
    if (!domain.told) {
      domain.told = true;
      var share = domain.values().text(Setting.SICK_RATIO);
      desk.tell(
          null,
          true,
          "%s, more than the share of %s: none of them is recovered or fenced. Look for a common cause."
              .formatted(domain.counts(), share));
    }
  }
}
