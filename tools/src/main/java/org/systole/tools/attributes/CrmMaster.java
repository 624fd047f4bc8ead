package org.systole.tools.attributes;

import org.systole.tools.cli.Terminal;

/// `crm_master`: the former way for agents to set the promotion score of what they run. It is
/// `crm_attribute --promotion` with a score that outlives a reboot unless the user says otherwise.
public final class CrmMaster {
  /// @return the exit code
  public int run(Terminal terminal, String... args) {
    var line = new String[args.length + 2];
    line[0] = "--lifetime=forever";
    line[1] = "--promotion";
    for (var at = 0; at < args.length; at++) {
      // -r was the resource here, before it was anything else.
      line[at + 2] =
          args[at].equals("-r") || args[at].equals("--resource")
              ? "--promotion"
              : args[at].startsWith("--resource=")
                  ? "--promotion=" + args[at].substring("--resource=".length())
                  : args[at];
    }
    return new CrmAttribute().run(terminal, line);
  }
}
