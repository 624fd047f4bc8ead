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
import org.systole.common.world.OnceLater;
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
/// the log is removed. The newest backup leads to what is in `cib.xml`, by the log that was removed last, or because it is
/// the same.
final class CibDisk {
  static final String CIB = "cib.xml";
  static final String META = "cib.meta";
  static final String META_COPY = "cib.meta.copy"; // of the same content, should that be lost
  static final int BACKUPS_MAX = 100;
  static final String SIGNATURE = ".sig";
  static final String COUNTER = "cib.last";
  static final String LOG = "cib.log";
  static final String LOG_BEFORE = "cib.log.before"; // from the last backup to cib.xml
  private static final long LOG_MAX = 4 << 20;
  private static final Duration RENEWAL = Duration.ofSeconds(2);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /// What is on disk, or is to be written.
  ///
  /// @param roles the cluster's roles; null if it uses none
  /// @param rolesLost whether they are null because they are lost
  /// @param parted the term in which two nodes were together last; 0 if they are, or there are not two
  /// @param number given back when it is written
  record Image(
      Element cib,
      @Nullable Element roles,
      boolean rolesLost,
      Line line,
      List<Line.Span> history,
      long promised,
      long parted,
      long number) {
    Image(
        Element cib,
        @Nullable Element roles,
        Line line,
        List<Line.Span> history,
        long promised,
        long number) {
      this(cib, roles, false, line, history, promised, 0, number);
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
  private @Nullable Files halfWritten; // a write of them failed: it is repeated before anything else
  private @Nullable Element logged; // content of files and log; null: append nothing
  private long logLength;
  private boolean logInFile; // it leads to `cib.xml`, as a node failed that was replacing it
  private boolean renewing; // the next write is one of the files
  private final OnceLater renewal;
  private final OnceLater retry;
  private int counter;
  private boolean backedUp; // the newest backup is the same as `cib.xml`
  private boolean reached = true; // the newest backup and the log that was removed last lead to `cib.xml`
  private String base = ""; // the digest of what a start has read, until the files are written
  private boolean writing;
  private @Nullable Image next;
  private @Nullable Image latest;
  private final List<Runnable> whenWritten = new ArrayList<>();
  private boolean failing;
  private final KeptFiles lost;
  private final KeptFiles changed; // of their own: whoever writes again and again costs none of those
  private final RolesFile roles;
  private final PartedFile parted;

  /// @param written given the number of each image once it is on disk
  /// @param refused called when a write has failed; it is tried again
  CibDisk(World world, LongConsumer written, Runnable refused) {
    this.world = world;
    this.written = written;
    this.refused = refused;
    this.lost = new KeptFiles(world, "cib-lost-");
    this.changed = new KeptFiles(world, "cib-changed-");
    this.roles = new RolesFile(world);
    this.parted = new PartedFile(world);
    this.renewal = new OnceLater(world, RENEWAL, this::renewIfLogged);
    this.retry = new OnceLater(world, RETRY, this::write);
  }

  /// Reads the newest configuration that is intact.
  Image load() {
    var found = CibFound.read(world, lost);
    meta = found.meta();
    counter = found.counter();
    onDisk = found.onDisk();
    digestOnDisk = found.digestOnDisk();
    logInFile = found.logInFile();
    backedUp = found.backedUp();
    reached = found.onDisk() == null || found.reached();
    base = found.base();
    // the roles alone are lost where their file cannot be used: what the CIB has may have been confirmed
    var itsRoles = roles.load();
    return new Image(
        found.cib(),
        itsRoles.roles(),
        itsRoles.lost(),
        found.entry().line(),
        found.entry().history(),
        found.promised(),
        parted.load(found.promised()),
        0);
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
    if (isIdle()) {
      world.post(task);
    } else {
      whenWritten.add(task);
      renew();
    }
  }

  /// Rewrites the files, so that the log is no longer needed.
  private void renew() {
    renewing = true;
    if (next == null) {
      next = latest;
    }
    write();
  }

  private void write() {
    var files = halfWritten;
    var image = next;
    if (!writing && files != null) {
      replaceFiles(files, Over.OURS);
    }
    if (writing || image == null) {
      return;
    }
    latest = image;
    var before = renewing ? null : logged;
    renewing = false;
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
    parted.addTo(changes, image.parted(), image.promised());
    world
        .store()
        .change(
            changes,
            error -> {
              logged = error == null ? after : null; // no record may follow one that may be incomplete
              written(image, error);
            });
    renewal.ask();
    return true;
  }

  private void renewIfLogged() {
    if (logLength > 0) {
      renew();
    }
  }

  private void replaceFiles(Image image) {
    var file = forDisk(image.cib());
    var inLog = logLength > 0 && file.equals(logged);
    logged = null; // if this fails halfway, the log must not continue from the old files
    next = null;
    replaceFiles(new Files(image, file, inLog), Over.OURS);
  }

  /// What is to be in the files. Once a write of it has failed nobody knows how far it went, so nothing else is
  /// written to them before it is there: they have this, or what was there before, both of which `cib.meta` knows.
  ///
  /// @param inLog whether the log leads to the image
  private record Files(Image image, Element file, boolean inLog) {}

  /// What a write takes the place of.
  private enum Over {
    OURS,
    FOREIGN, // somebody has put another file there
    NOTHING // somebody has removed it
  }

  /// What is to be done, and what holds once it is.
  ///
  /// @param content of `cib.xml`; null if that stays as it is
  private record Batch(
      List<Store.Change> changes, String digest, byte @Nullable [] content, CibMeta meta, int counter, boolean backedUp) {}

  private void replaceFiles(Files files, Over over) {
    writing = true;
    var batch = batch(files, over);
    roles.addTo(batch.changes(), files.image().roles(), files.image().rolesLost());
    parted.addTo(batch.changes(), files.image().parted(), files.image().promised());
    world
        .store()
        .change(
            batch.changes(),
            error -> {
              if (Store.CHANGED.equals(error)) {
                replaceFiles(files, Over.FOREIGN);
                return;
              }
              if (Store.GONE.equals(error)) {
                world.log().warning(CIB + " was removed, by hand or by a program, while this node runs: writing it again");
                replaceFiles(files, Over.NOTHING);
                return;
              }
              halfWritten = error == null ? null : files;
              if (error == null) {
                replaced(batch);
                logged = files.file();
              }
              written(files.image(), error);
            });
  }

  private void replaced(Batch batch) {
    meta = batch.meta();
    digestOnDisk = batch.digest();
    base = batch.digest();
    onDisk = batch.content() == null ? onDisk : batch.content();
    counter = batch.counter();
    backedUp = batch.backedUp();
    reached = true;
    logLength = 0;
    logInFile = false;
  }

  private Batch batch(Files files, Over over) {
    var image = files.image();
    var digest = CibDigest.onDisk(files.file());
    var changes = new ArrayList<Store.Change>();
    var newMeta =
        meta.with(List.of(digestOnDisk, base), digest, image.line(), image.history(), image.promised());
    byte[] content = null;
    var newCounter = counter;
    var newBackedUp = backedUp;
    if (halfWritten != null || over != Over.OURS || !digest.equals(digestOnDisk)) {
      content = XmlWriter.pretty(files.file()).getBytes(StandardCharsets.UTF_8);
      newBackedUp = !files.inLog();
    }
    if (!backedUp && (content != null || !reached)) {
      newCounter = backUp(changes, onDisk, digestOnDisk, counter);
      newBackedUp |= content == null;
    }
    var metaBytes = newMeta.toString().getBytes(StandardCharsets.UTF_8);
    changes.add(new Store.Change.Write(META, metaBytes));
    changes.add(new Store.Change.Write(META_COPY, metaBytes));
    switch (over) {
      case OURS -> changes.add(new Store.Change.Expect(CIB, onDisk));
      case FOREIGN -> keepForeign(changes);
      case NOTHING -> changes.add(new Store.Change.Expect(CIB, null));
    }
    if (content != null) {
      changes.add(new Store.Change.Write(CIB, content));
      changes.add(new Store.Change.Write(CIB + SIGNATURE, digest.getBytes(StandardCharsets.UTF_8)));
      newCounter = newBackedUp ? backUp(changes, content, digest, newCounter) : newCounter;
    }
    if (content != null || logInFile) {
      changes.add(new Store.Change.Rename(LOG, LOG_BEFORE));
    } else {
      changes.add(new Store.Change.Delete(LOG)); // it leads nowhere: the one before still leads to the file
    }
    return new Batch(changes, digest, content, newMeta, newCounter, newBackedUp);
  }

  private void written(Image image, @Nullable String error) {
    writing = false;
    if (error != null) {
      roles.failed();
      parted.failed();
      failed(image, error);
      return;
    }
    roles.written(image.roles(), image.rolesLost());
    parted.written(image.parted(), image.promised());
    if (failing) {
      failing = false;
      world.log().notice("The configuration is being written to disk again");
    }
    written.accept(image.number());
    write();
    idle();
  }

  private void idle() {
    if (isIdle()) {
      var tasks = List.copyOf(whenWritten);
      whenWritten.clear();
      tasks.forEach(Runnable::run);
    }
  }

  private boolean isIdle() {
    return !writing && next == null && halfWritten == null && logLength == 0;
  }

  /// @param number of the backup
  /// @return that of the next one
  private static int backUp(List<Store.Change> changes, byte @Nullable [] content, String digest, int number) {
    if (content == null) {
      return number;
    }
    var name = CibFound.backup(number);
    var after = (number + 1) % BACKUPS_MAX;
    changes.add(new Store.Change.Write(name, content));
    changes.add(new Store.Change.Write(name + SIGNATURE, digest.getBytes(StandardCharsets.UTF_8)));
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
    if (next == null && halfWritten == null) {
      next = image;
    }
    retry.ask();
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
    var name = lost.next();
    var content = XmlWriter.pretty(forDisk(cib)).getBytes(StandardCharsets.UTF_8);
    changes.add(new Store.Change.Write(name, content));
    lost.keep(name, changes);
    return name;
  }

  /// Somebody has written a `cib.xml` while this node runs: it goes aside before the next one is written.
  private void keepForeign(List<Store.Change> changes) {
    var name = changed.next();
    changes.add(new Store.Change.Rename(CIB, name));
    changes.add(new Store.Change.Expect(CIB, null)); // nor is one that comes now
    changed.trim(changes);
    world
        .log()
        .warning(
            "%s was changed by hand, or by a program, while this node runs. That changes nothing in the cluster: keeping the file as %s, and writing the cluster's configuration again. Compare the two (crm_diff), and make what is missing with cibadmin"
                .formatted(CIB, name));
  }
}
