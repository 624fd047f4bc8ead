package org.systole.tools.launch;

import java.io.StringReader;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.systole.common.real.DaemonOption;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Manual pages of section 8, in the language of man(7).
final class ManPage {
  private static final int LABEL = 64; // `%n` and `%%` of picocli's texts, with room
  private final String version;
  private final LocalDate date;

  ManPage(String version, LocalDate date) {
    this.version = version;
    this.date = date;
  }

  /// The page of a command, from the options it takes.
  String of(CommandSpec command) {
    var name = command.name();
    var description = plain(String.join(" ", command.usageMessage().description()));
    var page = head(name, title(name, description));
    page.append(".SH SYNOPSIS\n.B ").append(escaped(name)).append("\n.RI [ option ]...\n");
    page.append(".SH DESCRIPTION\n").append(text(description)).append('\n');
    page.append(".SH OPTIONS\n");
    for (var option : command.options()) {
      if (!option.hidden()) {
        page.append(".TP\n").append(names(option)).append('\n');
        page.append(text(plain(String.join(" ", option.description())))).append('\n');
      }
    }
    page.append(
        """
        .SH EXIT STATUS
        0 if what was asked for was done.
        .BR crm_error (8)
        explains all others.
        .SH ENVIRONMENT
        .TP
        .B CIB_file
        work on this file, not on the cluster
        .TP
        .B CIB_shadow
        work on this shadow copy; see
        .BR crm_shadow (8)
        .TP
        .BR CIB_server ", " CIB_port
        work on the CIB of another machine's cluster; see commands.md
        .SH SEE ALSO
        .BR pacemakerd (8),
        .BR crm_mon (8),
        .I /usr/share/doc/systole/commands.md
        """);
    return page.toString();
  }

  /// The page of the daemon of a remote node.
  String ofRemoted() {
    return head("systole-remoted", "runs the agents of resources on a remote node")
        .append(
            """
            .SH SYNOPSIS
            .B systole\\-remoted
            .RI [ option... ]
            .SH DESCRIPTION
            Makes this machine a remote node: a cluster, of Systole or of Pacemaker, connects to it and has
            resources run here. The machine is no member, has no vote, and needs none of the cluster's other
            daemons. Also called
            .BR pacemaker\\-remoted .
            .SH OPTIONS
            """)
        .append(options(DaemonOption.REMOTE_EXECUTOR))
        .append(
            """
            .SH ENVIRONMENT
            .TP
            .B PCMK_remote_port
            the port to serve; 3121 if not set
            .TP
            .B PCMK_remote_address
            the address to serve; all if not set
            .TP
            .B PCMK_authkey_location
            the file with the key; /etc/pacemaker/authkey if not set
            .SH FILES
            .TP
            .I /etc/pacemaker/authkey
            the key, the same on all nodes of the cluster and all its remote nodes
            .SH SEE ALSO
            .BR crm_mon (8),
            .BR crm_resource (8)
            """)
        .toString();
  }

  /// The page of a daemon.
  ///
  /// @param what what it does, for the title
  /// @param options what it takes where it is started by hand
  /// @param metadata the cluster options it reads, as it prints them itself; empty if none
  String ofDaemon(String name, String what, List<DaemonOption> options, String metadata) {
    var page = head(name, what);
    page.append(".SH SYNOPSIS\n.B ").append(escaped(name)).append("\n.RI [ option... ]\n.br\n.B ").append(escaped(name)).append(" metadata\n");
    page.append(
        """
        .SH DESCRIPTION
        A daemon of a cluster node. It is started, watched and stopped by
        .BR pacemakerd (8).
        Started by hand it is for tests of this daemon by itself.
        .SH OPTIONS
        .TP
        .B metadata
        print the cluster options it reads, as agents describe their parameters
        """);
    page.append(options(options));
    if (!metadata.isEmpty()) {
      page.append(".SH CLUSTER OPTIONS\n");
      for (var parameter : parameters(metadata)) {
        page.append(".TP\n.B ").append(escaped(parameter.name)).append('\n');
        page.append(text(parameter.description)).append('\n');
      }
    }
    page.append(".SH SEE ALSO\n.BR pacemakerd (8),\n.BR crm_attribute (8)\n");
    return page.toString();
  }

  private String options(List<DaemonOption> options) {
    var page = new StringBuilder();
    for (var option : options) {
      var value = option.value();
      var letter = option.shortName();
      page.append(".TP\n\\fB").append(escaped(option.longName())).append("\\fR");
      page.append(value == null ? "" : "=\\fI" + value + "\\fR");
      page.append(letter == null ? "" : ", \\fB" + escaped(letter) + "\\fR").append('\n');
      page.append(text(option.description())).append('\n');
    }
    return page.toString();
  }

  private StringBuilder head(String name, String title) {
    return new StringBuilder(".TH ")
        .append(escaped(name.toUpperCase(Locale.ROOT)))
        .append(" 8 ")
        .append(date)
        .append(" \"Systole ")
        .append(escaped(version))
        .append("\" \"Cluster administration\"\n.SH NAME\n")
        .append(escaped(name))
        .append(" \\- ")
        .append(escaped(title))
        .append('\n');
  }

  /// The first sentence, without the name where it begins with that.
  private static String title(String name, String description) {
    var dash = name + " - ";
    var text = description.startsWith(dash) ? description.substring(dash.length()) : description;
    var end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end);
  }

  private static String names(OptionSpec option) {
    var all = new ArrayList<String>();
    for (var name : option.names()) {
      all.add("\\fB" + escaped(name) + "\\fR" + value(option, name));
    }
    return String.join(", ", all);
  }

  private static String value(OptionSpec option, String name) {
    if (option.arity().max() == 0) {
      return "";
    }
    var label = "\\fI" + escaped(option.paramLabel()) + "\\fR";
    var isLong = name.startsWith("--");
    if (option.arity().min() == 0) {
      return "[" + (isLong ? "=" : "") + label + "]";
    }
    return (isLong ? "=" : " ") + label;
  }

  /// As picocli would print it.
  private static String plain(String text) {
    var result = new StringBuilder(text.length() + LABEL);
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      if (c == '%' && at + 1 < text.length()) {
        var next = text.charAt(++at);
        result.append(next == 'n' ? "\n" : next == '%' ? "%" : "%" + next);
      } else {
        result.append(c);
      }
    }
    return result.toString().strip();
  }

  /// Lines of text; one that begins as a request would, is made to begin otherwise.
  private static String text(String text) {
    var lines = new ArrayList<String>();
    for (var line : text.lines().map(String::strip).filter(it -> !it.isEmpty()).toList()) {
      lines.add(escaped(line));
    }
    return String.join("\n.br\n", lines);
  }

  private static String escaped(String text) {
    var safe = text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
  }

  private record Parameter(String name, String description) {}

  private static List<Parameter> parameters(String metadata) {
    var all = new ArrayList<Parameter>();
    try {
      var xml = XMLInputFactory.newFactory().createXMLStreamReader(new StringReader(metadata));
      var name = "";
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        if (xml.getLocalName().equals("parameter")) {
          name = xml.getAttributeValue(null, "name");
        } else if (xml.getLocalName().equals("longdesc") && !name.isEmpty()) {
          all.add(new Parameter(name, xml.getElementText().strip()));
          name = "";
        }
      }
      return all;
    } catch (XMLStreamException e) {
      throw new IllegalStateException("metadata that is no XML", e);
    }
  }
}
