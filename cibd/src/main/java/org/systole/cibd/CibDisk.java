package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibSections;
import org.systole.common.cib.CibSize;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibVersion;
import org.systole.common.values.Numbers;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The configuration on disk: `cib.xml` with its digest, the versions before it, and `cib.meta`,
/// which says where in the cluster's history each is. The status section is never written.
///
/// One write is under way at a time; what is requested meanwhile is written together after it. Most
/// writes append a record to `cib.log`; a moment after the first one the files are rewritten and
/// the log is removed.
final class CibDisk {
  static final String CIB = "cib.xml";
  static final String META = "cib.meta";
  static final int BACKUPS_MAX = 100;
  private static final String SIGNATURE = ".sig";
  private static final String COUNTER = "cib.last";
  private static final String LOG = "cib.log";
  private static final String LOG_BEFORE = "cib.log.before"; // from the last backup to cib.xml
  private static final long LOG_MAX = 4 << 20;
  private static final Duration RENEWAL = Duration.ofSeconds(2);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /// What is on disk, or is to be written.
  ///
  /// @param roles the cluster's roles; null if it uses none
  /// @param rolesLost whether they are null because they are lost
  /// @param number given back when it is written
  record Image(
      Element cib,
      @Nullable Element roles,
      boolean rolesLost,
      Line line,
      List<Line.Span> history,
      long promised,
      long number) {
    Image(
        Element cib,
        @Nullable Element roles,
        Line line,
        List<Line.Span> history,
        long promised,
        long number) {
      this(cib, roles, false, line, history, promised, number);
    }

    Image(Element cib, Line line, List<Line.Span> history, long promised, long number) {
      this(cib, null, line, history, promised, number);
    }
  }

  private final World world;
  private final LongConsumer written;
  private final Runnable refused;
  private CibMeta meta = CibMeta.EMPTY;
  private String digestOnDisk = "";
  private byte @Nullable [] onDisk;
  private @Nullable Element logged; // content of files and log; null: append nothing
  private long logLength;
  private boolean renewalComing;
  private int counter;
  private boolean writing;
  private @Nullable Image next;
  private @Nullable Image latest;
  private final List<Runnable> whenWritten = new ArrayList<>();
  private boolean failing;
  private final KeptFiles lost;
  private final RolesFile roles;
  private final KeptFiles unusable;

  /// @param written given the number of each image once it is on disk
  /// @param refused called when a write has failed; it is tried again
  CibDisk(World world, LongConsumer written, Runnable refused) {
    this.world = world;
    this.written = written;
    this.refused = refused;
    this.lost = new KeptFiles(world, "cib-lost-");
    this.roles = new RolesFile(world);
    this.unusable = new KeptFiles(world, "cib-unusable-");
  }

  /// Reads the newest configuration that is intact: `cib.xml`, else a backup, else an empty one.
  Image load() {
    meta = CibMeta.parse(text(META));
    counter = Numbers.parseInt(text(COUNTER), 0) % BACKUPS_MAX;
    var cib = read(CIB);
    var unusable = cib == null && (exists(CIB) || hasBackup());
    if (unusable) {
      cib = fromBackups();
    } else if (cib != null) {
      onDisk = bytes(CIB);
      digestOnDisk = CibDigest.onDisk(cib);
    }
    if (cib == null) {
      world.log().warning("There is no configuration on disk; starting with an empty one");
      cib = CibSections.emptyCib(0, CibSections.SCHEMA);
    }
    var digest = CibDigest.onDisk(cib);
    var entry = meta.entry(digest);
    var promised = meta.promised();
    var before = unusable ? replay(LOG_BEFORE, cib) : null;
    var state = replay(LOG, before == null ? cib : before.cib());
    if (unusable) {
      setAside(state == null);
    }
    state = state == null ? before : state;
    if (state != null) {
      cib = state.cib();
      entry = state.entry();
      promised = Math.max(promised, state.promised());
    }
    if (cib.first("status") == null) {
      cib = cib.plus(Element.of("status"));
    }
    cib = cib.with("have-quorum", "0").without("dc-uuid").with("num_updates", "0");
    var found = roles.load();
    // the roles alone are lost where their file cannot be used: what the CIB has may have been confirmed
    return new Image(cib, found.roles(), found.lost(), entry.line(), entry.history(), promised, 0);
  }

