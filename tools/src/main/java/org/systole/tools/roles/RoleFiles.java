package org.systole.tools.roles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.schema.RolesSchema;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolePackages;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.simulate.StepReader;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.UnreadFile;
import org.systole.tools.cli.XmlInput;

/// Files with definitions of roles: packages in XML, saved documents, or the same as JSON, where a role is an object
/// with the attributes of the element, lists for `requires`, `conflicts`, `provides` and `flags`, and
/// an object `data`.
final class RoleFiles {
  private static final String DOCUMENT = "roles-document";
  private static final List<String> TEXTS =
      List.of("id", "jig", "description", "timeout", "check-interval", "check-then");
  private static final Map<String, String> LISTS =
      Map.of("requires", "role", "conflicts", "role", "provides", "name");

  private static final long PACKAGE_SIZE_MAX = 16 * 1024 * 1024;

  private RoleFiles() {}

  /// The packages in a directory; none if there is no directory.
  static List<RolePackages.PackageFile> packages(@Nullable Path directory) throws CommandException {
    if (directory == null) {
      return List.of();
    }
    var files = new ArrayList<RolePackages.PackageFile>();
    for (var file : named(directory)) {
      try {
        if (Files.size(file) > PACKAGE_SIZE_MAX) {
          throw new CommandException(
              ExitStatus.DATAERR, file + " is larger than " + PACKAGE_SIZE_MAX + " bytes");
        }
        files.add(new RolePackages.PackageFile(file.toString(), Files.readAllBytes(file)));
      } catch (IOException e) {
        throw UnreadFile.of("the package " + file, file, e);
      }
    }
    return files;
  }

  private static List<Path> named(Path directory) throws CommandException {
    try (var found = Files.list(directory)) {
      return found.filter(it -> it.toString().endsWith(".xml")).sorted().toList();
    } catch (NoSuchFileException e) {
      throw new CommandException(
          ExitStatus.NOINPUT, "there is no directory " + directory + ": name one with packages (*.xml) of roles");
    } catch (NotDirectoryException e) {
      throw new CommandException(
          ExitStatus.NOINPUT, directory + " is no directory: name the one that the packages (*.xml) are in");
    } catch (IOException e) {
      throw UnreadFile.of("the directory " + directory, directory, e);
    }
  }

  /// The roles in a file.
  ///
  /// @throws CommandException if any of it is wrong
  static List<Element> roles(Terminal terminal, String file) throws CommandException {
    try {
      var bytes = XmlInput.told(terminal, file);
      var text = new String(bytes, StandardCharsets.UTF_8).strip();
      var isJson = text.startsWith("{");
      var read = isJson ? fromJson(file, text) : XmlReader.parse(bytes);
      var saved = saved(read);
      var root = saved == null ? read : saved;
      if (!root.is("role-package")) {
        throw new CommandException(
            ExitStatus.CONFIG,
            file + " is no <role-package>, no <roles-document>, and no JSON object with \"roles\"");
      }
      var packed = // the lines of JSON are not known
          new RolePackages.PackageFile(
              file, isJson || saved != null ? root.toString().getBytes(StandardCharsets.UTF_8) : bytes);
      return RolePackages.roles(List.of(packed), List.of()).values().stream()
          .map(RolesWriter::role)
          .toList();
    } catch (XmlException e) {
      throw noXml(file, e);
    } catch (JsonFault e) {
      throw new CommandException(ExitStatus.CONFIG, file + ": " + e.getMessage());
    } catch (DocumentFault e) {
      throw refused(terminal, file, e);
    }
  }

  /// The definitions of a saved document, as a package; null if it is none. It may be what the command has shown, or the CIB
  /// manager's own file.
  private static @Nullable Element saved(Element root) {
    var document = root.is(DOCUMENT) ? root : root.first(DOCUMENT);
    var roles = document == null ? null : document.first("roles");
    return document == null
        ? null
        : Element.builder("role-package")
            .attr("id", "saved")
            .addAll(roles == null ? List.of() : roles.children("role"))
            .build();
  }

