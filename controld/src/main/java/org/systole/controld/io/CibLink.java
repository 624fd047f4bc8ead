package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.CibReplica;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// The controller's access to the CIB: a live copy to read, and writes that are tracked, so that
/// nothing is decided from a copy that lacks what this controller wrote itself.
///
/// When a lost CIB manager is back, writes without an answer are sent again in their order. They
/// are idempotent, so one that was carried out but not answered does no harm.
public final class CibLink {
  private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(2);
  private static final int WRITES_MAX = 20_000;
  private static final Duration STATUS_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  public interface Listener {
    /// The CIB manager can be asked and there is a first copy; also when it is back.
    void cibReady();

    /// @param highest epoch of a DC the CIB manager has heard of
    void cibEpoch(long highest);

    void cibChanged(Element before, Element after);

    void cibLost(String why);

    /// The cluster has roles, or they changed; told where this node's CIB is the primary one.
    void rolesChanged();
  }

  /// Changes that were not answered yet.
  ///
  /// @param dcEpoch of the DC that writes as such, 0 for a write that is valid under any DC
  /// @param mayMiss there may be nothing to change, which is no error
  private record Write(
      List<CibOp> changes, long dcEpoch, boolean mayMiss, Consumer<Boolean> done, long deadline) {
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /// What another daemon was asked to write.
  ///
  /// @param then run once it is in the copy, or is waited for no longer
  private record Expected(Predicate<Element> written, Runnable then) {}

  /// A request to be the primary that was not answered yet.
  private record TakeOver(long epoch, Consumer<@Nullable String> done) {}

  private final World world;
  private final Listener listener;
  private final CibClient client;
  private final CibReplica replica;
  private final List<Runnable> waiting = new ArrayList<>();
  private final List<Expected> expected = new ArrayList<>();
  private final Set<Write> writes = new LinkedHashSet<>();
  private CibVersion written = CibVersion.NONE;
  private @Nullable TakeOver takeOver;
  private @Nullable Element shown;

  /// The copy may be from before this node's CIB became the primary one.
  private boolean stale;

  private World.@Nullable Timer patience;
  private boolean ready;
  private boolean epochKnown;

  public CibLink(World world, Listener listener) {
    this.world = world;
    this.listener = listener;
    this.client = new CibClient(world, "crmd", new FromClient());
    this.replica = new CibReplica(world, new FromReplica());
  }

  public void open() {
    client.open();
    replica.open();
  }

  void close() {
    client.close();
    replica.close();
  }

  public boolean isReady() {
    return ready;
  }

  public @Nullable Element cib() {
    return replica.cib();
  }

  /// Makes all changes or none; `done` is told whether they were made.
  public void write(List<CibOp> changes, Consumer<Boolean> done) {
    writeAsDc(changes, 0, done);
  }

  /// As [#write] for changes that may find nothing to change.
  public void writeIfThere(List<CibOp> changes, Consumer<Boolean> done) {
    write(changes, 0, true, done);
  }

  /// As [#write], but refused once there is a later DC than that of this epoch: its records of the
  /// nodes are newer.
  public void writeAsDc(List<CibOp> changes, long dcEpoch, Consumer<Boolean> done) {
    write(changes, dcEpoch, false, done);
  }

  private void write(
      List<CibOp> changes, long dcEpoch, boolean mayMiss, Consumer<Boolean> done) {
    var deadline = world.nanoTime() + WRITE_TIMEOUT.toNanos();
    var write = new Write(changes, dcEpoch, mayMiss, done, deadline);
    if (writes.size() >= WRITES_MAX) {
      world.log().error("Cannot update the CIB: too many changes wait for the CIB manager");
      world.post(() -> done.accept(false));
      return;
    }
    writes.add(write);
    if (client.isConnected()) {
      send(write);
    }
  }

  private void send(Write write) {
    var left = Duration.ofNanos(Math.max(1_000_000, write.deadline() - world.nanoTime()));
    client.updateAsDc(
        write.changes(),
        write.dcEpoch(),
        left,
        answer -> {
          if (answer.rc() == Rc.ENOTCONN && !client.isConnected()) {
            return; // sent again once the CIB manager is back
          }
          writes.remove(write);
          var fine = answer.rc() == Rc.OK;
          if (fine) {
            // a change of the configuration may be answered after changes of the status behind it
            written = answer.version().compareTo(written) > 0 ? answer.version() : written;
          } else if (answer.rc() == Rc.ECANCELED) {
            world.log().info("A change of the CIB came too late: " + reason(answer));
          } else if (!write.mayMiss() || answer.rc() != Rc.ENXIO) {
            world.log().error("Cannot update the CIB: " + reason(answer));
          }
          write.done().accept(fine);
          settle();
        });
  }

  public void write(CibOp change) {
    write(List.of(change), _ -> {});
  }

  /// Makes this node's CIB the primary one, now or as soon as the CIB manager is back. Until then
  /// the copy may be outdated, and its changes are not reported.
  ///
  /// @param done called with null once it is, or with why it cannot be
  public void setPrimary(long epoch, Consumer<@Nullable String> done) {
    var mine = new TakeOver(epoch, done);
    takeOver = mine;
    stale = true;
    if (client.isConnected()) {
      send(mine);
    }
  }

  private void send(TakeOver mine) {
    client.setPrimary(
        mine.epoch(),
        WRITE_TIMEOUT,
        answer -> {
          if (takeOver != mine || (answer.rc() == Rc.ENOTCONN && !client.isConnected())) {
            return;
          }
          takeOver = null;
          if (answer.rc() == Rc.OK) {
            written = answer.version();
          }
          show();
          mine.done().accept(answer.rc() == Rc.OK ? null : reason(answer));
        });
  }

  /// Reports the copy as it is now, unless it may be outdated.
  private void show() {
    var before = shown;
    var now = replica.cib();
    if (now == null || before == now || takeOver != null) {
      return;
    }
    if (stale && !reached()) {
      awaitCopy();
      return;
    }
    stale = false;
    shown = now;
    if (before != null) {
      listener.cibChanged(before, now);
    }
  }

  /// The cluster's roles.
  ///
  /// @param known see [CibMessage.RolesQuery]
  public void roles(@Nullable Long known, Consumer<CibMessage.Answer> done) {
    client.roles(known, STATUS_TIMEOUT, done);
  }

  /// Asks for a change of the cluster's roles as the DC of an epoch.
  public void changeRoles(
      CibOp change, long dcEpoch, Duration timeout, Consumer<CibMessage.Answer> done) {
    client.updateAsDc(List.of(change), dcEpoch, timeout, done);
  }

  public void setSecondary() {
    takeOver = null;
    stale = false;
    if (!client.isConnected()) {
      return; // one that has restarted is no primary
    }
    client.setSecondary(
        WRITE_TIMEOUT,
        answer -> {
          if (answer.rc() != Rc.OK) {
            world.log().warning("Handing over the CIB: " + reason(answer));
          }
        });
  }

  private static String reason(CibMessage.Answer answer) {
    return answer.why().isEmpty() ? answer.rc().text() : answer.why();
  }

  public boolean settled() {
    return writes.isEmpty() && expected.isEmpty() && reached();
  }

  /// Another daemon was asked to write something: it counts as unsettled until it is in the copy,
  /// or for so long.
  ///
  /// @param then run after that
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    var asked = new Expected(written, then);
    expected.add(asked);
    world.after(
        limit,
        () -> {
          if (expected.remove(asked)) {
            then.run();
            settle();
          }
        });
  }