  /// Replays a log on top of a configuration; null if the log has no records for it.
  private CibLog.@Nullable State replay(String name, Element cib) {
    var log = bytes(name);
    var state = log == null ? null : CibLog.replay(log, CibDigest.onDisk(cib), cib);
    if (state != null) {
      world
          .log()
          .info(
              "%s adds %d changes, up to version %s"
                  .formatted(name, state.records(), CibVersion.of(state.cib())));
    }
    return state;
  }

  /// Keeps unusable files under other names: the next write would replace them.
  ///
  /// @param withLog its log cannot be used either
  private void setAside(boolean withLog) {
    var taken = world.store().list();
    if (!taken.contains(CIB)) {
      return;
    }
    var changes = new ArrayList<Store.Change>();
    var name = unusable.next(changes);
    world.log().notice("Keeping the unusable " + CIB + " as " + name);
    changes.add(new Store.Change.Rename(CIB, name));
    changes.add(new Store.Change.Rename(CIB + SIGNATURE, name + SIGNATURE));
    if (withLog && taken.contains(LOG)) {
      world
          .log()
          .critical(
              "The changes in %s go on from the unusable %s and are lost here; keeping them as %s"
                  .formatted(LOG, CIB, name + ".log"));
      changes.add(new Store.Change.Rename(LOG, name + ".log"));
    }
    world
        .store()
        .change(
            changes,
            error -> {
              if (error != null) {
                world.log().error("Cannot keep " + CIB + " as " + name + ": " + error);
              }
            });
  }

  private boolean hasBackup() {
    return world.store().list().stream().anyMatch(it -> it.matches("cib-[0-9]+\\.raw"));
  }

  private @Nullable Element fromBackups() {
    for (var back = 1; back <= BACKUPS_MAX; back++) {
      var name = backup((counter - back + BACKUPS_MAX) % BACKUPS_MAX);
      var cib = exists(name) ? read(name) : null;
      if (cib != null) {
        world
            .log()
            .critical(
                CIB
                    + (exists(CIB) ? " cannot be used" : " is gone")
                    + "; continuing with the backup "
                    + name
                    + ", version "
                    + CibVersion.of(cib)
                    + ". Compare the two before trusting the configuration");
        return cib;
      }
    }
    world.log().critical(CIB + " cannot be used and no backup can; starting empty");
    return null;
  }

