package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibSections;
import org.systole.common.cib.CibSize;
import org.systole.common.cib.CibVersion;
import org.systole.common.values.Numbers;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What a start finds on disk: the newest configuration that is intact, and where in the cluster's history it is. What cannot
/// be used, or is older than what was confirmed, is kept under other names.
final class CibFound {
  private final World world;
  private final KeptFiles unusable;
  private String keptAs = ""; // what is unusable now
  private final LeftOut leftOut;
  private final CibMeta meta;
  private final int counter;
  private String digestOnDisk = "";
  private byte @Nullable [] onDisk;
  private boolean logInFile;

  /// @param logInFile whether the log that is there leads to `cib.xml`, and not on from it
  /// @param digestOnDisk of `cib.xml`, and its content; empty and null if what is found is not from there
  /// @param backedUp whether the newest backup is the same as `cib.xml`
  /// @param reached whether the newest backup and the logs lead to `cib.xml`
  /// @param base the digest of the file that was read, before the logs
  record Found(
      Element cib,
      CibMeta.Entry entry,
      long promised,
      CibMeta meta,
      int counter,
      boolean logInFile,
      String digestOnDisk,
      byte @Nullable [] onDisk,
      boolean backedUp,
      boolean reached,
      String base) {}

  private CibFound(World world, KeptFiles lost) {
    this.world = world;
    this.unusable = new KeptFiles(world, "cib-unusable-");
    this.leftOut = new LeftOut(world, lost);
    this.meta = meta();
    this.counter = Numbers.parseInt(text(CibDisk.COUNTER), 0) % CibDisk.BACKUPS_MAX;
  }

  private CibMeta meta() {
    var first = meta(CibDisk.META);
    var copy = meta(CibDisk.META_COPY);
    if (first == null && copy == null) {
      if (exists(CibDisk.META) || exists(CibDisk.META_COPY)) {
        world
            .log()
            .error(
                CibDisk.META
                    + " cannot be used, nor can its copy: the configuration here counts as older than any other"
                    + " member's, and what this node has promised is not known");
      }
      return CibMeta.EMPTY;
    }
    if (copy != null && (first == null || first.isBeginningOf(copy))) {
      var problem = first != null ? "was cut short" : exists(CibDisk.META) ? "is damaged" : "is gone";
      world.log().warning("%s %s; what %s says holds".formatted(CibDisk.META, problem, CibDisk.META_COPY));
      return first == null ? copy : copy.promising(first.promised());
    }
    return copy == null ? first : first.promising(copy.promised());
  }

  private @Nullable CibMeta meta(String name) {
    var text = text(name);
    return text == null ? null : CibMeta.parse(text);
  }

  /// `cib.xml` with what `cib.log` adds, else a backup, else an empty one.
  ///
  /// @param lost where configurations go that lost
  static Found read(World world, KeptFiles lost) {
    return new CibFound(world, lost).load();
  }

  private Found load() {
    var cib = read(CibDisk.CIB);
    var unusable = cib == null && (exists(CibDisk.CIB) || hasBackup());
    if (unusable) {
      keptAs = this.unusable.next();
      cib = fromBackups();
    } else if (cib != null) {
      onDisk = bytes(CibDisk.CIB);
      digestOnDisk = CibDigest.onDisk(cib);
    }
    if (cib == null) {
      world.log().warning("There is no configuration on disk; starting with an empty one");
      cib = CibSections.emptyCib(0, CibSections.SCHEMA);
    }
    var digest = CibDigest.onDisk(cib);
    var entry = meta.entry(digest);
    var promised = meta.promised();
    var before = unusable ? replay(CibDisk.LOG_BEFORE, cib) : null;
    var state = replay(CibDisk.LOG, before == null ? cib : before.cib());
    if (unusable) {
      setAside(state == null && !meta.isLast(digest)); // the log of that is in the backup
    } else if (state == null) {
      state = fromLogOfAnother(cib, digest);
    }
    state = state == null ? before : state;
    if (state != null) {
      cib = state.cib();
      entry = latest(state.entry(), meta.entry(CibDigest.onDisk(cib)));
      promised = Math.max(promised, state.promised());
    }
    if (cib.first("status") == null) {
      cib = cib.plus(Element.of("status"));
    }
    cib = cib.with("have-quorum", "0").without("dc-uuid").with("num_updates", "0");
    return new Found(cib, entry, promised, meta, counter, logInFile, digestOnDisk, onDisk, backedUp(), isReached(), digest);
  }

