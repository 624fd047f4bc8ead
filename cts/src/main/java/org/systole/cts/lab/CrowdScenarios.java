package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.cts.farm.HostFarm;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// Fifty remote hosts, each with a resource, all connected to one member. They are in one process, but
/// speak the real protocol.
final class CrowdScenarios {
  private static final int HOSTS = 50;
  private static final String HOST = "far";
  private static final String TENANT = "tenant";
  private static final String PLACE = "farm";

  private CrowdScenarios() {}

  /// What happens to the members.
  private interface Fault {
    void tell(Run run, Crowd crowd) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of(
            "crowd-member-dies",
            "the member that is connected to 50 remote hosts loses its power",
            CrowdScenarios::memberDies),
        of(
            "crowd-member-dies-busy",
            "the same while the resources of all hosts are being restarted",
            CrowdScenarios::memberDiesBusy),
        of(
            "crowd-cluster-dies",
            "all members lose their power and come back while 50 remote hosts run on",
            CrowdScenarios::clusterDies));
  }

  private static Scenario of(String name, String about, Fault fault) {
    return new Scenario(name, about, Shape.THREE, true, run -> story(run, fault));
  }

  /// @param farm the hosts
  /// @param holder the member that is connected to all
  private record Crowd(HostFarm farm, LocalNode holder) {
    /// The hosts that a member has connected to since then.
    TreeSet<String> connected(double since) {
      var found = new TreeSet<String>();
      deeds(since).stream()
          .filter(it -> it.what().equals(HostFarm.CONNECTED))
          .forEach(it -> found.add(it.host()));
      return found;
    }

    /// What agents were asked to start or stop since then.
    List<HostFarm.Deed> changes(double since) {
      return deeds(since).stream().filter(it -> !it.resource().equals("-")).toList();
    }

    /// What agents were asked for since then, by resource, in order.
    SortedMap<String, String> restarts(double since) {
      var found = new TreeMap<String, String>();
      changes(since).forEach(it -> found.merge(it.resource(), it.what(), (a, b) -> a + " " + b));
      return found;
    }

    private List<HostFarm.Deed> deeds(double since) {
      try {
        return farm.since(since);
      } catch (IOException e) {
        throw new LabFailure("what the hosts did cannot be read: " + e.getMessage());
      }
    }
  }

  private static void story(Run run, Fault fault) throws IOException {
    var lab = run.lab();
    Health.begin(lab);
    Health.await(lab);
    var place = lab.addHost(PLACE);
    FarHost.giveKey(lab, place);
    try (var farm =
        HostFarm.start(lab.distribution(), place.dir(), place.prefix(), HOST, HOSTS)) {
      var holder = lab.otherThan(run.dc());
      var loaded = lab.nodes().getFirst().configure(configuration(place.address(), holder.name()));
      LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
      lab.await("all hosts at work, by " + holder.name(), it -> isAtWork(it, holder.name()));
      fault.tell(run, new Crowd(farm, holder));
      lab.await("all hosts at work", it -> isAtWork(it, null));
      end(lab);
    } finally {
      lab.removeHost(PLACE);
    }
  }

  /// @param holder who is to be connected to all; null for anybody
  private static boolean isAtWork(Snapshot seen, @Nullable String holder) {
    for (var number = 1; number <= HOSTS; number++) {
      var at = seen.activeOn(HOST + number);
      if (!seen.online().contains(HOST + number)
          || at.size() != 1
          || holder != null && !at.contains(holder)
          || !seen.activeOn(TENANT + number).equals(List.of(HOST + number))) {
        return false;
      }
    }
    return !seen.isPending();
  }

  private static String configuration(String address, String holder) {
    var text = new StringBuilder("<configuration><resources>");
    for (var number = 1; number <= HOSTS; number++) {
      text.append(
          """
          <primitive id="far%1$d" class="ocf" provider="pacemaker" type="remote">
            <instance_attributes id="far%1$d-params"><nvpair id="far%1$d-server" name="server" value="%2$s"/>
              <nvpair id="far%1$d-port" name="port" value="%3$d"/></instance_attributes>
            <operations><op id="far%1$d-start" name="start" interval="0" timeout="120s"/>
              <op id="far%1$d-monitor" name="monitor" interval="10s" timeout="60s"/></operations></primitive>
          <primitive id="tenant%1$d" class="ocf" provider="lab" type="Witness">
            <operations><op id="tenant%1$d-monitor" name="monitor" interval="10s" timeout="60s"/></operations>
          </primitive>
          """
              .formatted(number, address, HostFarm.port(number)));
    }
    text.append("</resources><constraints>");
    for (var number = 1; number <= HOSTS; number++) {
      text.append(
          """
          <rsc_location id="crowd-%1$d" rsc="tenant%1$d" node="far%1$d" score="1000" resource-discovery="exclusive"/>
          """
              .formatted(number));
    }
    return text.append(
            """
            <rsc_location id="crowd-holder" rsc-pattern="^far[0-9]+$" node="%s" score="100"/>
            <rsc_location id="crowd-members" rsc-pattern="^(first|second|third|everywhere-clone)$"
                resource-discovery="never"><rule id="crowd-members-rule" score="-INFINITY">
              <expression id="crowd-members-kind" attribute="#kind" operation="eq" value="remote"/>
            </rule></rsc_location></constraints></configuration>
            """
                .formatted(holder))
        .toString();
  }

  private static void end(Lab lab) throws IOException {
    var first = lab.nodes().getFirst();
    FarHost.delete(first, "//rsc_location[starts-with(@rsc,'tenant')]");
    FarHost.delete(first, "//primitive[starts-with(@id,'tenant')]");
    lab.await("no tenant left", it -> noneActive(it, TENANT));
    FarHost.delete(first, "//primitive[starts-with(@id,'far')]");
    lab.await("no host connected", it -> noneActive(it, HOST));
    FarHost.delete(first, "//rsc_location[starts-with(@id,'crowd-')]");
  }

  private static boolean noneActive(Snapshot seen, String kind) {
    for (var number = 1; number <= HOSTS; number++) {
      if (!seen.activeOn(kind + number).isEmpty()) {
        return false;
      }
    }
    return seen.online().stream().noneMatch(it -> kind.equals(HOST) && it.startsWith(HOST));
  }

  private static void memberDies(Run run, Crowd crowd) throws IOException {
    var victim = crowd.holder();
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    isUntouched(run, crowd);
  }

  /// What had been asked for on the hosts may have been done or not, and nobody knows: it is looked for, and done.
  private static void memberDiesBusy(Run run, Crowd crowd) throws IOException {
    var victim = crowd.holder();
    run.mustFence(victim);
    var begun = Evidence.now() / 1e9;
    var changed = run.others(victim).getFirst().configure(changedParameters());
    LabFailure.unless(changed.ok(), "cibadmin: " + changed.output().strip());
    Lab.awaitProcess("some stopped", () -> crowd.restarts(begun).size() >= HOSTS / 5);
    var processes = LabProcesses.freeze(victim);
    run.note("%d of %d begun".formatted(crowd.restarts(begun).size(), HOSTS));
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    awaitConnected(run, crowd);
    run.await(
        "all restarted",
        "all resources restarted",
        () ->
            crowd.restarts(begun).size() == HOSTS
                && crowd.restarts(begun).values().stream().allMatch(it -> it.endsWith("stop start")));
    run.lab().await("all hosts at work", it -> isAtWork(it, null));
    run.reached("hosts whole");
    LabFailure.unless(
        crowd.restarts(begun).values().stream().noneMatch(it -> it.contains("start start")),
        "started twice: " + crowd.restarts(begun));
    notFenced(run);
  }

  private static String changedParameters() {
    var text = new StringBuilder("<configuration><resources>");
    for (var number = 1; number <= HOSTS; number++) {
      text.append(
          """
          <primitive id="tenant%1$d"><instance_attributes id="tenant%1$d-params">
            <nvpair id="tenant%1$d-more" name="more" value="1"/></instance_attributes></primitive>
          """
              .formatted(number));
    }
    return text.append("</resources></configuration>").toString();
  }

  private static void clusterDies(Run run, Crowd crowd) throws IOException {
    var lab = run.lab();
    var processes = new TreeMap<String, List<Long>>();
    for (var node : lab.nodes()) {
      run.touch(node);
      processes.put(node.name(), new ArrayList<>(LabProcesses.freeze(node)));
    }
    run.fault(
        () -> {
          for (var node : lab.nodes()) {
            NodeScenarios.powerOff(run, node, processes.get(node.name()));
          }
        });
    AllAtOnce.to(lab.nodes(), LocalNode::kill); // waits for what is being ended, which else would pass for a node that runs
    AllAtOnce.to(lab.nodes(), LocalNode::start);
    isUntouched(run, crowd);
  }

  /// The hosts are connected again, and neither they nor what runs there have noticed anything else.
  private static void isUntouched(Run run, Crowd crowd) throws IOException {
    awaitConnected(run, crowd);
    run.lab().await("all hosts at work", it -> isAtWork(it, null));
    run.reached("hosts whole");
    var changes = crowd.changes(run.since() / 1e9);
    LabFailure.unless(changes.isEmpty(), "what runs on the hosts was not left alone: " + changes);
    notFenced(run);
  }

  private static void awaitConnected(Run run, Crowd crowd) {
    var since = run.since() / 1e9;
    run.await(
        "connected again", "all hosts connected", () -> crowd.connected(since).size() == HOSTS);
  }

  private static void notFenced(Run run) throws IOException {
    var fenced = run.lab().evidence().fenced(run.since());
    LabFailure.unless(
        fenced.keySet().stream().noneMatch(it -> it.startsWith(HOST)), "hosts were fenced: " + fenced);
  }
}
