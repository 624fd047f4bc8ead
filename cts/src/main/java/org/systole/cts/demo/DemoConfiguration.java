package org.systole.cts.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// What the demonstration runs.
final class DemoConfiguration {
  private DemoConfiguration() {}

  static String text() throws IOException {
    try (var in = DemoConfiguration.class.getResourceAsStream("configuration.xml")) {
      if (in == null) {
        throw new IOException("configuration.xml is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
