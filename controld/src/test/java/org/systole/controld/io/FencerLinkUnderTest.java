package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.systole.common.operation.ExecStatus;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeName;
import org.systole.common.world.Log;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.controld.TestCib;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The controller of node1, which is DC unless a test says otherwise; node2 has been in the cluster
/// since membership 10, and the present plan was made in membership 12.
abstract class FencerLinkUnderTest {
  static final int TRANSITION = 4;

  final TestWorld world = new TestWorld();
  final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  final List<Long> asked = new ArrayList<>();
  final List<FenceMessage.Fence> requests = new ArrayList<>();
  final Host host = new Host();
  final FencerLink link = new FencerLink(world, host);

  final class Host implements FencerLink.Host {
    final List<String> deeds = new ArrayList<>();
    final List<String> byOthers = new ArrayList<>();
    final Map<String, Long> stays = new HashMap<>(Map.of("node1", 5L, "node2", 10L, "node3", 10L));
    final Set<Integer> underWay = new HashSet<>(Set.of(TRANSITION));
    final Set<String> down = new HashSet<>();
    boolean dc = true;
    long plannedIn = 12;

    @Override
    public NodeName nodeName() {
      return new NodeName("node1");
    }

    @Override
    public boolean isDc() {
      return dc;
    }

    @Override
    public int fencingMaxAttempts() {
      return 3;
    }

    @Override
    public long plannedIn() {
      return plannedIn;
    }

    @Override
    public Duration fencingTimeout() {
      return Duration.ofSeconds(60);
    }

    @Override
    public long stay(NodeName node) {
      return stays.getOrDefault(node.text(), 0L);
    }

    @Override
    public boolean isUnderWay(int transition) {
      return underWay.contains(transition);
    }

    @Override
    public Log transitionLog() {
      return world.log();
    }

    @Override
    public void ended(int transition, int action, boolean succeeded) {
      deeds.add("ended %d:%d %s".formatted(transition, action, succeeded));
    }

    @Override
    public void restart(String why) {
      deeds.add("restart");
    }

    @Override
    public void giveUp(String why) {
      deeds.add("give up");
    }

    @Override
    public boolean isRecordedDown(NodeName node) {
      return down.contains(node.text());
    }

    @Override
    public void fencedByOthers(NodeName node, String why) {
      byOthers.add(node + ": " + why);
    }

    @Override
    public void recordDown(NodeName node) {
      deeds.add("down " + node);
    }

    @Override
    public void setAttribute(String name, NodeName node, @Nullable String value) {
      deeds.add("%s of %s is %s".formatted(name, node, value));
    }

    @Override
    public void alert(FenceMessage.Fenced event, String text) {
      deeds.add("alert");
      alerts.add(text);
    }

    @Override
    public void fencedOurselves(NodeName origin) {
      deeds.add("fenced ourselves");
    }

    final List<String> alerts = new ArrayList<>();

    List<String> deeds() {
      world.settle();
      var now = List.copyOf(deeds);
      deeds.clear();
      return now;
    }
  }

  @BeforeEach
  void connect() {
    fencer.script(
        (id, request) -> {
          if (request instanceof FenceMessage.Fence fence) {
            asked.add(id);
            requests.add(fence);
          } else {
            fencer.reply(id, new FenceMessage.Ok());
          }
        });
    link.open();
    world.settle();
  }

  static GraphAction action(int id, String operation, String node, String more) {
    return GraphAction.of(
        TestCib.xml(
            """
            <crm_event id="%d" operation="stonith" operation_key="stonith-%s" on_node="%s"
              on_node_uuid="%s"><attributes CRM_meta_stonith_action="%s" %s/></crm_event>
            """
                .formatted(id, node, node, node.substring(4), operation, more)));
  }

  void fence(int id, String node) {
    link.fence(action(id, "reboot", node, ""), TRANSITION);
    world.settle();
  }

  static FenceRecord record(String action, String target, String client, long membership) {
    return new FenceRecord(
        "f1",
        new NodeName(target),
        action,
        new NodeName("node3"),
        "node3",
        client,
        Progress.DONE,
        1,
        "",
        membership);
  }

  /// The request asked for as the `which`th ends.
  void ends(int which, int rc, ExecStatus status, long membership) {
    var request = requests.get(which);
    var record = record(request.action(), request.target().text(), request.client(), membership);
    fencer.reply(asked.get(which), new FenceMessage.Outcome(record, rc, status));
    world.settle();
  }

  void succeeds(int which) {
    ends(which, 0, ExecStatus.DONE, requests.get(which).membership());
  }

  void fails(int which) {
    ends(which, 1, ExecStatus.ERROR, requests.get(which).membership());
  }

  void fenced(String target, String client, boolean succeeded, long membership) {
    var record = record("reboot", target, client, membership);
    fencer.event(
        new FenceMessage.Fenced(
            record, succeeded ? 0 : 1, succeeded ? ExecStatus.DONE : ExecStatus.ERROR));
    world.settle();
  }

  static List<String> planned(String... deeds) {
    return List.of(deeds);
  }
}
