package org.systole.cts.sim;

import org.systole.attrd.AttrDaemon;
import org.systole.cibd.CibDaemon;
import org.systole.common.cib.AppliedPatches;
import org.systole.common.wire.DecodedFrames;
import org.systole.common.xml.ParsedTexts;
import org.systole.controld.ControllerDaemon;
import org.systole.execd.ExecDaemon;
import org.systole.execd.RemotedDaemon;
import org.systole.fenced.FenceDaemon;
import org.systole.pacemakerd.GuardianDaemon;
import org.systole.pacemakerd.PacemakerdDaemon;
import org.systole.schedulerd.SchedulerDaemon;

/// The daemons that ship, put into a simulated cluster.
public final class RealDaemons {
  private static final int DECODED_BY_EACH = 10;

  private RealDaemons() {}

  /// A cluster whose nodes run the real daemons.
  public static SimCluster cluster(long seed, int nodes) {
    // What one daemon of a simulated cluster decodes, most others decode too, and nobody looks at the
    // bytes; in a share of the seeds, and in the tests of each daemon, everything is still encoded, and
    // each decodes it by itself. Daemons of another build understand bytes only.
    var shared = seed % DECODED_BY_EACH != 0;
    if (shared && !SimBuild.isAny()) {
      DecodedFrames.standIn();
    } else {
      DecodedFrames.remember(shared);
    }
    ParsedTexts.remember(shared);
    AppliedPatches.remember(shared);
    var cluster = new SimCluster(seed, nodes);
    cluster.daemon(
        "pacemakerd",
        (node, world, layout, env) ->
            PacemakerdDaemon.start(
                world,
                layout,
                env,
                cluster.config(node),
                cluster.network().channels(world),
                cluster.streams(world)));
    cluster.daemon(
        "guardian",
        (node, world, layout, env) ->
            GuardianDaemon.start(
                world, layout, env, node.watchdog(), cluster.messageDisks().of(node, world)));
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.daemon(
        "controld",
        (_, world, layout, env) ->
            ControllerDaemon.start(
                world,
                layout,
                env,
                () -> cluster.streams().of(world),
                () -> cluster.streams().of(world)));
    cluster.daemon("fenced", (_, world, layout, env) -> FenceDaemon.start(world, layout, env));
    cluster.daemon("execd", (_, world, layout, env) -> ExecDaemon.start(world, layout, env));
    cluster.daemon("attrd", (_, world, layout, env) -> AttrDaemon.start(world, layout, env));
    cluster.daemon(
        "schedulerd", (_, world, layout, env) -> SchedulerDaemon.start(world, layout, env));
    cluster.daemon(
        "remoted",
        (_, world, layout, env) ->
            RemotedDaemon.start(world, layout, env, cluster.streams().of(world)));
    return cluster;
  }
}
