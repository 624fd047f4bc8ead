package org.systole.controld.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.cib.SetupReader;

/// What a new DC goes by. If it did nothing where the configuration makes no sense, hosts that the DC before has said
/// something of would stay as they are: a plan leaves a suspect host alone, and nobody would ask it how it is.
final class FirstSetup {
  private FirstSetup() {}

  /// @param complain told what makes no sense
  /// @return null if nothing is to be done
  static @Nullable HostSetup read(Element cib, Consumer<List<String>> complain) {
    var setup = SetupReader.read(cib);
    complain.accept(complaints(setup));
    if (setup.flaw() != null && !HostHaUse.hasLeft(cib)) {
      return null;
    }
    return setup.toGoBy(it -> isLookedAfter(cib, it));
  }

  /// What makes no sense, for people.
  static List<String> complaints(HostSetup setup) {
    var all = new ArrayList<>(HostHa.shortened(setup.faults()));
    if (setup.flaw() != null) {
      all.add("no host is recovered or fenced before this is mended");
    }
    return all;
  }

  private static boolean isLookedAfter(Element cib, NodeName host) {
    var said = HostStatus.of(cib, host);
    return said != null && said.isManaged();
  }
}
