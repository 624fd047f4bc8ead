package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

/// The controller's dealings with the CIB: a live copy to read, and writes that are counted, so
/// that
/// nothing is decided from a CIB that lacks what this controller wrote itself.
final class CibDesk {
  private static final Duration WRITE_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  interface Listener {
    /// Both ways are open and there is a first copy.
    void cibReady();

    void cibChanged(Element before, Element after);

    void cibLost(String why);
  }

  private final World world;
  private final Listener listener;
  private final CibClient client;
  private final CibReplica replica;
  private final List<Runnable> waiting = new ArrayList<>();
  private CibVersion written = CibVersion.NONE;
  private World.@Nullable Timer patience;
  private int outstanding;
  private boolean ready;

  CibDesk(World world, Listener listener) {
    this.world = world;
    this.listener = listener;
    this.client = new CibClient(world, "crmd", new FromClient());
    this.replica = new CibReplica(world, new FromReplica());
  }

  void open() {
    client.open();
    replica.open();
  }

  void close() {
    client.close();
    replica.close();
  }

  boolean isReady() {
    return ready;
  }

  @Nullable Element cib() {
    return replica.cib();
  }

  /// All changes or none; `done` is told whether they were made.
  void write(List<CibOp> changes, Consumer<Boolean> done) {
    outstanding++;
    client.update(
        changes,
        WRITE_TIMEOUT,
        answer -> {
          outstanding--;
          var fine = answer.rc() == Rc.OK;
          if (fine) {
            written = answer.version();
          } else {
            world.log().error("Cannot update the CIB: " + reason(answer));
          }
          done.accept(fine);
          settle();
        });
  }

  void write(CibOp change) {
    write(List.of(change), _ -> {});
  }

  void setPrimary(long epoch, Consumer<@Nullable String> done) {
    client.setPrimary(
        epoch,
        WRITE_TIMEOUT,
        answer -> {
          if (answer.rc() == Rc.OK) {
            written = answer.version();
          }
          done.accept(answer.rc() == Rc.OK ? null : reason(answer));
        });
  }

  void setSecondary() {
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

  boolean settled() {
    var cib = replica.cib();
    return outstanding == 0 && cib != null && CibVersion.of(cib).compareTo(written) >= 0;
  }

  /// Runs `task` once all that was written is in the copy; what waited before is forgotten.
  void whenSettled(Runnable task) {
    waiting.clear();
    waiting.add(task);
    world.post(this::settle);
  }

  void forgetWaiting() {
    waiting.clear();
  }

  private void settle() {
    if (waiting.isEmpty()) {
      return;
    }
    if (!settled()) {
      if (outstanding == 0 && patience == null) {
        // a CIB that was replaced may never reach the version that was written
        patience = world.after(PATIENCE, this::runOut);
      }
      return;
    }
    release();
  }

  private void runOut() {
    patience = null;
    if (outstanding == 0) {
      written = CibVersion.NONE;
    }
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

  private void checkReady() {
    if (!ready && client.isConnected() && replica.cib() != null) {
      ready = true;
      listener.cibReady();
    }
  }

  private final class FromClient implements RpcClient.Listener<CibMessage> {
    @Override
    public void connected() {
      checkReady();
    }

    @Override
    public void disconnected(String why) {
      ready = false;
      listener.cibLost(why);
    }
  }

  private final class FromReplica implements CibReplica.Listener {
    @Override
    public void changed(@Nullable Element before, Element after, @Nullable Element patch) {
      checkReady();
      if (before != null) {
        listener.cibChanged(before, after);
      }
      settle();
    }
  }
}
