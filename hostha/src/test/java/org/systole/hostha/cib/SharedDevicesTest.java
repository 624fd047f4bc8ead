package org.systole.hostha.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;
import org.systole.hostha.config.Configuration;

/// What is said of a fence device that cannot do in time what may come at once.
final class SharedDevicesTest {
  private static List<String> doubts(int hosts, String parameters, String... settings) throws Exception {
    var builder = new Configuration.Builder();
    builder.set("ha.enabled", "true", null);
    for (var at = 0; at < settings.length; at += 2) {
      builder.set(settings[at], settings[at + 1], null);
    }
    IntStream.range(0, hosts).forEach(at -> builder.host(new NodeName("h" + at), null, List.of()));
    var list = IntStream.range(0, hosts).mapToObj(at -> "h" + at).collect(Collectors.joining(" "));
    var cib =
        XmlReader.parse(
            """
            <cib><configuration><resources><group id="g">
              <primitive id="ipmi" class="stonith" type="fence_ipmilan"><instance_attributes id="i">
                <nvpair id="i1" name="pcmk_host_list" value="node1 %s"/>%s
              </instance_attributes></primitive></group>
            </resources></configuration></cib>
            """
                .formatted(list, parameters));
    return new SharedDevices(cib).doubts(builder.build());
  }

  private static String limit(String value) {
    return "<nvpair id=\"i2\" name=\"pcmk_action_limit\" value=\"%s\"/>".formatted(value);
  }

  @Test
  void moreAtOnceThanItDoesInTheirTimeIsNamedWithWhatToDo() throws Exception {
    assertEquals(
        List.of(
            "ipmi: this fence device of 90 hosts does 1 action at a time (pcmk_action_limit), and 25 may wait for it at once: what takes longer than kvm.ha.recovery.timeout (60 s) in all counts as failed. Set ha.max.concurrent.recovery.operations to 3, or pcmk_action_limit to what the device can do",
            "ipmi: this fence device of 90 hosts does 1 action at a time (pcmk_action_limit), and 25 may wait for it at once: what takes longer than kvm.ha.fence.timeout (60 s) in all counts as failed. Set ha.max.concurrent.fence.operations to 6, or pcmk_action_limit to what the device can do"),
        doubts(90, ""));
  }

  @Test
  void whatItCanDoIsNoneOfThem() throws Exception {
    assertEquals(List.of(), doubts(90, limit("-1")));
    assertEquals(List.of(), doubts(90, limit("9")));
    assertEquals(List.of(), doubts(10, ""), "of ten, three may be sick; of more, none is recovered");
    assertEquals(
        List.of(),
        doubts(90, "", "ha.max.concurrent.recovery.operations", "3", "ha.max.concurrent.fence.operations", "6"));
    assertEquals(List.of(), doubts(1, ""));
    assertEquals(List.of(), doubts(90, "", "ha.enabled", "false"));
  }
}
