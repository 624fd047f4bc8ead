package org.systole.cts.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// What the demonstration runs.
final class DemoConfiguration {
  private DemoConfiguration() {}

  /// @param name such as `configuration.xml`
  static String text(String name) throws IOException {
    try (var in = DemoConfiguration.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
