package org.systole.cts.farm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.real.DaemonMain;
import org.systole.common.world.World;
import org.systole.execd.client.tls.RemoteProof;
import org.systole.execd.client.tls.TlsStreams;

/// Runs the hosts: `FarmMain PREFIX FIRST_PORT COUNT FILE`, with the environment of a remote node. Its
/// standard input says `lose N` and `start N`; it ends with that.
public final class FarmMain {
  private final List<FarmHost> hosts = new ArrayList<>();

  private FarmMain() {}

  public static void main(String[] args) {
    var farm = new FarmMain();
    System.exit(
        DaemonMain.run(
            "farm",
            "exec",
            System.getenv(),
            (world, layout, environment) -> farm.start(world, layout, environment, args)));
  }

  private void start(
      World world, Layout layout, Map<String, String> environment, String[] args) {
    var proof = RemoteProof.of(layout, environment);
    var network = new TlsStreams(world, proof);
    var deeds = new Deeds(world, Path.of(args[3]));
    for (var number = 1; number <= Integer.parseInt(args[2]); number++) {
      hosts.add(
          new FarmHost(
              world,
              layout,
              environment,
              network,
              deeds,
              args[0] + number,
              Integer.parseInt(args[1]) + number));
    }
    hosts.forEach(FarmHost::start);
    world.after(java.time.Duration.ofMillis(500), () -> deeds.note("-", "-", HostFarm.READY));
    Thread.ofPlatform().daemon().name("orders").start(() -> listen(world));
  }

  private void listen(World world) {
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        var words = line.split(" ");
        var host = hosts.get(Integer.parseInt(words[1]) - 1);
        world.post(words[0].equals("lose") ? host::lose : host::start);
      }
    } catch (IOException e) {
      world.log().warning("No more orders: " + e.getMessage());
    }
    world.post(() -> world.exit(0, "whoever made the hosts is gone"));
  }
}
