package org.systole.tools.status;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.status.Parts;
import org.systole.tools.cli.CommandException;

/// Which parts of the status are shown: the usual ones of the output's format, then what options
/// imply, then what the user includes and excludes, in the order of the command line.
final class StatusSections {
  private static final Set<Parts> SUMMARY =
      EnumSet.of(Parts.STACK, Parts.DC, Parts.TIMES, Parts.COUNTS, Parts.MAINTENANCE);
  private static final Set<Parts> FENCING =
      EnumSet.of(Parts.FENCING_FAILED, Parts.FENCING_PENDING, Parts.FENCING_SUCCEEDED);

  /// One `--include` or `--exclude`, as the user or another option asked for it.
  private record Choice(boolean include, String sections) {}

  /// @param parts may be added to
  /// @param banPrefix only bans whose id begins so; null for all
  record Chosen(Set<Parts> parts, @Nullable String banPrefix) {}

  private final List<Choice> implied = new ArrayList<>();
  private final List<Choice> asked = new ArrayList<>();
  private Set<Parts> parts = EnumSet.noneOf(Parts.class);
  private @Nullable String banPrefix;

  void include(String sections) {
    asked.add(new Choice(true, sections));
  }

  void exclude(String sections) {
    asked.add(new Choice(false, sections));
  }

  /// An option other than the two asks for sections; these count first.
  void imply(boolean include, String sections) {
    implied.add(new Choice(include, sections));
  }

  /// @throws CommandException if there is no section of such a name
  Chosen resolve(Output out) throws CommandException {
    parts = EnumSet.copyOf(out instanceof XmlOutput ? all(out) : usual());
    apply(new Choice(true, "fencing-failed,fencing-pending"), out);
    for (var choice : implied) {
      apply(choice, out);
    }
    for (var choice : asked) {
      apply(choice, out);
    }
    return new Chosen(parts, banPrefix);
  }

  private static Set<Parts> all(Output out) {
    var all = EnumSet.allOf(Parts.class);
    if (out instanceof TextOutput && !(out instanceof HtmlOutput)) {
      all.remove(Parts.OPTIONS);
    }
    return all;
  }

  private static Set<Parts> usual() {
    var usual = EnumSet.copyOf(SUMMARY);
    usual.addAll(EnumSet.of(Parts.NODES, Parts.RESOURCES, Parts.FAILURES));
    return usual;
  }

  private void apply(Choice choice, Output out) throws CommandException {
    for (var section : choice.sections().split(",", -1)) {
      var named = named(section);
      if (choice.include() && section.startsWith("bans")) {
        parts.add(Parts.BANS);
        banPrefix = section.length() > 5 && section.charAt(4) == ':' ? section.substring(5) : null;
      } else if (section.equals("all")) {
        parts = choice.include() ? all(out) : EnumSet.noneOf(Parts.class);
      } else if (section.equals("none")) {
        parts = choice.include() ? EnumSet.noneOf(Parts.class) : all(out);
      } else if (choice.include() && (section.equals("default") || section.equals("defaults"))) {
        parts.addAll(out instanceof XmlOutput ? all(out) : usual());
      } else if (named.isEmpty()) {
        throw CommandException.usage(
            choice.include()
                ? "--include options: all, attributes, bans[:PREFIX], counts, dc, default,"
                    + " failcounts, failures, fencing, fencing-failed, fencing-pending,"
                    + " fencing-succeeded, hosts, maint-mode, nodes, none, operations, options,"
                    + " resources, roles, stack, summary, tickets, times"
                : "--exclude options: all, attributes, bans, counts, dc, failcounts, failures,"
                    + " fencing, fencing-failed, fencing-pending, fencing-succeeded, hosts, maint-mode,"
                    + " nodes, none, operations, options, resources, roles, stack, summary, tickets,"
                    + " times");
      } else if (choice.include()) {
        parts.addAll(named);
      } else {
        parts.removeAll(named);
      }
    }
  }

  private static Set<Parts> named(String section) {
    return switch (section.toLowerCase(Locale.ROOT)) {
      case "attributes" -> Set.of(Parts.ATTRIBUTES);
      case "bans" -> Set.of(Parts.BANS);
      case "counts" -> Set.of(Parts.COUNTS);
      case "dc" -> Set.of(Parts.DC);
      case "failcounts" -> Set.of(Parts.FAILCOUNTS);
      case "failures" -> Set.of(Parts.FAILURES);
      case "fencing" -> FENCING;
      case "fencing-failed" -> Set.of(Parts.FENCING_FAILED);
      case "fencing-pending" -> Set.of(Parts.FENCING_PENDING);
      case "fencing-succeeded" -> Set.of(Parts.FENCING_SUCCEEDED);
      case "hosts" -> Set.of(Parts.HOSTS);
      case "maint-mode" -> Set.of(Parts.MAINTENANCE);
      case "nodes" -> Set.of(Parts.NODES);
      case "operations" -> Set.of(Parts.OPERATIONS);
      case "options" -> Set.of(Parts.OPTIONS);
      case "resources" -> Set.of(Parts.RESOURCES);
      case "roles" -> Set.of(Parts.ROLES);
      case "stack" -> Set.of(Parts.STACK);
      case "summary" -> SUMMARY;
      case "tickets" -> Set.of(Parts.TICKETS);
      case "times" -> Set.of(Parts.TIMES);
      default -> Set.of();
    };
  }
}
