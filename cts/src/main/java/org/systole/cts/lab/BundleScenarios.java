package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// A bundle of two real containers, run by Debian's podman on members of the lab, with a resource
/// inside each.
final class BundleScenarios {
  private static final Path PODMAN = Path.of("/usr/bin/podman");
  private static final List<String> REPLICAS = List.of("box-0", "box-1");
  private static final String RESOURCE = "boxed";
  private static final int FIRST_ADDRESS = 100;
  private static final int COMMAND_SECONDS = 60;

  private static final List<String> DIRECTORIES =
      List.of("usr", "etc/pacemaker", "tmp", "run", "var/log", "var/lib", "proc", "sys", "dev");

  private static final String SETTINGS =
      """
      [containers]
      cgroups="disabled"
      default_ulimits=["nofile=20000:20000","nproc=4000:4000"]
      [engine]
      cgroup_manager="cgroupfs"
      events_logger="file"
      """;

  private BundleScenarios() {}

  private interface Fault {
    void tell(Run run) throws IOException;
  }

  static List<Scenario> all() {
    return List.of(
        of("bundle-replica-dies", "a container of a bundle ends", BundleScenarios::replicaDies),
        of("bundle-host-dies", "the member that a container runs on dies", BundleScenarios::hostDies));
  }

  /// Why there can be no containers here, empty if there can.
  static String obstacle() {
    return Files.isExecutable(PODMAN) ? "" : "podman is not installed";
  }

  private static Scenario of(String name, String about, Fault fault) {
    return Scenario.of(name, about, run -> story(run, fault));
  }

  private static void story(Run run, Fault fault) throws IOException {
    var lab = run.lab();
    begin(lab);
    fault.tell(run);
    lab.await("all containers", BundleScenarios::isWhole);
    end(lab);
  }

  private static void begin(Lab lab) throws IOException {
    FarHost.giveKey(lab);
    var home = lab.dir().resolve("home").resolve("box");
    if (!Files.exists(home)) {
      LabHome.make(lab.distribution(), home);
    }
    var image = image(lab.dir().resolve("image"));
    for (var node : lab.nodes()) {
      Files.writeString(node.dir().resolve("containers.conf"), SETTINGS);
      LabHome.install("podman", node.home().resolve("sbin/podman"));
      Files.createDirectories(node.layout().run());
      Lab.succeed(node, "podman", "import", image.toString(), "local/lab");
    }
    var text =
        LabHome.text("bundle.xml")
            .replace("@DIRECTORY@", lab.dir().toString())
            .replace("@HOME@", home.toString())
            .replace("@PROGRAM@", lab.distribution().toString())
            .replace("@ADDRESS@", lab.network().address(FIRST_ADDRESS));
    var loaded = lab.nodes().getFirst().configure(text);
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
    lab.await("all containers", BundleScenarios::isWhole);
  }

  /// An image with nothing but directories: programs come from the host.
  private static Path image(Path directory) throws IOException {
    var archive = directory.resolveSibling("image.tar");
    if (Files.exists(archive)) {
      return archive;
    }
    for (var name : DIRECTORIES) {
      Files.createDirectories(directory.resolve(name));
    }
    for (var name : List.of("bin", "sbin", "lib", "lib64")) {
      Files.createSymbolicLink(directory.resolve(name), Path.of("usr", name));
    }
    Files.createSymbolicLink(directory.resolve("var/run"), Path.of("../run"));
    for (var name : List.of("passwd", "group")) {
      Files.copy(Path.of("/etc", name), directory.resolve("etc").resolve(name));
    }
    pack(directory, archive);
    return archive;
  }

  private static void pack(Path directory, Path archive) throws IOException {
    var tar =
        new ProcessBuilder("tar", "-C", directory.toString(), "-cf", archive.toString(), ".")
            .inheritIO()
            .start();
    try {
      LabFailure.unless(
          tar.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) && tar.exitValue() == 0,
          "tar did not pack " + directory);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static boolean isWhole(Snapshot seen) {
    return seen.online().containsAll(REPLICAS)
        && seen.activeOn("box-clone").equals(REPLICAS)
        && !seen.isPending();
  }

  private static void end(Lab lab) throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    // once it is removed nobody knows what belonged together
    Lab.succeed(first, "crm_resource", "-r", "box", "--meta", "-p", "target-role", "-v", "Stopped");
    lab.await("no container", it -> it.activeOn("box").isEmpty() && !it.isPending());
    FarHost.delete(first, "//bundle[@id='box']");
    for (var replica : REPLICAS) {
      Lab.succeed(first, "crm_node", "--force", "-R", replica);
    }
    Lab.succeed(first, "crm_resource", "--cleanup");
  }

  private static String container(int replica) {
    return "box-podman-" + replica;
  }

  private static LocalNode carrier(Lab lab) {
    var on = lab.await("a container", it -> it.activeOn(container(0)).size() == 1);
    return lab.node(on.activeOn(container(0)).getFirst());
  }

  private static void replicaDies(Run run) throws IOException {
    var lab = run.lab();
    var carrier = carrier(lab);
    run.fault(() -> LabProcesses.only(carrier, "remoted").destroyForcibly());
    lab.evidence().dead(REPLICAS.getFirst());
    run.await("replica recovery", RESOURCE + " started again", () -> hasStarted(run));
  }

  private static void hostDies(Run run) throws IOException {
    var lab = run.lab();
    var victim = carrier(lab);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(
        () -> {
          NodeScenarios.powerOff(run, victim, processes);
          lab.network().forgetAddresses(Run.id(victim));
        });
    lab.evidence().dead(REPLICAS.getFirst());
    run.await(
        "container elsewhere",
        run.others(victim).getFirst(),
        "a container on another member",
        it ->
            it.activeOn(container(0)).size() == 1
                && !it.activeOn(container(0)).contains(victim.name()));
    run.await("replica recovery", RESOURCE + " started again", () -> hasStarted(run));
  }

  private static boolean hasStarted(Run run) {
    try {
      return run.lab().evidence().deeds(run.since()).stream()
          .anyMatch(
              it ->
                  it.node().equals(REPLICAS.getFirst())
                      && it.resource().equals(RESOURCE)
                      && it.deed().equals("started"));
    } catch (IOException e) {
      return false; // the next look tells
    }
  }
}
