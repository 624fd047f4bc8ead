package org.systole.cibd.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.wire.BlockingClient;

/// A command's connection to the CIB manager of this node. One that is patient outlasts that this is started again:
/// it waits for it as it is opened, and asks again what changes nothing.
///
/// Not safe for use by several threads.
public final class CibConnection implements CibTarget {
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final int TRIES = 3; // one that does not take this user closes each connection

  private BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client;
  private final @Nullable Layout patient;
  private final String name;
  private final String user;
  private final Duration timeout;

  private CibConnection(
      BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client,
      @Nullable Layout patient,
      String name,
      String user,
      Duration timeout) {
    this.client = client;
    this.patient = patient;
    this.name = name;
    this.user = user;
    this.timeout = timeout;
  }

  /// Not patient.
  ///
  /// @param name the command's name, written into the CIB as `update-client`
  /// @param timeout how long to wait for each answer
  /// @throws CibException if the CIB manager does not run or this user may not ask it
  public static CibConnection open(Layout layout, String name, Duration timeout)
      throws CibException {
    try {
      return new CibConnection(Comeback.once(layout), null, name, "", timeout);
    } catch (IOException e) {
      throw new CibException(Rc.ENOTCONN, Rc.ENOTCONN.text());
    }
  }

  /// A patient one.
  ///
  /// @param user whose rights count if a request names none; empty for the user of this process
  public static CibConnection open(Layout layout, String name, String user, Duration timeout)
      throws CibException {
    try {
      return new CibConnection(new Comeback(layout, timeout).open(), layout, name, user, timeout);
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
    return read(new CibMessage.Query(query, named(as)));
  }

  @Override
  public CibMessage.Answer update(List<CibOp> operations, boolean force, String as) {
    return ask(
        new CibMessage.Update(operations, force, named(as), name, timeout.toMillis()),
        timeout.plus(SLACK));
  }

  /// The cluster's roles, without XML if it has none.
  public CibMessage.Answer roles() {
    return read(new CibMessage.RolesQuery(named("")));
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
      return answer(request, wait);
    } catch (IOException e) {
      return failed(Rc.ENOTCONN, "" + e.getMessage());
    }
  }

  /// Asks what changes nothing, and again where the connection breaks.
  private CibMessage.Answer read(CibMessage.Request request) {
    var comeback = patient == null ? null : new Comeback(patient, timeout);
    for (var tries = 1; ; tries++) {
      try {
        return answer(request, timeout);
      } catch (IOException e) {
        if (comeback == null || tries == TRIES || !again(comeback, e)) {
          return failed(Rc.ENOTCONN, "" + e.getMessage());
        }
      }
    }
  }

  private boolean again(Comeback comeback, IOException why) {
    try {
      var next = comeback.openLater(why);
      client.close();
      client = next;
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /// @throws IOException if the connection broke
  private CibMessage.Answer answer(CibMessage.Request request, Duration wait) throws IOException {
    try {
      var answer = client.call(request, wait);
      return answer instanceof CibMessage.Answer it
          ? it
          : failed(Rc.EPROTO, "the CIB manager answered " + answer);
    } catch (SocketTimeoutException e) {
      return failed(Rc.ETIME, "the CIB manager did not answer within " + wait.toSeconds() + "s");
    }
  }

  private static CibMessage.Answer failed(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.NONE);
  }
}
