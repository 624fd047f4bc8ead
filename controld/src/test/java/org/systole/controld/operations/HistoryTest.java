package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

final class HistoryTest {
  private static final AgentName DUMMY = new AgentName("ocf", "pacemaker", "Dummy");
  private static final String KEY = "3:4:%d:be2e97d9-05e2-439d-863e-48f7aecab2aa";

  private static OperationResult result(String operation, long interval, int rc, int expected) {
    return with(operation, interval, rc, expected, "/tmp/x");
  }

  private static OperationResult with(
      String operation, long interval, int rc, int expected, String state) {
    return OperationResult.made(
        OperationRequest.of(
            new ResourceId("web"),
            DUMMY,
            new OperationName(operation),
            interval,
            Map.of("state", state, "CRM_meta_timeout", "20000"),
            KEY.formatted(expected)),
        rc,
        ExecStatus.DONE,
        "",
        1_700_000_000);
  }

  private static List<String> ids(List<Element> operations) {
    return operations.stream().map(it -> it.get("id", "")).toList();
  }

  @Test
  void aStoppedResourceHasNoRecurringOperations() {
    var history = new History();
    history.record(result("start", 0, 0, 0));
    history.record(result("monitor", 10_000, 0, 0));
    assertEquals(List.of(new ResourceId("web")), history.active());

    history.record(result("stop", 0, 0, 0));

    assertEquals(List.of(), history.active());
    var resource = history.toXml(named("node1"), _ -> null).getFirst();
    assertEquals(List.of("web_last_0"), ids(resource.children("lrm_rsc_op")));
  }

  private static List<String> told(History history) {
    return ids(history.toXml(named("node1"), _ -> null).getFirst().children("lrm_rsc_op"));
  }

  @Test
  void aStopDoesNotHideThatItWasMovedAwayBefore() {
    var history = new History();
    history.record(result("start", 0, 0, 0).withCallId(1));
    history.record(result("migrate_to", 0, 0, 0).withCallId(2));
    assertEquals(List.of("web_migrate_to_0"), told(history));
    var moved = history.results();

    history.record(result("stop", 0, 0, 0).withCallId(3));

    assertEquals(List.of("web_migrate_to_0", "web_last_0"), told(history));
    assertEquals(List.of(), history.active());
    assertEquals(moved.getFirst(), history.results().getFirst());
    assertEquals(2, history.results().size());

    history.record(result("start", 0, 0, 0).withCallId(4));
    assertEquals(List.of("web_last_0"), told(history), "it came back");
  }

  @Test
  void aStopUsesTheParametersOfTheStart() {
    var history = new History();
    history.record(result("start", 0, 0, 0));

    assertEquals(Map.of("state", "/tmp/x"), history.startedWith(new ResourceId("web")));
    assertNull(history.startedWith(new ResourceId("other")));
  }

  @Test
  void aProbeThatFindsAResourceWhereItShouldNotBeTellsWhatItRunsWith() {
    var history = new History();

    history.record(with("monitor", 0, 0, 7, "/tmp/x"));

    assertEquals(Map.of("state", "/tmp/x"), history.startedWith(new ResourceId("web")));
    assertEquals(List.of(new ResourceId("web")), history.active());
  }

  @Test
  void whatAProbeHasFoundRunsOnWhenThatIsForgiven() {
    var history = new History();
    history.record(with("monitor", 0, 0, 7, "/tmp/x"));

    history.forgetFailure(new ResourceId("web"), null, 0);

    assertEquals(List.of(new ResourceId("web")), history.active());
    assertEquals(1, history.leftRunning().size());
    var resource = history.toXml(named("node1"), _ -> null).getFirst();
    assertEquals(List.of("web_last_0"), ids(resource.children("lrm_rsc_op")));
  }

  @Test
  void parametersOfAStartCountBeforeThoseOfAMonitor() {
    var history = new History();
    history.record(with("start", 0, 0, 0, "/tmp/old"));

    history.record(with("monitor", 0, 0, 0, "/tmp/new"));

    assertEquals(Map.of("state", "/tmp/old"), history.startedWith(new ResourceId("web")));
  }

  @Test
  void parametersOfAnEarlierControllerCountBeforeThoseOfAProbe() {
    var history = new History();
    history.presume(new ResourceId("web"), DUMMY, Map.of("state", "/tmp/old"));

    history.record(with("monitor", 0, 0, 7, "/tmp/new"));

    assertEquals(Map.of("state", "/tmp/old"), history.startedWith(new ResourceId("web")));
  }

  @Test
  void aStoppedResourceHasNoStartParameters() {
    var history = new History();
    history.record(with("start", 0, 0, 0, "/tmp/x"));

    history.record(with("stop", 0, 1, 0, "/tmp/x"));
    assertEquals(Map.of("state", "/tmp/x"), history.startedWith(new ResourceId("web")));
    history.record(with("stop", 0, 0, 0, "/tmp/x"));
    assertNull(history.startedWith(new ResourceId("web")));
  }
}
