package org.systole.cts.farm;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Load;
import org.systole.common.world.Log;
import org.systole.common.world.NeverOpened;
import org.systole.common.world.Processes;
import org.systole.common.world.SecretStore;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.Store;
import org.systole.common.world.SystemBus;
import org.systole.common.world.World;

/// The world of one host among many in a process: time, chance, log and the loop are the process'
/// own; programs are made up, and there are no local sockets. Once it has ended nothing of it runs.
final class FarmWorld implements World {
  private final World real;
  private final Processes programs;
  private boolean ended;

  FarmWorld(World real, Deeds deeds, String host) {
    this.real = real;
    this.programs = new FarmPrograms(this, deeds, host);
  }

  void end() {
    ended = true;
  }

  @Override
  public Instant now() {
    return real.now();
  }

  @Override
  public ZoneId zone() {
    return real.zone();
  }

  @Override
  public long nanoTime() {
    return real.nanoTime();
  }

  @Override
  public long elapsedNanos() {
    return real.elapsedNanos();
  }

  @Override
  public String boot() {
    return real.boot();
  }

  @Override
  public void post(Runnable task) {
    real.post(unlessEnded(task));
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    return real.after(delay, unlessEnded(task));
  }

  private Runnable unlessEnded(Runnable task) {
    return () -> {
      if (!ended) {
        task.run();
      }
    };
  }

  @Override
  public RandomGenerator random() {
    return real.random();
  }

  @Override
  public Log log() {
    return real.log();
  }

  @Override
  public void setDebug(String daemons) {
    real.setDebug(daemons);
  }

  @Override
  public void tellServiceManager(String state) {
    // there is none
  }

  @Override
  public Server listen(String name, Access access, ServerHandler handler) {
    return () -> {};
  }

  @Override
  public void groupsOf(String user, Consumer<List<String>> done) {
    post(() -> done.accept(List.of()));
  }

  @Override
  public void connect(String name, ConnectionHandler handler) {
    post(() -> handler.closed(new NeverOpened(name), "a host of many has no such socket"));
  }

  @Override
  public Store store() {
    return real.store();
  }

  @Override
  public SecretStore secrets() {
    return real.secrets();
  }

  @Override
  public Processes processes() {
    return programs;
  }

  @Override
  public SystemBus systemBus() {
    return new SystemBus.None(this); // a made-up host has no units
  }

  @Override
  public void giveBackMemory() {
    // another node's may be in use
  }

  @Override
  public Load load() {
    return real.load();
  }

  @Override
  public void onTerminate(Runnable request) {
    // the process ends with all its hosts
  }

  @Override
  public void exit(int status, String why) {
    ended = true;
  }
}
