package org.systole.tools.cib;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibAccess.Mode;
import org.systole.common.cib.CibUser;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.real.UserGroups;
import org.systole.common.schema.CibSchemas;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.tools.cli.CommandException;

/// Shows a CIB with a user's rights to each part of it.
final class AccessView {
  /// How the rights are shown.
  enum Style {
    /// Each element in the colour of its mode.
    COLOR,
    /// A line before each element whose mode is not that of its parent.
    TEXT,
    /// Such elements are in a namespace named after the mode.
    NAMESPACE
  }

  private static final String ACL_SCHEMA = "pacemaker-2.0"; // the first with these lists
  private static final String NAMESPACES = "http://clusterlabs.org/ns/pacemaker/access/";
  private static final String PREFIX = "pcmk-access-";
  private static final String RESET = "\u001b[0m";
  private static final Map<Mode, String> COLORS =
      Map.of(Mode.WRITABLE, "\u001b[32m", Mode.READABLE, "\u001b[34m", Mode.DENIED, "\u001b[31m");
  private static final Map<Mode, String> MARKS =
      Map.of(Mode.WRITABLE, "WRITABLE", Mode.READABLE, "READABLE", Mode.DENIED, "~DENIED~");
  private static final Map<Mode, String> WORDS =
      Map.of(Mode.WRITABLE, "writable", Mode.READABLE, "readable", Mode.DENIED, "denied");

  private final Style style;
  private final List<Mode> modes;
  private final Iterator<Mode> next;
  private final StringBuilder out = new StringBuilder();

  private AccessView(Style style, List<Mode> modes) {
    this.style = style;
    this.modes = modes;
    this.next = modes.iterator();
  }

  /// Writes a CIB with what a user may do with each part.
  ///
  /// @param how the style's name as the user of the command wrote it
  /// @throws CommandException if no lists hold for that user
  static void show(Output out, Element cib, String how, String user) throws CommandException {
    var unfit = obstacle(cib, user);
    if (!unfit.isOk()) {
      throw new CommandException(
          ExitStatus.CONFIG, "Could not evaluate ACLs for " + user + ": " + unfit.text());
    }
    var style =
        switch (how) {
          case "namespace" -> Style.NAMESPACE;
          case "color" -> Style.COLOR;
          default -> Style.TEXT;
        };
    var access = CibAccess.listed(cib, new CibUser(user, new UserGroups().of(user)));
    var shown = of(cib, access, user, style);
    switch (out) {
      case TextOutput text -> text.info(shown.stripTrailing());
      case XmlOutput xml -> xml.xml("output", shown);
    }
  }

  private static Rc obstacle(Element cib, String user) {
    if (user.chars().anyMatch(it -> "<>&".indexOf(it) >= 0)) {
      return Rc.EINVAL;
    }
    if (CibUser.isExempt(user)) {
      return Rc.ALREADY;
    }
    return CibSchemas.compare(cib.get("validate-with", "none"), ACL_SCHEMA) < 0
        ? Rc.SCHEMA_VALIDATION
        : Rc.OK;
  }

  private static String of(Element cib, CibAccess access, String user, Style style) {
    var view = new AccessView(style, access.modes(cib));
    view.out.append("<!-- ACLs as evaluated for user ").append(user).append(" -->\n");
    view.show(cib, 0, null);
    return view.out.toString();
  }

  private void show(Element element, int depth, @Nullable Mode outside) {
    var mode = next.next();
    var indent = "  ".repeat(depth);
    if (element.isComment()) {
      out.append(indent).append("<!--").append(element.text()).append("-->\n");
      return;
    }
    var differs = mode != outside;
    if (differs && style == Style.TEXT) {
      if (depth > 0) {
        out.append(indent).append('\n');
      }
      out.append(indent).append("vvv---[ ").append(MARKS.get(mode)).append(" ]---vvv\n");
    }
    var prefix =
        switch (style) {
          case COLOR, TEXT -> "";
          case NAMESPACE -> differs ? PREFIX + WORDS.get(mode) + ":" : "";
        };
    var color = style == Style.COLOR ? COLORS.get(mode) : "";
    var reset = style == Style.COLOR ? RESET : "";
    out.append(indent).append(color).append('<').append(prefix).append(element.name());
    attributes(element, outside == null);
    if (element.childCount() == 0) {
      out.append("/>").append(reset).append('\n');
      return;
    }
    out.append(">\n");
    element.children().forEach(it -> show(it, depth + 1, mode));
    out.append(indent).append(color).append("</").append(prefix).append(element.name());
    out.append('>').append(reset).append('\n');
  }

  private void attributes(Element element, boolean outermost) {
    for (var at = 0; at < element.attributeCount(); at++) {
      out.append(' ').append(element.attributeName(at)).append("=\"");
      XmlWriter.escapeAttribute(element.attributeValue(at), out);
      out.append('"');
    }
    if (outermost && style == Style.NAMESPACE) {
      for (var mode : List.of(Mode.WRITABLE, Mode.READABLE, Mode.DENIED)) {
        if (modes.contains(mode)) {
          var word = WORDS.get(mode);
          out.append(" xmlns:").append(PREFIX).append(word);
          out.append("=\"").append(NAMESPACES).append(word).append('"');
        }
      }
    }
  }
}
