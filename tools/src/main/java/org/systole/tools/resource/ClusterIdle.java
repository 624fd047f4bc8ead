package org.systole.tools.resource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Product;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.ProgressLine;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.WorkUnderWay;

/// Waits until the cluster has nothing left to do: the DC is idle, and a new plan has nothing that could
/// be run. A DC is idle also while what is left waits for something that has failed.
final class ClusterIdle {
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int LOOK_MILLIS = 200;
  private static final Duration SILENT = Duration.ofSeconds(10);
  private static final int PLAN_MILLIS = 2000; // planning takes this machine more than asking

  private final Terminal terminal;
  private final Output out;
  private final CibTarget cib;
  private boolean warned; // of a mixed cluster
  private @Nullable Instant idleSince; // with something left to do
  private boolean told; // of that

  ClusterIdle(Terminal terminal, Output out, CibTarget cib) {
    this.terminal = terminal;
    this.out = out;
    this.cib = cib;
  }

  /// @param timeout how long at most; null for an hour
  void await(@Nullable String timeout) throws CommandException {
    var millis = timeout == null ? 0 : Interval.parse(timeout, 0);
    var limit = millis == 0 ? LONGEST : Duration.ofMillis(millis);
    try (var controller = CtlConnection.open(terminal.environment(), limit);
        var progress = ProgressLine.of(terminal, out)) {
      var until = terminal.clock().get().plus(limit);
      var next = LOOK_MILLIS;
      while (true) {
        var work = controller.ask(new CtlMessage.WorkQuery()) instanceof CtlMessage.Work it ? it : null;
        var left = work != null && work.idle() ? left() : null;
        if (left != null && left.isNone()) {
          return;
        }
        if (terminal.clock().get().isAfter(until)) {
          progress.show(null);
          throw tooLong(work, left == null ? left() : left);
        }
        tellOfIdle(work, left);
        progress.show(
            work == null ? "no DC yet" : left == null ? WorkUnderWay.text(work) : WorkUnderWay.left(left.names()));
        next = left == null ? LOOK_MILLIS : Math.min(2 * next, PLAN_MILLIS); // it may be about to begin
        pause(next);
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Error connecting to the controller: Not connected (is the cluster running on this"
              + " node?)");
    }
  }

  /// On a terminal one sees it all the while. A script that waits for what comes with the next plan only, a quarter of an hour later maybe,
  /// is to have in its log what that is.
  private void tellOfIdle(CtlMessage.@Nullable Work work, @Nullable PendingActions left) {
    var now = terminal.clock().get();
    if (left == null) {
      idleSince = null;
    } else if (idleSince == null) {
      idleSince = now;
    } else if (!told && !terminal.isInteractive() && !out.isQuiet() && now.isAfter(idleSince.plus(SILENT))) {
      told = true;
      terminal.err().println(
          "crm_resource: waiting for %s, which the cluster does not begin now: it may come with the next plan (see cluster-recheck-interval), or once what it depends on is there (see crm_mon)"
              .formatted(String.join(", ", left.names())));
    }
  }

  private PendingActions left() throws CommandException {
    try {
      var read = ResourceContext.read(cib, terminal);
      warnOfMixed(read.original());
      return PendingActions.of(read.status());
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  /// A DC of another version may come to another plan than is made here.
  private void warnOfMixed(Element original) {
    var dc = original.find(it -> it.is("nvpair") && "dc-version".equals(it.get("name")));
    if (warned || dc == null) {
      return;
    }
    var same =
        Product.DC_VERSION.equalsIgnoreCase(dc.get("value", ""))
            && Product.FEATURE_SET.equals(original.get("crm_feature_set", Product.FEATURE_SET));
    if (!same) {
      warned = true;
      out.info("warning: wait option may not work properly in mixed-version cluster");
    }
  }

  private CommandException tooLong(CtlMessage.@Nullable Work work, PendingActions left) {
    out.info("Pending actions:");
    var lines = left.actions().isEmpty() && work != null ? work.pending() : left.lines();
    lines.forEach(it -> out.info("\t" + it));
    return new CommandException(ExitStatus.TIMEOUT, "");
  }

  /// The controller is asked anew this often: it has no event for being idle yet.
  static void pause() throws CommandException {
    pause(LOOK_MILLIS);
  }

  private static void pause(int millis) throws CommandException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitStatus.ERROR, "interrupted");
    }
  }
}
