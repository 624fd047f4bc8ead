package org.systole.tools.launch;

import java.util.Arrays;
import java.util.Locale;
import org.systole.attrd.AttrDaemon;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.CibDaemon;
import org.systole.cibd.client.CibMessage;
import org.systole.common.options.DaemonMetadata;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.DaemonOption;
import org.systole.common.real.DeepStack;
import org.systole.controld.ControllerMain;
import org.systole.controld.client.CtlMessage;
import org.systole.execd.ExecDaemon;
import org.systole.execd.RemotedMain;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.FenceDaemon;
import org.systole.fenced.client.FenceMessage;
import org.systole.pacemakerd.GuardianMain;
import org.systole.schedulerd.SchedulerDaemon;
import org.systole.schedulerd.client.SchedulerMessage;
import org.systole.tools.attributes.CrmMaster;
import org.systole.tools.cli.Terminal;

/// The entry of every program of the distribution: the launcher gives the name it was called by.
public final class Main {
  private static final int USAGE = 64;

  private static final DaemonMain.Single ATTRIBUTES =
      new DaemonMain.Single(
          AttrMessage.SOCKET, "an attribute manager instance", DaemonOption.STANDING_ALONE);
  private static final DaemonMain.Single CIB =
      new DaemonMain.Single(
          CibMessage.SOCKET, "another CIB manager instance", DaemonOption.CIB_MANAGER);
  private static final DaemonMain.Single CONTROLLER =
      new DaemonMain.Single(CtlMessage.SOCKET, "another controller instance", DaemonOption.ALL);
  private static final DaemonMain.Single EXECUTOR =
      new DaemonMain.Single(ExecMessage.SOCKET, "another executor instance", DaemonOption.EXECUTOR);
  private static final DaemonMain.Single FENCER =
      new DaemonMain.Single(FenceMessage.SOCKET, "a fencer instance", DaemonOption.STANDING_ALONE);
  private static final DaemonMain.Single SCHEDULER =
      new DaemonMain.Single(SchedulerMessage.SOCKET, "another scheduler instance", DaemonOption.ALL);

  private Main() {}

  /// @param args the program's name, then its own arguments
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // what programs print is read by programs
    var status = run(args[0], Arrays.copyOfRange(args, 1, args.length));
    System.out.flush();
    System.err.flush();
    if (isCommand(args[0])) {
      // It has done all it had to; the way out in good order takes some milliseconds.
      Runtime.getRuntime().halt(status);
    } else if (status != 0) {
      System.exit(status);
    }
  }

  private static boolean isCommand(String name) {
    return switch (name) {
      case "attrd", "cibd", "controld", "execd", "fenced", "remoted", "schedulerd" -> false;
      case "train", "train-command", "train-node", "train-daemons", "train-links" -> false;
      case "train-remote", "train-remote-daemons" -> false;
      case "guardian", "pacemakerd", "schemas" -> false;
      default -> true;
    };
  }

  /// Runs one program; a daemon's name returns when the daemon has ended.
  static int run(String name, String[] args) {
    return switch (name) {
      case "attrd" -> daemon(name, "attrd", ATTRIBUTES, args, AttrDaemon::start);
      case "cibd" -> daemon(name, "cib", CIB, args, CibDaemon::start);
      case "controld" -> daemon(name, "ctl", CONTROLLER, args, ControllerMain::start);
      case "execd" -> executor(args);
      case "remoted" -> RemotedMain.run(args, System.getenv());
      case "guardian" -> GuardianMain.run(System.getenv());
      case "fenced" -> daemon(name, "fence", FENCER, args, FenceDaemon::start);
      case "schedulerd" ->
          DeepStack.call(() -> daemon(name, "pengine", SCHEDULER, args, SchedulerDaemon::start));
      case "schemas" -> SchemaFiles.write(args[0]);
      case "train" -> Training.run();
      case "train-command" -> Training.runListed(args[0]);
      case "train-links" -> LinkTraining.run(System.getenv());
      case "train-node" -> DaemonTraining.run(System.getenv(), Training::onNode);
      case "train-daemons" -> DaemonTraining.runDaemons();
      case "train-remote" -> DaemonTraining.runWithRemote(System.getenv(), args[0], args[1]);
      case "train-remote-daemons" -> RemoteTraining.runDaemons(System.getenv());
      case "package-files" -> PackageFiles.run(System.getenv(), args);
      default -> command(name, Terminal.ofProcess(), args);
    };
  }

  /// Runs one of the administrator's commands on a terminal of the caller's.
  static int command(String name, Terminal terminal, String... args) {
    if (name.equals("crm_master")) {
      return new CrmMaster().run(terminal, args); // another command with other options
    }
    var command = Commands.named(name);
    if (command == null) {
      terminal.err().println("systole: there is no program named " + name);
      return USAGE;
    }
    return plans(name)
        ? DeepStack.call(() -> command.run(terminal, args))
        : command.run(terminal, args);
  }

  /// Planning follows chains of constraints by recursion, however long they are.
  private static boolean plans(String name) {
    return switch (name) {
      case "crm_resource", "crm_simulate", "crm_verify" -> true;
      default -> false;
    };
  }

  /// A member's executor, or with `--remote` that of a remote node.
  private static int executor(String[] args) {
    return args.length > 0 && args[0].equals("--remote")
        ? RemotedMain.run(Arrays.copyOfRange(args, 1, args.length), System.getenv())
        : daemon("execd", "exec", EXECUTOR, args, ExecDaemon::start);
  }

  private static int daemon(
      String name,
      String stateName,
      DaemonMain.Single single,
      String[] args,
      DaemonMain.Starter starter) {
    return DaemonMain.run(name, stateName, single, args, () -> metadata(name), starter);
  }

  /// The options a daemon reads; empty if it reads none.
  private static String metadata(String name) {
    return switch (name) {
      case "cibd" -> DaemonMetadata.cibManager();
      case "controld" -> DaemonMetadata.controller();
      case "schedulerd" -> DaemonMetadata.scheduler();
      case "fenced" -> DaemonMetadata.fencer();
      default -> "";
    };
  }
}