  /// The place of a configuration in the history goes on when the roles or the status change, which a log that leads to `cib.xml`
  /// knows nothing of.
  private static CibMeta.Entry latest(CibMeta.Entry logged, CibMeta.Entry filed) {
    return filed.line().compareTo(logged.line()) > 0 ? filed : logged;
  }

  /// Replays a log on top of a configuration; null if the log has no records for it.
  private CibLog.@Nullable State replay(String name, Element cib) {
    var log = bytes(name);
    var state = log == null ? null : CibLog.replay(log, CibDigest.onDisk(cib), cib);
    if (log != null && state != null) {
      world
          .log()
          .info(
              "%s adds %d changes, up to version %s"
                  .formatted(name, state.records(), CibVersion.of(state.cib())));
      leftOut.damaged(name, log, state.length(), state.cib());
    }
    return state;
  }

  /// The log that is there cannot be replayed on top of `cib.xml`. Either it is in that file already, as it is removed
  /// last; or somebody has changed the file or put another one there, and what the log has was confirmed. Then the newer
  /// of the two goes on, the other one is kept.
  ///
  /// @param cib the file's content, or what takes its place
  /// @return what the log leads to, if that goes on
  private CibLog.@Nullable State fromLogOfAnother(Element cib, String digest) {
    var log = bytes(CibDisk.LOG);
    var base = log == null ? null : CibLog.base(log);
    if (log == null || base == null) {
      return null;
    }
    if (base.equals(digest)) {
      leftOut.damaged(CibDisk.LOG, log, 0, cib);
      return null;
    }
    if (meta.isLast(digest)) {
      logInFile = true;
      return null;
    }
    var confirmed = fromBackup(log, base);
    if (confirmed == null || configured(confirmed.cib()).compareTo(configured(cib)) < 0) {
      leftOut.log(CibDisk.LOG, log, confirmed, cib);
      return null;
    }
    leftOut.file(CibDisk.CIB, cib, confirmed);
    onDisk = null;
    digestOnDisk = "";
    return confirmed;
  }

  private static CibVersion configured(Element cib) {
    return CibVersion.of(cib.with("num_updates", "0"));
  }

  /// Replays a log on top of the backup it goes on from, or of that with the log before it.
  private CibLog.@Nullable State fromBackup(byte[] log, String base) {
    var logBefore = bytes(CibDisk.LOG_BEFORE);
    var baseBefore = logBefore == null ? null : CibLog.base(logBefore);
    for (var back = 1; back <= CibDisk.BACKUPS_MAX; back++) {
      var name = backup((counter - back + CibDisk.BACKUPS_MAX) % CibDisk.BACKUPS_MAX);
      var signature = text(name + CibDisk.SIGNATURE);
      var cib = base.equals(signature) || signature != null && signature.equals(baseBefore) ? read(name) : null;
      var before =
          cib == null || logBefore == null || base.equals(signature)
              ? null
              : CibLog.replay(logBefore, CibDigest.onDisk(cib), cib);
      var from = before == null ? cib : before.cib();
      var state = from == null ? null : CibLog.replay(log, CibDigest.onDisk(from), from);
      if (state != null) {
        return state;
      }
    }
    return null;
  }

  /// Keeps unusable files under other names: the next write would replace them.
  ///
  /// @param withLog its log cannot be used either
  private void setAside(boolean withLog) {
    var taken = world.store().list();
    var log = withLog ? bytes(CibDisk.LOG) : null;
    var lostLog = log != null && CibLog.base(log) != null;
    if (!taken.contains(CibDisk.CIB) && !lostLog) {
      return;
    }
    var changes = new ArrayList<Store.Change>();
    var name = keptAs;
    if (taken.contains(CibDisk.CIB)) {
      changes.add(new Store.Change.Rename(CibDisk.CIB, name));
      changes.add(new Store.Change.Rename(CibDisk.CIB + CibDisk.SIGNATURE, name + CibDisk.SIGNATURE));
    }
    if (lostLog) {
      world
          .log()
          .critical(
              "The changes in %s go on from the unusable %s and are lost here; keeping them as %s"
                  .formatted(CibDisk.LOG, CibDisk.CIB, name + ".log"));
      changes.add(new Store.Change.Rename(CibDisk.LOG, name + ".log"));
    }
    unusable.keep(name, changes);
  }