  /// The steps in a file.
  ///
  /// @throws CommandException if it has none, or one of them can be none; each is told with its line
  static List<Element> steps(Terminal terminal, String file) throws CommandException {
    try {
      var read = XmlReader.parseLocated(XmlInput.told(terminal, file));
      var root = read.root();
      if (!root.is(RolesDesk.STEPS)) {
        throw new CommandException(
            ExitStatus.CONFIG, file + " is no request: it has to be <steps>, see crm_role's page");
      }
      var whole = Element.of("role-simulation").plus(root);
      var faults = RolesSchema.SIMULATION.check(whole, read.lines());
      if (!faults.isEmpty()) {
        faults.forEach(it -> terminal.err().println(file + ": " + it.message()));
        throw new CommandException(ExitStatus.CONFIG, file + " is refused: nothing was done");
      }
      var steps = root.children().stream().filter(it -> !it.isComment()).toList();
      var wrong = wrong(steps, read.lines());
      if (!wrong.isEmpty()) {
        wrong.forEach(it -> terminal.err().println(file + ": " + it));
        throw new CommandException(ExitStatus.CONFIG, file + " is refused: nothing was done");
      }
      return steps;
    } catch (XmlException e) {
      throw noXml(file, e);
    }
  }

  /// What can be none, whatever roles there are: names, numbers, data, steps of stories.
  private static List<String> wrong(List<Element> steps, Map<Element, Integer> lines) {
    var reader = new StepReader(lines);
    var wrong = new ArrayList<String>();
    for (var step : steps) {
      try {
        RolesDesk.command(step, reader, lines);
      } catch (DocumentFault e) {
        wrong.addAll(e.faults());
      }
    }
    return wrong;
  }

  /// All faults but the last have a line of their own.
  private static CommandException refused(Terminal terminal, String file, DocumentFault e) {
    e.faults().forEach(terminal.err()::println);
    return new CommandException(ExitStatus.CONFIG, file + " is refused: nothing was done");
  }

  /// A file that is no XML.
  static CommandException noXml(String file, XmlException why) {
    return new CommandException(
        ExitStatus.CONFIG,
        "%s is no XML: %s%s"
            .formatted(file, why.line() > 0 ? "line " + why.line() + ": " : "", why.getMessage()));
  }

  private static Element fromJson(String file, String text) throws JsonFault, CommandException {
    var entries = JsonText.readObject(text).entries();
    var whole = Element.builder("role-package").attr("id", "json");
    if (!(entries.get("roles") instanceof Json.Arr(var roles))) {
      throw wrong(file, "there is no list \"roles\"");
    }
    for (var role : roles) {
      if (!(role instanceof Json.Obj object)) {
        throw wrong(file, "a role is an object, not " + role);
      }
      whole.add(role(file + ": role " + object.entries().getOrDefault("id", Json.Null.IT), object));
    }
    return whole.build();
  }

  private static Element role(String where, Json.Obj role) throws CommandException {
    var element = Element.builder("role");
    var children = new ArrayList<Element>();
    var entries = role.entries();
    for (var name : TEXTS) {
      element.attr(name, text(where, entries.get(name)));
    }
    for (var flag : items(where, entries.get("flags"))) {
      element.attr(flag, "true");
    }
    for (var list : List.of("requires", "conflicts", "provides")) {
      for (var it : items(where, entries.get(list))) {
        children.add(Element.of(list, LISTS.get(list), it));
      }
    }
    var data = entries.get("data");
    if (data != null) {
      children.add(Element.of("data").withText(data.toString()));
    }
    for (var name : entries.keySet()) {
      if (!TEXTS.contains(name)
          && !List.of("flags", "data").contains(name)
          && !LISTS.containsKey(name)) {
        throw wrong(where, "a role has no \"" + name + "\"");
      }
    }
    return element.addAll(children).build();
  }

  private static @Nullable String text(String where, @Nullable Json value) throws CommandException {
    if (value == null || value instanceof Json.Text) {
      return value == null ? null : ((Json.Text) value).value();
    }
    throw wrong(where, value + " is no text");
  }

  private static List<String> items(String where, @Nullable Json list) throws CommandException {
    if (list == null) {
      return List.of();
    }
    if (!(list instanceof Json.Arr(var items))) {
      throw wrong(where, list + " is no list");
    }
    var texts = new ArrayList<String>();
    for (var item : items) {
      var text = text(where, item);
      texts.add(text == null ? "" : text);
    }
    return texts;
  }

  private static CommandException wrong(String where, String what) {
    return new CommandException(ExitStatus.CONFIG, where + ": " + what);
  }
}
