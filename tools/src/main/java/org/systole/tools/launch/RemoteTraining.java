package org.systole.tools.launch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.execd.RemotedMain;

/// A node with a remote node, whose daemon is in the same process as the node's own. What a connection to
/// a remote node takes is kept in an archive of classes of its own: daemons that have to do with none do
/// not load it, and what is in the archive that all share each of them has in its memory.
///
/// @param below the archive that all share
/// @param archive the one to be made
record RemoteTraining(String below, String archive) implements DaemonTraining.Kind {
  private static final int KEY_BYTES = 256;
  private static final String HOST = "host1";
  private static final String CIB =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration>
          <crm_config>
            <cluster_property_set id="o"><nvpair id="o-f" name="fencing-enabled" value="false"/></cluster_property_set>
          </crm_config>
          <nodes/>
          <resources>
            <primitive id="%1$s" class="ocf" provider="pacemaker" type="remote">
              <instance_attributes id="%1$s-i">
                <nvpair id="%1$s-s" name="server" value="%2$s"/>
                <nvpair id="%1$s-p" name="port" value="%3$s"/>
              </instance_attributes>
              <operations><op id="%1$s-m" name="monitor" interval="10s"/></operations>
            </primitive>
            <primitive id="a" class="ocf" provider="pacemaker" type="Dummy">
              <operations><op id="a-m" name="monitor" interval="10s"/></operations>
            </primitive>
          </resources>
          <constraints>
            <rsc_location id="l" rsc="a" node="%1$s" score="INFINITY"/>
          </constraints>
        </configuration>
        <status/>
      </cib>
      """;

  @Override
  public String configuration(Map<String, String> environment) throws IOException {
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    give(environment, key);
    give(there(environment), key);
    var address = InetAddress.getLoopbackAddress();
    try (var free = new ServerSocket(0, 1, address)) {
      var port = Integer.toString(free.getLocalPort());
      environment.put("PCMK_remote_port", port);
      environment.put("PCMK_remote_address", address.getHostAddress());
      return CIB.formatted(HOST, address.getHostAddress(), port);
    }
  }

  private static void give(Map<String, String> environment, byte[] key) throws IOException {
    var file = Layout.of(environment).configuration().resolve("authkey");
    Files.createDirectories(file.getParent());
    Files.write(file, key);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
  }

  /// The environment of the remote node.
  private static Map<String, String> there(Map<String, String> environment) {
    var changed = new LinkedHashMap<>(environment);
    changed.put(Layout.ROOT, Path.of(environment.get(Layout.ROOT), HOST).toString());
    changed.put(Layout.NODE, HOST);
    return changed;
  }

  @Override
  public ProcessBuilder links(Map<String, String> environment) {
    return Training.program(environment, "train-links");
  }

  @Override
  public ProcessBuilder daemons(Map<String, String> environment) {
    var builder = Training.program(environment, "train-remote-daemons");
    var line = builder.command();
    line.add(1, "-XX:ArchiveClassesAtExit=" + archive);
    line.add(1, "-XX:SharedArchiveFile=" + below);
    return builder;
  }

  /// Runs the daemons until the standard input ends, and the process with them.
  ///
  /// @param environment the node's
  static int runDaemons(Map<String, String> environment) {
    DaemonTraining.begin();
    Thread.ofPlatform().daemon().start(() -> RemotedMain.run(new String[0], there(environment)));
    Training.awaitEnd();
    return 0;
  }
}
