package org.systole.tools.status;

import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibSource;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import org.systole.tools.cli.Terminal;

/// The nodes of the configuration file, for what is shown without quorum. The CIB gets an entry of each with the first quorum: an
/// entry is a change of the configuration, and without quorum there is none. Pacemaker's has them at once, and who waits for
/// a node to start looks for it.
final class ListedNodes {
  private ListedNodes() {}

  /// The CIB as it is to be shown.
  static Element cib(Terminal terminal, CibSource source) throws CibException {
    var cib = source.cib();
    var configuration = cib.first("configuration");
    var nodes = configuration == null ? null : configuration.first("nodes");
    if (configuration == null || nodes == null || !source.isLive() || Bool.isTrue(cib.get("have-quorum"))) {
      return cib;
    }
    var all = nodes;
    try {
      for (var listed : LinkStatus.of(terminal).configured()) {
        var id = listed.id().toString();
        if (!listed.isUnknown() && all.first("node", id) == null) {
          all = all.plus(Element.of("node", "id", id, "uname", listed.name().text()));
        }
      }
    } catch (CommandException e) {
      return cib; // the link is being started anew
    }
    return cib.replace(
        cib.indexOf(configuration), configuration.replace(configuration.indexOf(nodes), all));
  }
}
