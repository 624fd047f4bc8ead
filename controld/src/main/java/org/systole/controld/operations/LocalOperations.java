package org.systole.controld.operations;

import org.systole.common.operation.OperationResult;
import org.systole.common.world.World;
import org.systole.execd.client.ExecClient;

/// The operations of this node, which its own executor runs. That one may be lost and come back.
public final class LocalOperations implements ExecClient.Listener {
  /// What this needs of the controller.
  public interface Host extends OperationRunner.Host {
    void executorReady();

    void executorLost(String why);
  }

  private final Host host;
  private final ExecClient executor;
  private final MetadataCache metadata;
  private final OperationRunner runner;
  private final ExecutorReunion reunion;

  public LocalOperations(World world, Host host) {
    this.host = host;
    this.executor = new ExecClient(world, this);
    this.metadata = new MetadataCache(world, executor);
    this.runner = new OperationRunner(world, host, executor, metadata, this::isReady);
    this.reunion = new ExecutorReunion(world, executor, host, runner, metadata);
  }

  private boolean isReady() {
    return reunion.isUp();
  }

  public void open() {
    executor.open();
  }

  public OperationRunner runner() {
    return runner;
  }

  /// What this node's agents say of themselves.
  public MetadataCache metadata() {
    return metadata;
  }

  @Override
  public void connected() {
    reunion.connected();
  }

  @Override
  public void disconnected(String why) {
    reunion.disconnected();
    host.executorLost(why);
  }

  @Override
  public void result(OperationResult result) {
    runner.result(result);
  }
}
