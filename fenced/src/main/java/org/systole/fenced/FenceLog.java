package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceMessage.FenceRecord;

/// Tells the log how a fencing operation goes, in the words administrators know from Pacemaker's
/// fencer and search logs for. Each line has the operation it belongs to.
final class FenceLog {
  private final World world;
  private final FenceRecord record;
  private boolean remapped;

  FenceLog(World world, FenceRecord record) {
    this.world = world;
    this.record = record;
  }

  private Log log() {
    return world.log().about(Affair.ofFencing(record.id()));
  }

  private NodeName target() {
    return record.target();
  }

  void noAnswer(Collection<NodeName> fencers) {
    log().warning("No answer from the fencers on " + fencers + " about devices for " + target());
  }

  void total(Duration total) {
    log()
        .info(
            "Total timeout set to %ds for peer's fencing targeting %s for %s"
                .formatted(total.toSeconds(), target(), record.client()));
  }

  /// A node is asked to act.
  ///
  /// @param time how long its answer is waited for
  void requesting(String delegate, String action, String device, Duration time) {
    log()
        .notice(
            "Requesting that %s perform '%s' action targeting %s using %s for client %s (%ds)"
                .formatted(delegate, action, target(), device, record.client(), time.toSeconds()));
  }

  void answered(String action, String delegate, String device, Outcome outcome) {
    var end =
        outcome.status() == ExecStatus.DONE
            ? "returned " + outcome.rc()
            : "could not be executed: " + outcome.status().text();
    log().info("Operation '%s' targeting %s using %s %s".formatted(action, target(), device, end));
    log()
        .notice(
            "Fencing (%s) of %s by %s with %s %s"
                .formatted(action, target(), delegate, device, outcome.words()));
  }

  /// All of it is over.
  ///
  /// @param clients those that wait for it here, also those whose own requests it stands for
  void over(Outcome outcome, List<String> clients) {
    var by = record.delegate().isEmpty() ? "nobody" : record.delegate();
    log()
        .notice(
            "Fencing (%s) of %s by %s for %s@%s %s"
                .formatted(record.action(), target(), by, record.client(), record.origin(), outcome.words()));
    over(record.client(), "", outcome);
    var merged = new ArrayList<>(clients);
    merged.remove(record.client());
    merged.forEach(client -> over(client, " (merged)", outcome));
  }

  private void over(String client, String merged, Outcome outcome) {
    log()
        .info(
            "Operation '%s' targeting %s by %s for %s@%s%s: %s (%s%s)"
                .formatted(
                    record.action(),
                    target(),
                    record.delegate().isEmpty() ? "unknown node" : record.delegate(),
                    client,
                    record.origin(),
                    merged,
                    ExitStatus.text(outcome.rc()),
                    outcome.status().text(),
                    record.exitReason().isEmpty() ? "" : ": " + record.exitReason()));
  }

  // --- a reboot in two parts, for a target with several power supplies

  /// What was begun in two parts has ended, or another level of devices begins.
  ///
  /// @param inTwoParts whether what comes now is in two parts
  void phase(boolean inTwoParts) {
    if (remapped) {
      log().info("Undoing remap of reboot targeting %s for %s".formatted(target(), record.client()));
    }
    remapped = inTwoParts;
    if (inTwoParts) {
      log().info("Remapping multiple-device reboot targeting %s to 'off'".formatted(target()));
    }
  }

  void remapped() {
    log()
        .info(
            "Remapped 'off' targeting %s complete, remapping to 'on' for %s"
                .formatted(target(), record.client()));
  }

  /// A device is left off by the second part. One that an unfencing has to use is for that.
  void staysOff(String device, Offers offers) {
    if (offers.staysOff(device)) {
      notOn(device, "the device is configured to stay off (pcmk_reboot_action='off')");
    } else if (!offers.automatic().contains(device)) {
      notOn(device, "the agent doesn't support 'on'");
    }
  }

  private void notOn(String device, String why) {
    log().info("Not turning %s back on using %s because %s".formatted(target(), device, why));
  }

  void ignoring(String device, String why) {
    log()
        .warning(
            "Ignoring %s 'on' failure (%s) targeting %s after successful 'off'"
                .formatted(device, why, target()));
  }

  void givingBack(Collection<String> devices, String why) {
    log().notice("Switching " + devices + " on again: " + why);
  }

  void supplies(String words) {
    log().warning("Look at the power supplies of %s: %s".formatted(target(), words));
  }
}
