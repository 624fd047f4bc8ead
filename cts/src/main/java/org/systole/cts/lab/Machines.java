package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;

/// Somewhere to follow the page that leads from three machines to the first resource.
interface Machines {
  /// As the page calls them.
  List<String> NAMES = List.of("alpha", "beta", "gamma");

  /// What the resource answers at, in the page.
  String SERVICE = "192.0.2.100";

  /// How a command ended, its two outputs together.
  record Outcome(int status, String output) {}

  /// Runs a command as root would in a shell.
  ///
  /// @param answers what is typed when it asks
  Outcome run(String machine, String command, String answers) throws IOException;

  /// The same on the desk, where the sources are.
  Outcome desk(String command) throws IOException;

  void write(String machine, String file, String text) throws IOException;

  /// Whether something answers at an address.
  boolean answers(String address) throws IOException;

  /// How many times the machine has been switched on.
  int starts(String machine) throws IOException;

  /// Waits for what no event tells.
  void await(String what, Look wanted) throws IOException;

  /// One look at whether it has come to be.
  interface Look {
    boolean now() throws IOException;
  }

  /// The address of a machine.
  static String address(String machine) {
    return "192.0.2.1" + (NAMES.indexOf(machine) + 1);
  }

  /// The address of its management board.
  static String board(String machine) {
    return "198.51.100.1" + (NAMES.indexOf(machine) + 1);
  }
}
