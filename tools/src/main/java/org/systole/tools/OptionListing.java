package org.systole.tools;

import org.systole.common.output.Output;

/// tmp
final class OptionListing {
  private OptionListing() {}

  static void show(Output out, String kind, boolean all) {}
}
