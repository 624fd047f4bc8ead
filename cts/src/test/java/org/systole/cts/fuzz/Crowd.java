package org.systole.cts.fuzz;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/// Many connections of one stranger at once that say nothing.
final class Crowd {
  private static final int SIZE = 40;

  /// Makes a connection.
  interface Opening {
    Socket open() throws IOException;
  }

  private Crowd() {}

  /// Opens them, waits a while for what the other end does, and closes them.
  static void come(Opening opening, int millis, Figures figures) {
    figures.manner("a crowd of silent connections");
    List<Socket> crowd = new ArrayList<>();
    try {
      while (crowd.size() < SIZE) {
        crowd.add(opening.open());
      }
      crowd.getLast().setSoTimeout(millis);
      crowd.getLast().getInputStream().readNBytes(1);
    } catch (IOException e) {
      figures.manner("a crowd that waited or was not let in");
    } finally {
      for (var it : crowd) {
        try {
          it.close();
        } catch (IOException e) {
          figures.manner("a connection that cannot be closed");
        }
      }
    }
  }
}
