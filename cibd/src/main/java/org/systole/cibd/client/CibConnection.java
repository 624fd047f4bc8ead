package org.systole.cibd.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.wire.BlockingClient;

/// A command's connection to the CIB manager of this node.
///
/// Not safe for use by several threads.
public final class CibConnection implements CibTarget {
  private static final Duration SLACK = Duration.ofSeconds(2);

  private final BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client;
  private final String name;
  private final String user;
  private final Duration timeout;

  private CibConnection(
      BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client,
      String name,
      String user,
      Duration timeout) {
    this.client = client;
    this.name = name;
    this.user = user;
    this.timeout = timeout;
  }

  /// @param name the command's name, written into the CIB as `update-client`
  /// @param timeout how long to wait for each answer
  /// @throws CibException if the CIB manager does not run or this user may not ask it
  public static CibConnection open(Layout layout, String name, Duration timeout)
      throws CibException {
    return open(layout, name, "", timeout);
  }

  /// @param user whose rights count if a request names none; empty for the user of this process
  public static CibConnection open(Layout layout, String name, String user, Duration timeout)
      throws CibException {
    try {
      var socket = layout.socket(CibMessage.SOCKET);
      return new CibConnection(
          BlockingClient.open(socket, CibMessage.PROTOCOL), name, user, timeout);
    } catch (IOException e) {
      throw new CibException(Rc.ENOTCONN, Rc.ENOTCONN.text());
    }
  }

  @Override
  public CibMessage.Answer query(CibQuery query) {
    return query(query, "");
  }

  @Override
  public CibMessage.Answer query(CibQuery query, String as) {
    return ask(new CibMessage.Query(query, named(as)), timeout);
  }

  @Override
  public CibMessage.Answer update(List<CibOp> operations, boolean force, String as) {
    return ask(
        new CibMessage.Update(operations, force, named(as), name, timeout.toMillis()),
        timeout.plus(SLACK));
  }

  /// The cluster's roles, without XML if it has none.
  public CibMessage.Answer roles() {
    return ask(new CibMessage.RolesQuery(named("")), timeout);
  }

  private String named(String as) {
    return as.isEmpty() ? user : as;
  }

  /// @throws IOException if the CIB manager does not answer
  public CibMessage.Status status() throws IOException {
    var answer = client.call(new CibMessage.Ping(), timeout);
    if (answer instanceof CibMessage.Status status) {
      return status;
    }
    throw new IOException("the CIB manager answered " + answer);
  }

  @Override
  public boolean isLive() {
    return true;
  }

  @Override
  public void close() {
    client.close();
  }

  private CibMessage.Answer ask(CibMessage.Request request, Duration wait) {
    try {
      var answer = client.call(request, wait);
      return answer instanceof CibMessage.Answer it
          ? it
          : failed(Rc.EPROTO, "the CIB manager answered " + answer);
    } catch (SocketTimeoutException e) {
      return failed(Rc.ETIME, "the CIB manager did not answer within " + wait.toSeconds() + "s");
    } catch (IOException e) {
      return failed(Rc.ENOTCONN, "" + e.getMessage());
    }
  }

  private static CibMessage.Answer failed(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.NONE);
  }
}