  private @Nullable Element read(String name) {
    var content = bytes(name);
    if (content == null) {
      return null;
    }
    try {
      var cib = XmlReader.parse(content);
      var signature = text(name + SIGNATURE);
      if (signature == null) {
        world.log().warning(name + " has no digest beside it; taking it as it is");
      } else if (!CibDigest.matches(cib, signature)
          && !(name.equals(CIB) && meta.isKnown(CibDigest.onDisk(cib)))) {
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

  private static String backup(int number) {
    return "cib-" + number + ".raw";
  }

  /// Writes an image, or a later one in its place.
  void save(Image image) {
    next = image;
    write();
  }

  /// Whether the last write failed; writes are retried until one succeeds.
  boolean isFailing() {
    return failing;
  }

  /// Runs `task` once nothing is left to write and the log is empty.
  void whenIdle(Runnable task) {
    if (!writing && next == null && logLength == 0) {
      world.post(task);
    } else {
      whenWritten.add(task);
      renew();
    }
  }

  /// Rewrites the files, so that the log is no longer needed.
  private void renew() {
    logged = null;
    if (next == null) {
      next = latest;
    }
    write();
  }

  private void write() {
    var image = next;
    if (writing || image == null) {
      return;
    }
    latest = image;
    var before = logged;
    if (before == null || logLength > LOG_MAX || !addToLog(image, before)) {
      replaceFiles(image);
    }
  }

  private boolean addToLog(Image image, Element before) {
    var after = forDisk(image.cib());
    var record = CibLog.record(digestOnDisk, before, after, image);
    if (record == null) {
      return false;
    }
    writing = true;
    next = null;
    logLength += record.length;
    var changes = new ArrayList<Store.Change>();
    changes.add(new Store.Change.Append(LOG, record));
    roles.addTo(changes, image.roles(), image.rolesLost());
    world
        .store()
        .change(
            changes,
            error -> {
              if (error == null && logged != null) {
                logged = after;
              } else if (error != null) {
                logged = null; // no record may follow one that may be incomplete
              }
              written(image, error);
            });
    if (!renewalComing) {
      renewalComing = true;
      world.after(
          RENEWAL,
          () -> {
            renewalComing = false;
            if (logLength > 0) {
              renew();
            }
          });
    }
    return true;
  }

  private void replaceFiles(Image image) {
    logged = null; // if this fails halfway, the log must not continue from the old files
    writing = true;
    next = null;
    var file = forDisk(image.cib());
    var digest = CibDigest.onDisk(file);
    var changes = new ArrayList<Store.Change>();
    var newMeta = meta.with(digest, image.line(), image.history(), image.promised());
    byte[] content = null;
    var newCounter = counter;
    if (!digest.equals(digestOnDisk)) {
      content = XmlWriter.pretty(file).getBytes(StandardCharsets.UTF_8);
      newCounter = backUp(changes);
    }
    changes.add(new Store.Change.Write(META, newMeta.toString().getBytes(StandardCharsets.UTF_8)));
    if (content != null) {
      changes.add(new Store.Change.Write(CIB, content));
      changes.add(new Store.Change.Write(CIB + SIGNATURE, digest.getBytes(StandardCharsets.UTF_8)));
    }
    changes.add(new Store.Change.Rename(LOG, LOG_BEFORE));
    roles.addTo(changes, image.roles(), image.rolesLost());
    var newOnDisk = content == null ? onDisk : content;
    var counterAfter = newCounter;
    world
        .store()
        .change(
            changes,
            error -> {
              if (error == null) {
                meta = newMeta;
                digestOnDisk = digest;
                onDisk = newOnDisk;
                counter = counterAfter;
                logged = file;
                logLength = 0;
              }
              written(image, error);
            });
  }

  private void written(Image image, @Nullable String error) {
    writing = false;
    if (error != null) {
      roles.failed();
      failed(image, error);
      return;
    }
    roles.written(image.roles(), image.rolesLost());
    if (failing) {
      failing = false;
      world.log().notice("The configuration is being written to disk again");
    }
    written.accept(image.number());
    write();
    idle();
  }

  private void idle() {
    if (!writing && next == null && logLength == 0) {
      var tasks = List.copyOf(whenWritten);
      whenWritten.clear();
      tasks.forEach(Runnable::run);
    }
  }

  private int backUp(List<Store.Change> changes) {
    var previous = onDisk;
    if (previous == null) {
      return counter;
    }
    var name = backup(counter);
    var after = (counter + 1) % BACKUPS_MAX;
    changes.add(new Store.Change.Write(name, previous));
    changes.add(
        new Store.Change.Write(name + SIGNATURE, digestOnDisk.getBytes(StandardCharsets.UTF_8)));
    changes.add(
        new Store.Change.Write(COUNTER, Integer.toString(after).getBytes(StandardCharsets.UTF_8)));
    return after;
  }

  private void failed(Image image, String error) {
    if (!failing) {
      failing = true;
      world
          .log()
          .critical(
              "Cannot write the configuration to disk: "
                  + error
                  + ". This node goes on with what it has in memory and confirms no changes of the"
                  + " configuration until it can; trying again");
    }
    if (next == null) {
      next = image;
    }
    world.after(RETRY, this::write);
    refused.run();
  }

  private Element forDisk(Element cib) {
    var status = cib.first("status");
    var without = status == null ? cib : cib.remove(cib.indexOf(status));
    var zeroed = without.with("num_updates", "0");
    return zeroed.has("cib-last-written")
        ? zeroed
        : zeroed.with("cib-last-written", CibUpdate.written(world.now()));
  }

  /// Saves roles that lost against others.
  void keepRolesAside(Element lostRoles) {
    roles.keepAside(lostRoles);
  }

  /// Saves a configuration that lost against another under a name of its own.
  ///
  /// @return the file's name
  String keepAside(Element cib) {
    var changes = new ArrayList<Store.Change>();
    var name = lost.next(changes);
    var content = XmlWriter.pretty(forDisk(cib)).getBytes(StandardCharsets.UTF_8);
    changes.add(new Store.Change.Write(name, content));
    world
        .store()
        .change(
            changes,
            error -> {
              if (error != null) {
                world.log().critical("Cannot write " + name + ": " + error);
              }
            });
    return name;
  }
}
