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
import org.systole.common.world.KeptText;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.execd.client.remote.StartedResource;

/// What may run on this remote node, with the parameters it was started with, whatever the cluster forgets or
/// has forgotten here. It counts from when its start is asked for until it was stopped, or was not found, with
/// these very parameters: with others an agent may look for another instance.
///
/// It is kept on disk as well: who comes after an executor that was killed may be the only one who can know, as
/// the member that was connected may be lost with it. What stands there from before the machine's last start is gone.
final class StartedHere {
  private static final String FILE = "started.xml";
  private static final String BOOT = "boot";

  private final World world;
  private final Map<ResourceId, StartedResource> started = new TreeMap<>();
  private final KeptText kept;

  StartedHere(World world) {
    this.world = world;
    this.kept = new KeptText(world, FILE, "what was started here", this::content);
    read();
    kept.write();
  }

  private void read() {
    try {
      var bytes = kept.read();
      if (bytes != null) {
        var found = XmlReader.parse(bytes);
        if (world.boot().equals(found.get(BOOT))) {
          StartedResource.of(found).forEach(it -> started.put(it.resource(), it));
        }
      }
    } catch (Store.StoreException | XmlException e) {
      world.log().error("Cannot read what was started here: " + e.getMessage());
    }
  }

  private String content() {
    var list = Element.of("started", BOOT, world.boot());
    return started.isEmpty() ? "" : XmlWriter.pretty(StartedResource.in(list, all()));
  }

  /// An operation is to run.
  void asked(OperationRequest request) {
    if (request.is(Task.START) || request.is(Task.MIGRATE_FROM)) {
      started.put(request.resource(), of(request));
      kept.write();
    }
  }

  /// A resource is about to be moved here live: nobody need ask for it before it runs.
  void arrives(StartedResource sent) {
    started.put(sent.resource(), sent);
    kept.write();
  }

  /// What came of an operation.
  void ended(OperationResult result) {
    note(result);
    kept.write();
  }

  private void note(OperationResult result) {
    var resource = result.resource();
    var code = result.code();
    var active = result.status() == ExecStatus.DONE && code != null && code.isActive();
    var found = of(result.request());
    switch (result.request().task()) {
      case START, MIGRATE_FROM, RELOAD, RELOAD_AGENT -> {
        if (active) {
          started.put(resource, found);
        }
      }
      case MONITOR, PROMOTE, DEMOTE -> {
        if (active) {
          started.putIfAbsent(resource, found);
        } else if (result.saysAbsent()) {
          remove(found);
        }
      }
      case STOP -> {
        if (active || result.is(OcfCode.NOT_RUNNING)) {
          remove(found);
        }
      }
      case null, default -> {}
    }
  }

  private void remove(StartedResource gone) {
    var known = started.get(gone.resource());
    if (known != null && known.isAs(gone)) {
      started.remove(gone.resource());
    }
  }

  private static StartedResource of(OperationRequest request) {
    return new StartedResource(
        request.resource(), request.agent(), new LinkedHashMap<>(request.ownParameters()));
  }

  List<StartedResource> all() {
    return new ArrayList<>(started.values());
  }
}
