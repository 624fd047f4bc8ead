package org.systole.scheduler.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.hosts.HostStatus;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.corpus.Corpora;

/// Where host HA is off, or a host is not eligible for it, a plan is what it was without it, to the byte: actions and
/// what they wait for, scores, summary and complaints (B1.147).
final class HostHaChangesNothingTest {
  /// When inputs that say no time are planned for.
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  private static final String SETTINGS =
      """
      <cluster_property_set id="host-ha-everywhere">
        <nvpair id="hhe1" name="ha.enabled" value="%s"/>
        <nvpair id="hhe2" name="ha.provider" value="activity-file"/>
        <nvpair id="hhe3" name="kvm.ha.fence.timeout" value="90"/>
      </cluster_property_set>
      """;

  @Test
  void switchedOffItChangesNoPlan() throws Exception {
    assertEquals(0, check(HostHaChangesNothingTest::off));
  }

  @Test
  void hostsThatAreNotEligibleAreTheClustersAsEver() throws Exception {
    var marked = check(HostHaChangesNothingTest::ineligible);
    assertTrue(marked >= 10, () -> "only %d inputs have hosts".formatted(marked));
  }

  /// That these tests could fail.
  @Test
  void oneThatIsLookedIntoChangesPlans() throws Exception {
    var others = 0;
    for (var file : inputs()) {
      var cib = XmlReader.parse(Files.readAllBytes(file));
      var suspect = HostHaUse.hasLeft(cib) ? cib : marked(with(cib, "true"), "SUSPECT");
      others += Scenario.decided(cib, now(cib)).equals(Scenario.decided(suspect, now(cib))) ? 0 : 1;
    }
    var changed = others;
    assertTrue(changed >= 5, () -> "only %d plans are other ones".formatted(changed));
  }

  /// @return of how many inputs host HA says something of a host after the change
  private static int check(UnaryOperator<Element> change) throws IOException, XmlException {
    var marked = 0;
    for (var file : inputs()) {
      var cib = XmlReader.parse(Files.readAllBytes(file));
      if (HostHaUse.hasLeft(cib)) {
        continue; // it is about host HA
      }
      var changed = change.apply(cib);
      marked += HostHaUse.hasLeft(changed) ? 1 : 0;
      assertEquals(Scenario.decided(cib, now(cib)), Scenario.decided(changed, now(cib)), file::toString);
    }
    return marked;
  }

  private static List<Path> inputs() throws IOException {
    var all = new ArrayList<Path>();
    Scenario.in(OwnScenariosTest.directory()).forEach(it -> all.add(it.file()));
    all.addAll(Corpora.inputs());
    return all;
  }

  private static Instant now(Element cib) {
    var date = cib.get("execution-date");
    return date == null ? NOW : Instant.ofEpochSecond(Long.parseLong(date));
  }

  private static Element off(Element cib) {
    return with(cib, "false");
  }

  private static Element ineligible(Element cib) {
    return marked(with(cib, "true"), "INELIGIBLE");
  }

  private static Element with(Element cib, String enabled) {
    return at(
        cib,
        "configuration",
        configuration ->
            at(
                configuration,
                "crm_config",
                options -> {
                  var sets = new ArrayList<>(options.children());
                  sets.add(parse(SETTINGS.formatted(enabled)));
                  return options.withChildren(sets);
                }));
  }

  /// As the DC writes how all hosts are: in the status, and on record.
  private static Element marked(Element cib, String state) {
    Set<String> hosts = HostHaUse.connections(cib).stream().map(it -> it.get("id", "")).collect(Collectors.toSet());
    var recorded =
        at(
            cib,
            "configuration",
            configuration -> at(configuration, "nodes", nodes -> each(nodes, hosts, it -> recorded(it, state))));
    return at(
        recorded,
        "status",
        status ->
            each(
                status,
                hosts,
                it ->
                    it.with(HostStatus.STATE, state)
                        .with(HostStatus.SINCE, "1699999000")
                        .with(HostStatus.WHY, "it is as it is")));
  }

  private static Element recorded(Element node, String state) {
    var children = new ArrayList<>(node.children());
    children.add(
        parse(
            """
            <instance_attributes id="%s-record"><nvpair id="%s-record-1" name="#host-ha"
              value="%s since=1699999000 attempts=1 begun=false"/></instance_attributes>
            """
                .formatted(node.id(), node.id(), state)));
    return node.withChildren(children);
  }

  private static Element at(Element parent, String name, UnaryOperator<Element> change) {
    return parent.withChildren(parent.children().stream().map(it -> it.is(name) ? change.apply(it) : it).toList());
  }

  private static Element each(Element parent, Set<String> names, UnaryOperator<Element> change) {
    return parent.withChildren(
        parent.children().stream().map(it -> names.contains(it.get("uname", "")) ? change.apply(it) : it).toList());
  }

  private static Element parse(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }
}
