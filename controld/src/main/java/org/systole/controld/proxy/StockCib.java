package org.systole.controld.proxy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// A stock command that reads or changes the CIB.
final class StockCib extends StockSession<CibMessage.Request, CibMessage.Reply, CibMessage.Event> {
  private static final String OPERATION = "cib_op";
  private static final String OPTIONS = "cib_callopt";
  private static final String CALL = "cib_callid";
  private static final String DATA = "cib_calldata";
  private static final String SECTION = "cib_section";
  private static final String NAME = "cib_clientname"; // of the program, told once
  private static final String CHANGES = "cib_diff_notify";
  private static final String COMMIT = "cib_commit_transact";

  private static final int XPATH = 0x2;
  private static final int MULTIPLE = 0x4;
  private static final int CAN_CREATE = 0x8;
  private static final int DISCARD = 0x10;
  private static final int NO_CHILDREN = 0x20;
  private static final int PATHS = 0x40;
  private static final int DRY_RUN = 0x200;
  private static final int SYNC = 0x1000;
  private static final int FORCE = 0x100000;
  private static final long TIMEOUT_MILLIS = 60_000;
  private static final int OPERATIONS_MAX = 200;

  private final boolean onlyReads;
  private String client = "remote command";
  private boolean follows;
  private boolean isSubscribed;

  StockCib(Outlet outlet, NodeName node, boolean onlyReads) {
    super(outlet, node, CibMessage.SOCKET, CibMessage.PROTOCOL);
    this.onlyReads = onlyReads;
  }

  @Override
  void asked(Asked it) {
    switch (it.xml().get(OPERATION, "")) {
      case "register" -> {
        client = cut(it.xml().get(NAME, client));
        respond(it, Element.of("registered", OPERATION, "register", "cib_clientid", token()));
      }
      case "cib_notify" -> notify(it);
      case "noop" -> reply(it, Rc.OK, "", null);
      case "cib_query" -> query(it);
      default -> change(it);
    }
  }

  private void notify(Asked it) {
    if (CHANGES.equals(it.xml().get("cib_notify_type"))) {
      follows = Bool.isTrue(it.xml().get("cib_notify_activate"));
      if (follows && !isSubscribed) {
        isSubscribed = true;
        ask(
            new CibMessage.Subscribe(),
            reply -> {
              if (reply instanceof CibMessage.Answer) {
                end("it may not read the CIB");
              }
            });
      }
    }
    acknowledge(it, ExitStatus.OK); // of other kinds there is nothing to be told
  }

  private static int options(Element request) {
    return Numbers.integer(request.get(OPTIONS), 0);
  }

  private static String section(Element request) {
    var section = request.get(SECTION, "");
    return section.equals("cib") || section.equals("all") ? "" : section;
  }

  private void query(Asked it) {
    var options = options(it.xml());
    var query =
        new CibQuery(
            section(it.xml()),
            (options & XPATH) != 0,
            (options & NO_CHILDREN) != 0,
            (options & PATHS) != 0);
    ask(new CibMessage.Query(query, ""), reply -> answer(it, reply));
  }

  private void change(Asked it) {
    var operations = operations(it.xml());
    if (operations == null || (options(it.xml()) & DRY_RUN) != 0) {
      reply(it, Rc.EOPNOTSUPP, "", null);
    } else if (onlyReads) {
      reply(it, Rc.EPERM, "", null);
    } else {
      var update =
          new CibMessage.Update(
              operations,
              (options(it.xml()) & FORCE) != 0,
              "",
              cut(it.xml().get(NAME, client)),
              TIMEOUT_MILLIS);
      ask(update, reply -> answer(it, reply));
    }
  }

  private static @Nullable List<CibOp> operations(Element request) {
    if (!request.get(OPERATION, "").equals(COMMIT)) {
      var one = operation(request);
      return one == null ? null : List.of(one);
    }
    var all = new ArrayList<CibOp>();
    var transaction = data(request);
    for (var each : transaction == null ? List.<Element>of() : transaction.children()) {
      var one = operation(each);
      if (one == null || all.size() == OPERATIONS_MAX) {
        return null;
      }
      all.add(one);
    }
    return all;
  }

  private static @Nullable Element data(Element request) {
    var data = request.first(DATA);
    return data == null || data.childCount() == 0 ? null : data.child(0);
  }

  private static @Nullable CibOp operation(Element request) {
    var word = request.get(OPERATION, "");
    for (var kind : CibOp.Kind.values()) {
      if (kind.word().equals(word)) {
        var options = options(request);
        var data = data(request);
        return new CibOp(
            kind,
            section(request),
            (options & XPATH) != 0,
            data == null ? null : XmlWriter.compact(data),
            (options & CAN_CREATE) != 0,
            kind == CibOp.Kind.MODIFY,
            (options & MULTIPLE) != 0,
            request.get("cib_schema_max", ""));
      }
    }
    return null;
  }

  private void answer(Asked it, CibMessage.Reply reply) {
    if (!(reply instanceof CibMessage.Answer answer)) {
      end("the CIB manager answers something else");
      return;
    }
    try {
      var found = answer.xml() == null ? null : XmlReader.parse(answer.xml());
      reply(it, answer.rc(), answer.why(), found);
    } catch (XmlException e) {
      end("the CIB manager answers what is no XML: " + e.getMessage());
    }
  }

  /// @param why for our own commands; Pacemaker's do not look at it
  private void reply(Asked it, Rc rc, String why, @Nullable Element found) {
    var options = options(it.xml());
    var reply =
        Element.builder("cib-reply")
            .attr("t", "cib")
            .attr(OPERATION, it.xml().get(OPERATION))
            .attr(CALL, it.xml().get(CALL))
            .attr("cib_clientid", token())
            .attr(OPTIONS, options)
            .attr("cib_rc", -rc.legacy());
    if (!why.isEmpty()) {
      reply.attr("why", why);
    }
    if (found != null) {
      reply.add(Element.builder(DATA).add(found).build());
    }
    if ((options & SYNC) != 0) {
      respond(it, reply.build());
    } else if ((options & DISCARD) == 0) {
      tell(reply.build());
    }
  }

  @Override
  void told(CibMessage.Event event) {
    switch (event) {
      case CibMessage.Copy _ -> end("the CIB was replaced"); // it connects again, and reads it anew
      case CibMessage.Changed(var patch, var _, var _) -> {
        if (follows) {
          changed(patch.text());
        }
      }
      case CibMessage.RolesChanged _ -> {} // for the DC's controller only
    }
  }

  private void changed(String patch) {
    try {
      tell(
          Element.builder("notify")
              .attr("t", "cib_notify")
              .attr("subt", CHANGES)
              .attr(OPERATION, CibOp.Kind.PATCH.word())
              .attr("cib_rc", 0)
              .add(Element.builder("cib_update_result").add(XmlReader.parse(patch)).build())
              .build());
    } catch (XmlException e) {
      end("the CIB manager tells what is no XML: " + e.getMessage());
    }
  }
}