  private boolean backedUp() {
    var newest = backup((counter - 1 + CibDisk.BACKUPS_MAX) % CibDisk.BACKUPS_MAX);
    return onDisk != null
        && digestOnDisk.equals(text(newest + CibDisk.SIGNATURE))
        && Arrays.equals(onDisk, bytes(newest));
  }

  /// A node may have ended between `cib.xml` and its backup.
  private boolean isReached() {
    var name = backup((counter - 1 + CibDisk.BACKUPS_MAX) % CibDisk.BACKUPS_MAX);
    var cib = onDisk != null && exists(name) ? read(name) : null;
    for (var log : List.of(CibDisk.LOG_BEFORE, CibDisk.LOG)) {
      var isThat = cib != null && CibDigest.onDisk(cib).equals(digestOnDisk);
      var records = cib == null || isThat ? null : bytes(log);
      var state = cib == null || records == null ? null : CibLog.replay(records, CibDigest.onDisk(cib), cib);
      cib = state == null ? cib : state.cib();
    }
    return cib != null && CibDigest.onDisk(cib).equals(digestOnDisk);
  }

  private boolean hasBackup() {
    return world.store().list().stream().anyMatch(it -> it.matches("cib-[0-9]+\\.raw"));
  }

  private @Nullable Element fromBackups() {
    for (var back = 1; back <= CibDisk.BACKUPS_MAX; back++) {
      var name = backup((counter - back + CibDisk.BACKUPS_MAX) % CibDisk.BACKUPS_MAX);
      var cib = exists(name) ? read(name) : null;
      if (cib != null) {
        world
            .log()
            .critical(
                CibDisk.CIB
                    + whatHappened()
                    + "; continuing with the backup "
                    + name
                    + ", version "
                    + CibVersion.of(cib)
                    + ". Compare the two before trusting the configuration");
        return cib;
      }
    }
    world.log().critical(CibDisk.CIB + whatHappened() + ", and no backup can be used; starting empty");
    return null;
  }

  private String whatHappened() {
    return exists(CibDisk.CIB) ? " cannot be used, and is kept as " + keptAs : " is gone";
  }

  private @Nullable Element read(String name) {
    var content = bytes(name);
    if (content == null) {
      return null;
    }
    try {
      var cib = XmlReader.parse(content);
      var signature = text(name + CibDisk.SIGNATURE);
      if (signature == null) {
        world.log().warning(name + " has no digest beside it; taking it as it is");
      } else if (!CibDigest.matches(cib, signature)
          && !(name.equals(CibDisk.CIB) && meta.isKnown(CibDigest.onDisk(cib)))) {
        world
            .log()
            .error(
                name
                    + " was changed by hand: it does not match its digest. Change the"
                    + " configuration with cibadmin instead");
        return null;
      }
      if (!CibSize.fits(cib)) {
        world
            .log()
            .error(
                "%s cannot be used: it has more than %d bytes of XML"
                    .formatted(name, CibSize.CONFIGURATION_MAX));
        return null;
      }
      return cib;
    } catch (XmlException e) {
      world.log().error(name + " is not XML: " + e.getMessage());
      return null;
    }
  }

  private boolean exists(String name) {
    return world.store().list().contains(name);
  }

  private byte @Nullable [] bytes(String name) {
    try {
      return world.store().read(name);
    } catch (Store.StoreException e) {
      world.log().error("Cannot read " + name + ": " + e.getMessage());
      return null;
    }
  }

  private @Nullable String text(String name) {
    var content = bytes(name);
    return content == null ? null : new String(content, StandardCharsets.UTF_8);
  }

  static String backup(int number) {
    return "cib-" + number + ".raw";
  }
}
