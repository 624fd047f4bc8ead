package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

final class VocabularyTest {
  private static final AgentName DUMMY = new AgentName("ocf", "pacemaker", "Dummy");

  @ParameterizedTest
  @EnumSource(Task.class)
  void aTaskIsFoundByItsName(Task task) {
    assertEquals(task, Task.of(task.text()));
    assertTrue(task.is(task.text()));
  }

  @Test
  void aNameOfAnAgentsOwnIsNoTask() {
    assertNull(Task.of("self-made"));
    assertNull(Task.of((String) null));
    assertFalse(Task.START.is((String) null));
  }

  @Test
  void onlyAMonitorThatDoesNotRecurIsAProbe() {
    assertTrue(Task.isProbe("monitor", 0));
    assertFalse(Task.isProbe("monitor", 10_000));
    assertFalse(Task.isProbe("start", 0));
  }

  @ParameterizedTest
  @CsvSource({
    "OK, 0", "UNKNOWN_ERROR, 1", "INVALID_PARAMETER, 2", "UNIMPLEMENTED, 3",
    "INSUFFICIENT_PRIVILEGES, 4", "NOT_INSTALLED, 5", "NOT_CONFIGURED, 6", "NOT_RUNNING, 7",
    "RUNNING_PROMOTED, 8", "FAILED_PROMOTED, 9", "DEGRADED, 190", "DEGRADED_PROMOTED, 191",
    "NONE, 193"
  })
  void theCodesAreThoseOfTheStandard(OcfCode code, int number) {
    assertEquals(number, code.number());
    assertEquals(code, OcfCode.of(number));
  }

  @ParameterizedTest
  @CsvSource({
    "0, OK",
    "7, NOT_RUNNING",
    "190, DEGRADED",
    "10, UNKNOWN_ERROR",
    "193, UNKNOWN_ERROR",
    "-1, UNKNOWN_ERROR",
    "255, UNKNOWN_ERROR"
  })
  void anExitStatusOutsideTheStandardIsAnUnknownError(int status, OcfCode code) {
    assertEquals(code, OcfCode.ofAgent(status));
  }

  @Test
  void aDegradedServiceWorks() {
    assertEquals(0, OcfCode.undegraded(190));
    assertEquals(8, OcfCode.undegraded(191));
    assertEquals(7, OcfCode.undegraded(7));
    assertEquals(
        List.of(OcfCode.OK, OcfCode.RUNNING_PROMOTED, OcfCode.DEGRADED, OcfCode.DEGRADED_PROMOTED),
        List.of(OcfCode.values()).stream().filter(OcfCode::isActive).toList());
  }

  @Test
  void aStatusThatIsNoneHasATextToo() {
    assertEquals("Timed out", ExecStatus.text(2));
    assertEquals("Unrecognized status (bug?)", ExecStatus.text(99));
    assertEquals("Unrecognized status (bug?)", ExecStatus.text(ExecStatus.UNKNOWN.code()));
  }

  @Test
  void otherParametersKeepWhatTheClusterAdded() {
    var request =
        OperationRequest.of(
            new ResourceId("web"),
            DUMMY,
            new OperationName("stop"),
            0,
            Map.of("state", "new", "CRM_meta_timeout", "5000", "crm_feature_set", "3.20.5"),
            "key");

    var asStarted = request.withOwnParameters(Map.of("state", "old"));

    assertEquals(
        Map.of("state", "old", "CRM_meta_timeout", "5000", "crm_feature_set", "3.20.5"),
        asStarted.parameters());
    assertEquals(5000, asStarted.timeoutMillis());
  }

  @Test
  void aResultHasFailedIfItIsNotTheOneExpected() {
    var request =
        OperationRequest.of(
            new ResourceId("web"),
            DUMMY,
            new OperationName("monitor"),
            0,
            Map.of(),
            TransitionKey.unplanned(1, 7).toString());

    assertFalse(OperationResult.made(request, 7, ExecStatus.DONE, "", 0).failed());
    assertTrue(OperationResult.made(request, 0, ExecStatus.DONE, "", 0).failed());
    assertTrue(OperationResult.made(request, 7, ExecStatus.TIMEOUT, "", 0).failed());
    assertFalse(OperationResult.made(request, 0, ExecStatus.CANCELLED, "", 0).failed());
  }
}
