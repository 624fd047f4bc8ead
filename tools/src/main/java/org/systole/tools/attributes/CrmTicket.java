package org.systole.tools.attributes;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.Ticket;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.TicketsView;
import org.systole.scheduler.status.View;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.remote.CibInUse;
import org.systole.tools.resource.ResourceContext;
import picocli.CommandLine.Option;

/// `crm_ticket`: queries, grants and revokes cluster tickets at this site.
@picocli.CommandLine.Command(description = "Perform tasks related to cluster tickets")
public final class CrmTicket extends Command {
  private enum Mode {
    NOTHING,
    INFO,
    DETAILS,
    RAW,
    STATE,
    CONSTRAINTS,
    GET,
    CHANGE,
    CLEANUP
  }

  private Mode mode = Mode.NOTHING;
  private String wanted = "";
  private @Nullable String attribute;
  private @Nullable String value;
  private final Map<String, String> set = new LinkedHashMap<>();
  private final List<String> deleted = new ArrayList<>();

  @Option(
      names = {"-t", "--ticket"},
      paramLabel = "ID",
      description = "Ticket ID")
  private @Nullable String id;

  @Option(
      names = {"-d", "--default"},
      paramLabel = "VALUE",
      description = "Value to show if the attribute is not set (with -G)")
  private @Nullable String otherwise;

  @Option(
      names = {"-f", "--force"},
      description = "Force the action to be performed")
  private boolean force;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Print only the value on stdout")
  private boolean quiet;

  @Option(
      names = {"-x", "--xml-file"},
      hidden = true)
  private @Nullable String file;

  // Tickets have no sets any more; Pacemaker takes the names, and makes nothing of them, too.
  @Option(
      names = {"-n", "--set-name"},
      hidden = true)
  private @Nullable String setName;

  @Option(
      names = {"-i", "--nvpair"},
      hidden = true)
  private @Nullable String pairId;

  public CrmTicket() {
    super("crm_ticket");
  }

  @Option(
      names = {"-l", "--info"},
      description = "Display the information of ticket(s)")
  private void info(boolean yes) {
    mode = Mode.INFO;
  }

  @Option(
      names = {"-L", "--details"},
      description = "Display the details of ticket(s)")
  private void details(boolean yes) {
    mode = Mode.DETAILS;
  }

  @Option(
      names = {"-w", "--raw"},
      description = "Display the IDs of ticket(s)")
  private void raw(boolean yes) {
    mode = Mode.RAW;
  }

  @Option(
      names = {"-q", "--query-xml"},
      description = "Query the XML of ticket(s)")
  private void queryXml(boolean yes) {
    mode = Mode.STATE;
  }

  @Option(
      names = {"-c", "--constraints"},
      description = "Display the rsc_ticket constraints that apply to ticket(s)")
  private void constraints(boolean yes) {
    mode = Mode.CONSTRAINTS;
  }

  @Option(
      names = {"-g", "--grant"},
      description = "Grant a ticket to this cluster site")
  private void grant(boolean yes) {
    change("granted", "true");
  }

  @Option(
      names = {"-r", "--revoke"},
      description = "Revoke a ticket from this cluster site")
  private void revoke(boolean yes) {
    change("granted", "false");
  }

  @Option(
      names = {"-s", "--standby"},
      description = "Tell this cluster site this ticket is standby")
  private void standby(boolean yes) {
    change("standby", "true");
  }

  @Option(
      names = {"-a", "--activate"},
      description = "Tell this cluster site this ticket is active")
  private void activate(boolean yes) {
    change("standby", "false");
  }

  private void change(String name, String newValue) {
    mode = Mode.CHANGE;
    set.put(name, newValue);
  }

  @Option(
      names = {"-G", "--get-attr"},
      paramLabel = "ATTRIBUTE",
      description = "Display the named attribute for a ticket")
  private void get(String name) {
    mode = Mode.GET;
    wanted = name;
  }

  @Option(
      names = {"-S", "--set-attr"},
      paramLabel = "ATTRIBUTE",
      description = "Set the named attribute for a ticket (with -v)")
  private void setAttribute(String name) {
    mode = Mode.CHANGE;
    attribute = name;
    pair();
  }

  @Option(
      names = {"-v", "--attr-value"},
      paramLabel = "VALUE",
      description = "Attribute value to use with -S")
  private void attributeValue(String newValue) {
    value = newValue;
    pair();
  }

