package org.systole.cibd.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's connection to the CIB manager of its node. Lives on the daemon's loop.
///
/// A daemon that needs the CIB's content all the time also uses a [CibReplica].
public final class CibClient {
  private static final Duration SLACK = Duration.ofSeconds(2); // the CIB manager's own answer first

  private final RpcClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib;
  private final String name;

  /// @param name the daemon's name, written into the CIB as `update-client`
  /// @param connection called when the CIB manager is connected and when it is lost
  public CibClient(World world, String name, RpcClient.Listener<CibMessage.Event> connection) {
    this.cib = new RpcClient<>(world, CibMessage.SOCKET, CibMessage.PROTOCOL, connection);
    this.name = name;
  }

  public void open() {
    cib.open();
  }

  public boolean isConnected() {
    return cib.isConnected();
  }

  public void close() {
    cib.close();
  }

  /// Changes the CIB. Updates are carried out in the order requested; many may be under way.
  ///
  /// @param timeout also how long to wait for a DC
  public void update(CibOp operation, Duration timeout, Consumer<CibMessage.Answer> done) {
    update(List.of(operation), timeout, done);
  }

  /// As [#update(CibOp, Duration, Consumer)]: all the operations or none, in one version.
  public void update(List<CibOp> operations, Duration timeout, Consumer<CibMessage.Answer> done) {
    update(operations, false, timeout, done);
  }

  /// @param force also without quorum
  public void update(
      List<CibOp> operations, boolean force, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(
        new CibMessage.Update(operations, force, "", name, timeout.toMillis()),
        timeout.plus(SLACK),
        done);
  }

  /// As [#update(List, Duration, Consumer)], as the DC of an epoch: refused with ECANCELED once the
  /// controller of a later DC has taken over.
  public void updateAsDc(
      List<CibOp> operations, long dcEpoch, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(
        new CibMessage.Update(operations, false, "", name, timeout.toMillis(), dcEpoch),
        timeout.plus(SLACK),
        done);
  }

  public void query(CibQuery query, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(new CibMessage.Query(query, ""), timeout, done);
  }

  /// The cluster's roles, without XML if there are none.
  ///
  /// @param known see [CibMessage.RolesQuery]
  public void roles(@Nullable Long known, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(new CibMessage.RolesQuery("", known), timeout, done);
  }

  /// Makes this node's CIB manager the primary; only for the controller of the DC.
  public void setPrimary(long epoch, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(new CibMessage.SetPrimary(epoch), timeout, done);
  }

  public void setSecondary(Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(new CibMessage.SetSecondary(), timeout, done);
  }

  /// @param done given null if the CIB manager does not answer
  public void status(Duration timeout, Consumer<CibMessage.@Nullable Status> done) {
    cib.call(
        new CibMessage.Ping(),
        timeout,
        answer ->
            done.accept(
                answer instanceof RpcClient.Answer.Got<CibMessage.Reply>(CibMessage.Status it)
                    ? it
                    : null));
  }

  private void ask(CibMessage.Request request, Duration timeout, Consumer<CibMessage.Answer> done) {
    cib.call(
        request,
        timeout,
        answer ->
            done.accept(
                switch (answer) {
                  case RpcClient.Answer.Got<CibMessage.Reply>(CibMessage.Answer it) -> it;
                  case RpcClient.Answer.Got<CibMessage.Reply>(var other) ->
                      failed(Rc.EPROTO, "the CIB manager answered " + other);
                  case RpcClient.Answer.TimedOut<CibMessage.Reply>() ->
                      failed(Rc.ETIME, "the CIB manager did not answer within " + timeout);
                  case RpcClient.Answer.Lost<CibMessage.Reply>(var why) -> failed(Rc.ENOTCONN, why);
                }));
  }

  private static CibMessage.Answer failed(Rc rc, String why) {
    return new CibMessage.Answer(rc, why, null, CibVersion.NONE);
  }
}
