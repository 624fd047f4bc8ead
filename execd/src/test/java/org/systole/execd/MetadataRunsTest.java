package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.execd.client.ExecMessage;

class MetadataRunsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofMinutes(2);

  private final Map<String, Consumer<ExecMessage.Metadata>> running = new LinkedHashMap<>();
  private final List<Duration> patience = new ArrayList<>();
  private final List<ExecMessage.Metadata> answers = new ArrayList<>();
  private int most;

  private final MetadataRuns runs =
      new MetadataRuns(
          (agent, timeout, done) -> {
            assertTrue(running.put(agent.type(), done) == null, "one run of an agent at a time");
            most = Math.max(most, running.size());
            patience.add(timeout);
          });

  private void ask(String type, Duration timeout, boolean member) {
    runs.ask(new AgentName("ocf", "test", type), timeout, member, answers::add);
  }

  private void end(String type, String xml) {
    running.remove(type).accept(new ExecMessage.Metadata(xml, ExecStatus.DONE, ""));
  }

  @Test
  void requestsDuringARunShareIt() {
    ask("a", SECOND, true);
    ask("a", SECOND, false);
    ask("a", SECOND, true);
    assertEquals(List.of(MetadataRuns.PATIENCE_MIN), patience);
    end("a", "<a/>");
    assertEquals(3, answers.size());
    ask("a", SECOND, true);
    assertEquals(1, running.size(), "and the next asks anew: an agent may have been changed");
  }

  @Test
  void aRequestWithALongerTimeoutGetsItsOwnRunAfterwards() {
    ask("a", SECOND, true);
    ask("a", LONG, false);
    end("a", "");
    assertEquals(1, answers.size());
    assertEquals(List.of(MetadataRuns.PATIENCE_MIN, LONG), patience);
    end("a", "<a/>");
    assertEquals("<a/>", answers.getLast().xml());
  }

  @Test
  void onlyAFewRunsAreForMembersAndTheClusterWaitsForNone() {
    for (var i = 0; i < 10; i++) {
      ask("m" + i, SECOND, true);
    }
    assertEquals(MetadataRuns.MEMBERS_AT_ONCE, running.size());
    ask("mine", SECOND, false);
    assertTrue(running.containsKey("mine"));
    while (!running.isEmpty()) {
      end(running.keySet().iterator().next(), "<x/>");
    }
    assertEquals(11, answers.size(), "all had their turn");
    assertEquals(MetadataRuns.MEMBERS_AT_ONCE + 1, most);
  }

  @Test
  void tooManyRequestsOfMembersAreRefusedAndOfTheClusterNot() {
    for (var i = 0; i < 1000; i++) {
      ask("loop" + i, SECOND, true);
      ask("loop0", SECOND, true);
    }
    var refused = answers.stream().filter(it -> it.why().contains("try again")).count();
    assertEquals(2000 - 2 * MetadataRuns.WAITING_MAX - (MetadataRuns.MEMBERS_AT_ONCE - 1), refused);
    ask("loop0", SECOND, false);
    ask("mine", SECOND, false);
    end("mine", "<mine/>");
    end("loop0", "<loop/>");
    assertTrue(answers.stream().anyMatch(it -> it.xml().equals("<mine/>")));
  }
}
