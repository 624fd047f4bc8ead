package org.systole.tools.roles;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolePackages;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.simulate.Simulation;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.XmlInput;

/// A file with a story of roles, or with a document alone, that is told with the roles of packages, without a cluster.
final class StoryFile {
  private final Terminal terminal;
  private final String file;
  private final @Nullable String packages;
  private final @Nullable String sitePackages;

  /// @param packages the directory that they are in; null if there are none
  /// @param sitePackages the directory of those that are laid over them; null if there are none
  StoryFile(
      Terminal terminal, String file, @Nullable String packages, @Nullable String sitePackages) {
    this.terminal = terminal;
    this.file = file;
    this.packages = packages;
    this.sitePackages = sitePackages;
  }

  /// @param events whether the events are told, too, that roles hear of
  /// @throws DocumentFault if what is in it, or in a package, is refused
  /// @throws CommandException if any of them cannot be read
  Simulation.Story tell(boolean events) throws DocumentFault, CommandException {
    try {
      var located = XmlReader.parseLocated(XmlInput.told(terminal, file));
      return Simulation.tell(withPackages(located.root()), located.lines(), events);
    } catch (XmlException e) {
      throw RoleFiles.noXml(file, e);
    }
  }

  /// The document with the roles of the packages in it.
  private Element withPackages(Element root) throws DocumentFault, CommandException {
    if (packages == null && sitePackages == null) {
      return root;
    }
    var roles =
        RolePackages.roles(
                RoleFiles.packages(directory(packages)), RoleFiles.packages(directory(sitePackages)))
            .values();
    var document = root.is("role-simulation") ? root.first("roles-document") : root;
    if (document == null || !document.is("roles-document")) {
      throw new CommandException(
          ExitStatus.CONFIG, "there is no roles-document for the packages' roles in " + file);
    }
    var all = document.first("roles");
    var extended = all == null ? Element.of("roles") : all;
    for (var role : roles) {
      extended = extended.plus(RolesWriter.role(role));
    }
    var at = all == null ? afterJigs(document) : document.indexOf(all);
    var whole = all == null ? document.insert(at, extended) : document.replace(at, extended);
    return root == document ? whole : root.replace(root.indexOf(document), whole);
  }

  private @Nullable Path directory(@Nullable String named) {
    return named == null ? null : terminal.resolve(named);
  }

  private static int afterJigs(Element document) {
    var jigs = document.first("jigs");
    return jigs == null ? 0 : document.indexOf(jigs) + 1;
  }
}
