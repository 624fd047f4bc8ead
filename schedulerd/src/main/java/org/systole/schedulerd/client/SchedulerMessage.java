package org.systole.schedulerd.client;

import java.util.List;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;
import org.systole.common.xml.XmlText;

/// What the controller and the scheduler of one node say to each other over `sched.sock`.
public sealed interface SchedulerMessage {
  ClientProtocol<Request, Reply, NoEvent> PROTOCOL =
      ClientProtocol.of(
          Protocol.of("scheduler", 1, SchedulerMessage.class), Request.class, Reply.class);
  String SOCKET = "sched";

  sealed interface Request extends SchedulerMessage {}

  sealed interface Reply extends SchedulerMessage {}

  /// Asks for the transition that brings the cluster from what the CIB says it is to what it says
  /// it should be.
  ///
  /// @param reference the name of the transition the plan is for, number and term of the DC;
  ///     returned with the answer
  /// @param cib the whole CIB
  /// @param nowMillis the moment to plan for, milliseconds since 1970
  record Calculate(String reference, XmlText cib, long nowMillis)
      implements Request, Allowed.ToNobodyElse {}

  /// @param graph the transition graph, packed if it is long ([PackedGraph]); empty if
  ///     there is none because of `failure`
  /// @param inputFile where the input was saved
  /// @param warnings what the scheduler wants an administrator to know, one line each
  /// @param errors mistakes in the configuration, one line each
  /// @param failure empty, or why there is no graph at all
  record Calculated(
      String reference,
      XmlText graph,
      String inputFile,
      List<String> warnings,
      List<String> errors,
      String failure)
      implements Reply {}
}
