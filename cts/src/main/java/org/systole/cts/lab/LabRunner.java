package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs scenarios one after the other; a cluster that came out of a run well serves the next one.
final class LabRunner implements AutoCloseable {
  private final Path distribution;
  private final Path parent;
  private @Nullable Lab lab;
  private String kept = "";

  /// @param distribution the installed program to be tested
  LabRunner(Path distribution) throws IOException {
    this.distribution = distribution;
    this.parent = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
  }

  static List<Scenario> scenarios() {
    var all = new ArrayList<Scenario>();
    all.addAll(ClusterScenarios.all());
    all.addAll(ConfigurationScenarios.all());
    all.addAll(DaemonScenarios.all());
    all.addAll(NodeScenarios.all());
    all.addAll(NetworkScenarios.all());
    all.addAll(LinkScenarios.all());
    all.addAll(RemoteScenarios.all());
    all.addAll(RemoteScenarios.ofStock());
    all.addAll(CrowdScenarios.all());
    all.addAll(HostScenarios.all());
    all.addAll(GuestScenarios.all());
    all.addAll(BundleScenarios.all());
    all.addAll(ReplayScenarios.all());
    all.addAll(RoleScenarios.all());
    all.addAll(WatchdogScenarios.all());
    all.addAll(DeviceScenarios.all());
    all.addAll(UpgradeScenarios.all());
    all.addAll(InstallScenarios.all());
    return all;
  }

  /// Why there can be no lab here, empty if there can.
  static String obstacle(Path distribution) {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "the live lab needs root for namespaces";
    }
    if (!Files.exists(distribution.resolve("sbin/pacemakerd"))) {
      return "the live lab needs the packaged program in %s; 'mvn verify' makes it"
          .formatted(distribution);
    }
    var obstacle = LabNetwork.obstacle();
    return obstacle.isEmpty() ? "" : "the live lab needs network namespaces: " + obstacle;
  }

  /// Runs a scenario once.
  ///
  /// @param number of this run, from 1 on
  /// @return the run, for its times
  /// @throws LabFailure if the cluster failed; its files are [#kept] then, nothing of it runs on,
  ///     and the next round has a new one
  Run once(Scenario scenario, int number) throws IOException {
    try {
      var run = new Run(ready(scenario), number);
      scenario.story().tell(run);
      run.conclude();
      return run;
    } catch (IOException | RuntimeException | AssertionError e) {
      var present = lab;
      if (present != null) {
        if (Thread.currentThread().isInterrupted()) {
          throw e; // it did not fail
        }
        present.spoil();
        kept = present.dir().toString();
        var why = "%s, run %d: %s%n".formatted(scenario.name(), number, e);
        Files.writeString(present.dir().resolve("failure.txt"), why);
        Files.writeString(present.dir().resolve("ends.txt"), LabLogs.ends(present));
        LabLogs.keepCibs(present);
      }
      close();
      throw e;
    }
  }

  /// Where the files of the cluster are that failed last.
  String kept() {
    return kept;
  }

  private Lab ready(Scenario scenario) throws IOException {
    var present = lab;
    if (present != null && (scenario.fresh() || !present.shape().equals(scenario.shape()))) {
      close();
      present = null;
    }
    if (present == null) {
      present = Lab.make(distribution, parent, scenario.shape());
      lab = present;
      if (!scenario.fresh()) {
        Health.begin(present);
      }
    }
    if (!scenario.fresh()) {
      Health.await(present);
    }
    return present;
  }

  /// Ends the present cluster.
  @Override
  public void close() throws IOException {
    var present = lab;
    lab = null;
    var interrupted = Thread.interrupted(); // it would end every wait for a process
    try {
      if (present != null) {
        present.close();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
