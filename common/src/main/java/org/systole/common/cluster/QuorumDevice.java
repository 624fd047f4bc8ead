package org.systole.common.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// The section `quorum { device { } }`: a server outside the cluster that gives its votes to one
/// side. All times are in milliseconds.
///
/// @param votes that the device has
/// @param timeoutMillis how long its vote stays good without word from it; null as the token time
///     says
/// @param syncTimeoutMillis how long a change of members waits for its answer
public record QuorumDevice(
    int votes,
    @Nullable Integer timeoutMillis,
    int syncTimeoutMillis,
    Net net,
    Heuristics heuristics) {
  /// How the votes are given.
  public enum Algorithm {
    /// To one of two halves.
    FFSPLIT("ffsplit", "Fifty-Fifty split"),
    /// To one side, however small: the last node that is left may go on.
    LMS("lms", "LMS");

    private final String word;
    private final String shown;

    Algorithm(String word, String shown) {
      this.word = word;
      this.shown = shown;
    }

    /// As in the file.
    public String word() {
      return word;
    }

    /// As Corosync's tools show it.
    public String shown() {
      return shown;
    }
  }

  /// Whether the connection is encrypted.
  public enum Tls {
    OFF("off", "Unsupported"),
    /// If the server can.
    ON("on", "Supported"),
    REQUIRED("required", "Required");

    private final String word;
    private final String shown;

    Tls(String word, String shown) {
      this.word = word;
      this.shown = shown;
    }

    public String word() {
      return word;
    }

    public String shown() {
      return shown;
    }
  }

  /// Which side has the votes if nothing else decides.
  public sealed interface TieBreaker {
    record Lowest() implements TieBreaker {}

    record Highest() implements TieBreaker {}

    record Node(NodeId id) implements TieBreaker {}
  }

  /// @param connectTimeoutMillis null for the usual
  /// @param ipVersion 4 or 6, 0 for either
  /// @param keepActivePartition of equal sides the one that had the votes keeps them
  public record Net(
      String server,
      int port,
      Algorithm algorithm,
      Tls tls,
      TieBreaker tieBreaker,
      @Nullable Integer connectTimeoutMillis,
      int ipVersion,
      boolean keepActivePartition) {
    /// Server and port.
    public String address() {
      return server + ":" + port;
    }
  }

  /// When the commands are run.
  public enum Mode {
    OFF("off", "Disabled"),
    /// When the members have changed.
    SYNC("sync", "Sync"),
    /// Then, and at intervals.
    ON("on", "Enabled");

    private final String word;
    private final String shown;

    Mode(String word, String shown) {
      this.word = word;
      this.shown = shown;
    }

    public String word() {
      return word;
    }

    public String shown() {
      return shown;
    }
  }

  /// Commands that say whether this node is of use: a node passes if all of them end with 0.
  public record Heuristics(
      Mode mode,
      int timeoutMillis,
      int syncTimeoutMillis,
      int intervalMillis,
      List<Command> commands) {
    public Heuristics {
      commands = List.copyOf(commands);
    }
  }

  /// @param name what follows `exec_`
  /// @param words the program and its arguments
  public record Command(String name, List<String> words) {
    public Command {
      words = List.copyOf(words);
    }
  }
}
