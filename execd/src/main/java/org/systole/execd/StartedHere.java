package org.systole.execd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.ResourceId;
import org.systole.execd.client.remote.StartedResource;

/// What may run on this remote node, with the parameters it was started with, whatever the cluster forgets or
/// has forgotten here. It counts from when its start is asked for until it was stopped, or was not found, with
/// these very parameters: with others an agent may look for another instance.
final class StartedHere {
  private final Map<ResourceId, StartedResource> started = new TreeMap<>();

  /// An operation is to run.
  void asked(OperationRequest request) {
    if (request.is(Task.START) || request.is(Task.MIGRATE_FROM)) {
      started.put(request.resource(), of(request));
    }
  }

  /// What came of an operation.
  void ended(OperationResult result) {
    var resource = result.resource();
    var code = result.code();
    var active = result.status() == ExecStatus.DONE && code != null && code.isActive();
    var found = of(result.request());
    switch (result.request().task()) {
      case RELOAD, RELOAD_AGENT -> {
        if (active) {
          started.put(resource, found);
        }
      }
      case MONITOR, PROMOTE, DEMOTE -> {
        if (active) {
          started.putIfAbsent(resource, found);
        } else if (isAbsent(result)) {
          started.remove(resource, found);
        }
      }
      case STOP -> {
        if (active || result.is(OcfCode.NOT_RUNNING)) {
          started.remove(resource, found);
        }
      }
      case null, default -> {}
    }
  }

  private static boolean isAbsent(OperationResult result) {
    return result.is(OcfCode.NOT_RUNNING) || result.is(OcfCode.NOT_INSTALLED);
  }

  private static StartedResource of(OperationRequest request) {
    return new StartedResource(
        request.resource(), request.agent(), new LinkedHashMap<>(request.ownParameters()));
  }

  List<StartedResource> all() {
    return new ArrayList<>(started.values());
  }
}
