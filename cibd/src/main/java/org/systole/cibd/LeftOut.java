package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibVersion;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Keeps what a start leaves out of the configuration it goes on with, and says so.
final class LeftOut {
  private static final String LOG_END = ".log";

  private final World world;
  private final KeptFiles lost;

  LeftOut(World world, KeptFiles lost) {
    this.world = world;
    this.lost = lost;
  }

  /// A log whose changes are not in `cib.xml`, which goes on.
  ///
  /// @param confirmed what the log leads to; null if that is not known
  /// @param cib the content of `cib.xml`
  void log(String file, byte[] log, CibLog.@Nullable State confirmed, Element cib) {
    var changes = new ArrayList<Store.Change>();
    var name = lost.next();
    var kept = name + LOG_END;
    changes.add(new Store.Change.Rename(file, kept));
    var how = "The patchsets in that file show them";
    if (confirmed != null) {
      var content = XmlWriter.pretty(confirmed.cib()).getBytes(StandardCharsets.UTF_8);
      changes.add(new Store.Change.Write(name, content));
      how =
          "The configuration with them, version %s, is %s: compare the two (crm_diff)"
              .formatted(CibVersion.of(confirmed.cib()), name);
    }
    world
        .log()
        .critical(
            "%d changes in %s are left out: they do not go on from %s, version %s, which was changed while this node was down, or is another file. Keeping them as %s. %s, and make what is missing again"
                .formatted(
                    CibLog.records(log, 0), file, CibDisk.CIB, CibVersion.of(cib), kept, how));
    lost.keep(name, changes);
  }

  /// The file `cib.xml`, which has less than was confirmed.
  void file(String file, Element cib, CibLog.State confirmed) {
    var changes = new ArrayList<Store.Change>();
    var name = lost.next();
    changes.add(new Store.Change.Rename(file, name));
    changes.add(new Store.Change.Delete(file + CibDisk.SIGNATURE));
    world
        .log()
        .critical(
            "%s, version %s, was changed by hand or is another file, and lacks %d changes that were made and confirmed, up to version %s. Continuing with these; keeping the file as %s. Compare the two (crm_diff), and make what is missing again with cibadmin"
                .formatted(
                    file,
                    CibVersion.of(cib),
                    confirmed.records(),
                    CibVersion.of(confirmed.cib()),
                    name));
    lost.keep(name, changes);
  }

  /// A log with a damaged place, and whole records after it.
  ///
  /// @param used how much of it was replayed
  /// @param cib what that has led to
  void damaged(String file, byte[] log, int used, Element cib) {
    var after = CibLog.records(log, used);
    if (after == 0) {
      return; // a record that was being written when the node failed was confirmed to nobody
    }
    var there = lost.holding(log, LOG_END); // of a start before, which ended before the log was replaced
    var name = there == null ? lost.next() + LOG_END : there;
    var changes = new ArrayList<Store.Change>(List.of(new Store.Change.Write(name, log)));
    world
        .log()
        .critical(
            "%s is damaged: the %d changes after the damage are left out, this node goes on from version %s. Keeping the file as %s. The patchsets in it show what is missing: make it again"
                .formatted(file, after, CibVersion.of(cib), name));
    if (there == null) {
      lost.keep(name, changes);
    }
  }
}
