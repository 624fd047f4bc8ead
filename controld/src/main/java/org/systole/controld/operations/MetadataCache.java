package org.systole.controld.operations;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationDigest;
import org.systole.common.values.OperationName;
import org.systole.common.world.World;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.ExecClient;
import org.systole.execd.client.ExecMessage;

/// The metadata of the agents used on this node. Digests of their operations need it.
public final class MetadataCache {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LEARN_AFTER = Duration.ofSeconds(2);

  private final World world;
  private final ExecClient executor;
  private final Map<AgentName, AgentMetadata> known = new HashMap<>();
  private final Set<AgentName> learnedSoon = new HashSet<>();

  MetadataCache(World world, ExecClient executor) {
    this.world = world;
    this.executor = executor;
  }

  /// Null if nothing is known of the agent.
  @Nullable AgentMetadata get(AgentName agent) {
    return known.get(agent);
  }

  /// What is needed of an agent to record an operation; null if nothing is needed, or known.
  @Nullable AgentMetadata forRecord(AgentName agent, OperationName operation) {
    return OperationDigest.needsMetadata(agent, operation) ? known.get(agent) : null;
  }

  /// Asks an agent.
  ///
  /// @param then called once it has answered or its time is up
  void ask(AgentName agent, Runnable then) {
    ask(agent, TIMEOUT, then);
  }

  /// Asks several agents; does not wait long for those that do not answer.
  void learn(Collection<AgentName> agents, Runnable then) {
    var left = new int[] {agents.size() + 1};
    Runnable one =
        () -> {
          if (--left[0] == 0) {
            then.run();
          }
        };
    agents.forEach(it -> ask(it, PATIENCE, one));
    one.run();
  }

  /// Asks an agent again, once for all its resources that start about the same time: it may have
  /// been replaced since the last start.
  void learnSoon(AgentName agent) {
    if (learnedSoon.add(agent)) {
      world.after(
          LEARN_AFTER,
          () -> {
            learnedSoon.remove(agent);
            learn(List.of(agent), () -> {});
          });
    }
  }

  private void ask(AgentName agent, Duration timeout, Runnable then) {
    executor.metadata(
        agent,
        timeout,
        answer -> {
          learned(agent, answer);
          then.run();
        });
  }

  private void learned(AgentName agent, ExecMessage.Metadata answer) {
    if (answer.status() != ExecStatus.DONE) {
      return;
    }
    try {
      known.put(agent, AgentMetadata.parse(agent.standard(), answer.xml()));
    } catch (XmlException e) {
      world.log().warning("The metadata of %s is no XML: %s".formatted(agent, e.getMessage()));
    }
  }
}
