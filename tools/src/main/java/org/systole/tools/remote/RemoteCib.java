package org.systole.tools.remote;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.execd.client.remote.RemoteXml;
import org.systole.execd.client.tls.CibProof;
import org.systole.execd.client.tls.TlsCaller;

/// The CIB of a cluster that this machine is no member of: asked of a member, over the network, in
/// Pacemaker's form. Not safe for use by several threads.
final class RemoteCib implements CibTarget {
  private static final Duration LOGIN = Duration.ofSeconds(40);
  private static final int OLD_ANSWERS_MAX = 100;

  private static final int XPATH = 0x2;
  private static final int MULTIPLE = 0x4;
  private static final int CAN_CREATE = 0x8;
  private static final int NO_CHILDREN = 0x20;
  private static final int PATHS = 0x40;
  private static final int SYNC = 0x1000;
  private static final int FORCE = 0x100000;

  /// Who is asked.
  record Member(String server, int port) {}

  private final TlsCaller caller;
  private final String client;
  private final Duration timeout;
  private int call;

  private RemoteCib(TlsCaller caller, String client, Duration timeout) {
    this.caller = caller;
    this.client = client;
    this.timeout = timeout;
  }

  static RemoteCib open(
      Member member,
      Layout layout,
      Map<String, String> environment,
      String user,
      String client,
      Duration timeout)
      throws CibException {
    TlsCaller caller = null;
    try {
      var proof = CibProof.ofCommand(layout, environment, user);
      var password = password(environment, user);
      caller = TlsCaller.open(member.server(), member.port(), proof, timeout);
      caller.send(
          RemoteXml.bytes(
              Element.of(
                  "cib_command", "op", "authenticate", "user", user, "password", password)));
      var answer = RemoteXml.parse(caller.receive(LOGIN));
      if (!answer.get("cib_op", "").equals("register")) {
        throw new IOException("it answers something else");
      }
      return new RemoteCib(caller, client, timeout);
    } catch (SocketTimeoutException e) {
      close(caller);
      throw new CibException(Rc.ETIME, member.server() + " does not answer; see its log");
    } catch (IOException | XmlException e) {
      close(caller);
      throw caller == null
          ? new CibException(Rc.ENOTCONN, "" + e.getMessage())
          : new CibException(
              Rc.EACCES,
              "%s does not let user %s in: wrong password, or no member of haclient (its log says which)"
                  .formatted(member.server(), user));
    }
  }

  private static void close(@Nullable TlsCaller caller) {
    if (caller != null) {
      caller.close();
    }
  }

  private static String password(Map<String, String> environment, String user)
      throws IOException {
    var given = environment.getOrDefault(CibInUse.PASSWORD, "");
    if (!given.isEmpty()) {
      return given;
    }
    var console = System.console();
    var typed =
        console == null || !console.isTerminal() ? null : console.readPassword("Password: ");
    if (typed == null || typed.length == 0) {
      throw new IOException("no password for %s: %s is not set".formatted(user, CibInUse.PASSWORD));
    }
    return new String(typed);
  }

  @Override
  public CibMessage.Answer query(CibQuery query) {
    return query(query, "");
  }

  @Override
  public CibMessage.Answer query(CibQuery query, String as) {
    if (!as.isEmpty()) {
      return notAs();
    }
    var options =
        (query.byXPath() ? XPATH : 0)
            | (query.noChildren() ? NO_CHILDREN : 0)
            | (query.paths() ? PATHS : 0);
    return ask("cib_query", query.section(), options, null, "");
  }

  @Override
  public CibMessage.Answer update(List<CibOp> operations, boolean force, String as) {
    if (!as.isEmpty()) {
      return notAs();
    }
    try {
      if (operations.size() == 1) {
        var one = operations.getFirst();
        return ask(
            one.kind().word(),
            one.section(),
            options(one) | (force ? FORCE : 0),
            input(one),
            one.schema());
      }
      var transaction = Element.builder("cib_transaction");
      for (var each : operations) {
        transaction.add(
            command(each.kind().word(), each.section(), options(each), input(each), each.schema())
                .build());
      }
      return ask("cib_commit_transact", "", force ? FORCE : 0, transaction.build(), "");
    } catch (XmlException e) {
      return failed(Rc.UNPACK_ERROR, "it is no XML: " + e.getMessage());
    }
  }

  private static CibMessage.Answer notAs() {
    return failed(Rc.EOPNOTSUPP, "on another machine nobody can act as somebody else");
  }

  private static int options(CibOp it) {
    return (it.byXPath() ? XPATH : 0)
        | (it.multiple() ? MULTIPLE : 0)
        | (it.allowCreate() ? CAN_CREATE : 0);
  }

  private static @Nullable Element input(CibOp it) throws XmlException {
    var xml = it.xml();
    return xml == null ? null : XmlReader.parse(xml);
  }

  private Element.Builder command(
      String operation, String section, int options, @Nullable Element input, String schema) {
    var command =
        Element.builder("cib_command")
            .attr("t", "cib")
            .attr("cib_op", operation)
            .attr("cib_callopt", options | SYNC)
            .attr("cib_clientname", client);
    if (!section.isEmpty()) {
      command.attr("cib_section", section);
    }
    if (!schema.isEmpty()) {
      command.attr("cib_schema_max", schema);
    }
    if (input != null) {
      command.add(Element.builder("cib_calldata").add(input).build());
    }
    return command;
  }

  private CibMessage.Answer ask(
      String operation, String section, int options, @Nullable Element input, String schema) {
    var id = ++call;
    try {
      caller.send(
          RemoteXml.bytes(
              command(operation, section, options, input, schema).attr("cib_callid", id).build()));
      for (var old = 0; old < OLD_ANSWERS_MAX; old++) {
        var answer = RemoteXml.parse(caller.receive(timeout));
        if (Numbers.integer(answer.get("cib_callid"), -1) == id) {
          return answer(answer);
        }
      }
      return failed(Rc.EPROTO, "the member answers something else");
    } catch (SocketTimeoutException e) {
      return failed(
          Rc.ETIME, "the member did not answer within " + timeout.toSeconds() + "s");
    } catch (IOException | XmlException e) {
      return failed(Rc.ENOTCONN, "lost the connection to the member: " + e.getMessage());
    }
  }

  private static CibMessage.Answer answer(Element answer) {
    var rc = Rc.ofLegacy(Math.abs(Numbers.integer(answer.get("cib_rc"), Rc.EPROTO.legacy())));
    var data = answer.first("cib_calldata");
    var xml = data == null || data.childCount() == 0 ? null : XmlWriter.compact(data.child(0));
    return new CibMessage.Answer(
        rc == null ? Rc.ERROR : rc, answer.get("why", ""), xml, CibVersion.NONE);
  }

  private static CibMessage.Answer failed(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.NONE);
  }

  @Override
  public boolean isLive() {
    return false;
  }

  @Override
  public void close() {
    caller.close();
  }
}
