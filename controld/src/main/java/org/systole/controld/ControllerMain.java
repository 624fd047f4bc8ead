package org.systole.controld;

import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.world.World;
import org.systole.execd.client.tls.CibProof;
import org.systole.execd.client.tls.RemoteProof;
import org.systole.execd.client.tls.TlsStreams;

/// Runs the controller for real, with the network that leads to remote nodes.
public final class ControllerMain {
  private ControllerMain() {}

  /// See [ControllerDaemon#start]. TLS is loaded with the first remote node, or when the CIB names a
  /// port for commands of other machines.
  public static void start(World world, Layout layout, Map<String, String> environment) {
    ControllerDaemon.start(
        world,
        layout,
        environment,
        () -> new TlsStreams(world, RemoteProof.of(layout, environment)),
        () -> new TlsStreams(world, CibProof.ofMember(layout, environment)));
  }
}