  private void tell(Element cib) {
    for (var each : List.copyOf(expected)) {
      if (each.written.test(cib) && expected.remove(each)) {
        world.post(each.then);
      }
    }
  }

  private boolean reached() {
    var cib = replica.cib();
    return cib != null && CibVersion.of(cib).compareTo(written) >= 0;
  }

  /// Runs `task` once all that was written is in the copy; it replaces a task that waits.
  public void whenSettled(Runnable task) {
    waiting.clear();
    waiting.add(task);
    world.post(this::settle);
  }

  public void forgetWaiting() {
    waiting.clear();
  }

  private void settle() {
    if (waiting.isEmpty()) {
      return;
    }
    if (!settled()) {
      if (writes.isEmpty() && expected.isEmpty()) {
        awaitCopy();
      }
      return;
    }
    release();
  }

  /// A CIB that was replaced may never reach the version that was written.
  private void awaitCopy() {
    if (patience == null) {
      patience = world.after(PATIENCE, this::runOut);
    }
  }

  private void runOut() {
    patience = null;
    if (writes.isEmpty()) {
      written = CibVersion.NONE;
    }
    show();
    settle();
  }

  private void release() {
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
    var tasks = List.copyOf(waiting);
    waiting.clear();
    tasks.forEach(Runnable::run);
  }

  /// Asks for the highest epoch of a DC: controllers that have all restarted do not know the DCs
  /// before them.
  private void askEpoch() {
    client.status(
        STATUS_TIMEOUT,
        status -> {
          if (status != null) {
            epochKnown = true;
            listener.cibEpoch(status.epoch());
            checkReady();
          } else if (client.isConnected()) {
            askEpoch();
          }
        });
  }

  private void checkReady() {
    if (!ready && epochKnown && client.isConnected() && replica.cib() != null) {
      ready = true;
      listener.cibReady();
    }
  }

  private final class FromClient implements RpcClient.Listener<CibMessage.Event> {
    @Override
    public void connected() {
      if (takeOver != null) {
        send(takeOver);
      }
      List.copyOf(writes).forEach(CibLink.this::send);
      askEpoch();
    }

    @Override
    public void event(CibMessage.Event event) {
      if (event instanceof CibMessage.RolesChanged) {
        listener.rolesChanged();
      }
    }

    @Override
    public void disconnected(String why) {
      ready = false;
      epochKnown = false;
      listener.cibLost(why);
    }
  }

  private final class FromReplica implements CibReplica.Listener {
    @Override
    public void changed(@Nullable Element before, Element after, @Nullable Element patch) {
      checkReady();
      tell(after);
      show();
      world.post(CibLink.this::settle); // after the inputs that the change has caused
    }
  }
}