  /// A name and a value belong together in whatever order they come; others may follow.
  private void pair() {
    var name = attribute;
    var given = value;
    if (name != null && given != null && !given.isEmpty()) {
      set.put(name, given);
      attribute = null;
      value = null;
    }
  }

  @Option(
      names = {"-D", "--delete-attr"},
      paramLabel = "ATTRIBUTE",
      description = "Delete the named attribute for a ticket")
  private void delete(String name) {
    mode = Mode.CHANGE;
    deleted.add(name);
  }

  @Option(
      names = {"-C", "--cleanup"},
      description = "Delete all state of a ticket at this cluster site")
  private void cleanup(boolean yes) {
    mode = Mode.CLEANUP;
  }

  @Override
  protected void setUp(Output output) {
    // Plain lines in text: no list titles.
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    checkLine();
    var environment = terminal().environment();
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, "crm_ticket", CibTarget.TIMEOUT)) {
      var read =
          file == null
              ? ResourceContext.read(cib, terminal())
              : ResourceContext.read(XmlInput.read(terminal(), file), terminal());
      Scheduler.readConstraints(read.status()); // names tickets that were never granted
      return on(cib, read.original(), read.status());
    } catch (XmlException e) {
      throw new CommandException(ExitStatus.DATAERR, file + ": " + e.getMessage());
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not connect to the CIB: " + e.rc().text());
    }
  }

  private void checkLine() throws CommandException {
    if (mode == Mode.NOTHING) {
      throw CommandException.usage("Must supply a command");
    }
    if (id == null && mode == Mode.GET) {
      throw new CommandException(ExitStatus.NOSUCH, "Must supply ticket ID with -t");
    }
    if (id == null && (mode == Mode.CHANGE || mode == Mode.CLEANUP)) {
      throw CommandException.usage("Must supply ticket ID with -t");
    }
    if (mode == Mode.CHANGE && value != null && attribute == null) {
      throw CommandException.usage("Must supply attribute name with -S for -v " + value);
    }
    if (mode == Mode.CHANGE && attribute != null) {
      throw CommandException.usage("Must supply value with -v for -S " + attribute);
    }
  }

  private ExitStatus on(CibTarget cib, Element original, WorkingSet status)
      throws CommandException {
    var ticket = id == null ? null : status.tickets().get(id);
    switch (mode) {
      case INFO, DETAILS, RAW -> list(status, ticket);
      case STATE -> state(original);
      case CONSTRAINTS -> constraints(original);
      case GET -> get(ticket);
      case CHANGE -> change(cib, original, ticket);
      case CLEANUP -> cleanup(cib, original, ticket);
      case NOTHING -> throw new IllegalStateException("checked before");
    }
    return ExitStatus.OK;
  }

  private void list(WorkingSet status, @Nullable Ticket ticket) throws CommandException {
    if (id != null && ticket == null) {
      throw new CommandException(ExitStatus.NOSUCH, "No such ticket '" + id + "'");
    }
    if (ticket != null) {
      status.tickets().keySet().retainAll(List.of(ticket.id()));
    }
    var view = View.of(status, out(), EnumSet.noneOf(Show.class));
    TicketsView.show(view, false, mode == Mode.RAW, mode == Mode.DETAILS);
  }

  /// The states of the ticket named, or of all.
  private List<Element> states(Element cib) {
    var found = new ArrayList<Element>();
    var tickets = cib.path("status", "tickets");
    if (tickets != null) {
      for (var state : tickets.children("ticket_state")) {
        if (id == null || id.equals(state.id())) {
          found.add(state);
        }
      }
    }
    return found;
  }

  private void state(Element cib) throws CommandException {
    var tickets = cib.path("status", "tickets");
    var states = states(cib);
    if (tickets == null || id != null && states.isEmpty()) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Could not query ticket XML: " + Rc.ENXIO.text());
    }
    switch (out()) {
      case TextOutput text -> {
        text.info("State XML:\n");
        text.print(XmlWriter.pretty(id == null ? tickets : states.getFirst()));
      }
      case XmlOutput xml -> {
        xml.open("tickets");
        for (var state : states) {
          var ticket = xml.add("ticket");
          for (var at = 0; at < state.attributeCount(); at++) {
            ticket.attr(state.attributeName(at), state.attributeValue(at));
          }
        }
        xml.close();
      }
    }
  }

  private void constraints(Element cib) throws CommandException {
    var found = new ArrayList<Element>();
    var constraints = cib.path("configuration", "constraints");
    if (constraints != null) {
      for (var it : constraints.children("rsc_ticket")) {
        if (id == null || id.equals(it.get("ticket"))) {
          found.add(it);
        }
      }
    }
    if (found.isEmpty()) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Could not show ticket constraints: " + Rc.ENXIO.text());
    }
    switch (out()) {
      case TextOutput text -> {
        text.info("Constraints XML:\n");
        found.forEach(it -> text.print(XmlWriter.pretty(it)));
      }
      case XmlOutput xml -> constraints(xml, found);
    }
  }

  private static void constraints(XmlOutput xml, List<Element> found) {
    xml.open("tickets");
    for (var it : found) {
      xml.open("ticket", "id", it.get("ticket"));
      xml.open("constraints");
      xml.add(it);
      xml.close();
      xml.close();
    }
    xml.close();
    xml.open("resources");
    found.forEach(it -> xml.add("resource", "id", it.get("rsc")));
    xml.close();
  }

  private void get(@Nullable Ticket ticket) throws CommandException {
    var found = ticket == null ? null : ticket.state().get(wanted);
    var shown = found == null ? otherwise : found;
    if (shown == null) {
      throw new CommandException(ExitStatus.NOSUCH, "");
    }
    switch (out()) {
      case TextOutput text -> text.print(shown + "\n");
      case XmlOutput xml -> {
        xml.open("tickets");
        xml.open("ticket", "id", id);
        xml.add("attribute", "name", wanted, "value", shown);
        xml.close();
        xml.close();
      }
    }
  }

  private void change(CibTarget cib, Element original, @Nullable Ticket ticket)
      throws CommandException {
    if (!force && (set.containsKey("granted") || deleted.contains("granted"))) {
      warn(!deleted.contains("granted") && Bool.isTrue(set.get("granted")));
      throw new CommandException(
          ExitStatus.UNSAFE, "Ticket modification not allowed without --force");
    }
    var states = states(original);
    var state = states.isEmpty() ? Element.of("ticket_state", "id", id) : states.getFirst();
    Rc rc;
    if (deleted.isEmpty()) {
      for (var it : set.entrySet()) {
        state = state.with(it.getKey(), it.getValue());
      }
      if (Bool.isTrue(set.getOrDefault("granted", "false"))
          && (ticket == null || !ticket.granted())) {
        state =
            state.with("last-granted", Long.toString(terminal().clock().get().getEpochSecond()));
      }
      var whole = Element.of("status").plus(Element.of("tickets").plus(state));
      rc = cib.update(CibOp.modify("status", whole)).rc();
    } else {
      for (var name : deleted) {
        state = state.without(name);
      }
      rc = cib.update(CibOp.replace("status", state)).rc();
    }
    if (rc != Rc.OK) {
      throw new CommandException(rc.exit(), "Could not modify ticket: " + rc.text());
    }
  }

  private void cleanup(CibTarget cib, Element original, @Nullable Ticket ticket)
      throws CommandException {
    if (!force && ticket == null) {
      throw new CommandException(ExitStatus.NOSUCH, "No such ticket '" + id + "'");
    }
    if (!force && ticket != null && ticket.granted()) {
      warn(false);
      throw CommandException.refused("");
    }
    var states = states(original);
    for (var state : states) {
      var rc = cib.update(CibOp.delete("status", state)).rc();
      if (rc != Rc.OK) {
        throw new CommandException(rc.exit(), "Could not clean up ticket: " + rc.text());
      }
    }
    if (!states.isEmpty()) {
      out().info("Cleaned up " + id);
    }
  }

  private void warn(boolean granting) {
    out()
        .error(
            (granting
                    ? """
                    This command cannot help you verify whether '%1$s' has been already granted elsewhere.
                    If you really want to grant '%1$s' to this site now, and you know what you are doing,
                    please specify --force.\
                    """
                    : """
                    Revoking '%1$s' can trigger the specified 'loss-policy'(s) relating to '%1$s'.

                    You can check that with:
                    crm_ticket --ticket %1$s --constraints

                    Otherwise before revoking '%1$s', you may want to make '%1$s'standby with:
                    crm_ticket --ticket %1$s --standby

                    If you really want to revoke '%1$s' from this site now, and you know what you are doing,
                    please specify --force.\
                    """)
                .formatted(id));
  }
}
