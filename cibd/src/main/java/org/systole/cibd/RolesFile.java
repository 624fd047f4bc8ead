package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Md5;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The cluster's roles on disk: `roles.xml`, with its digest in it. It is written before the record
/// that says where in the cluster's history it stands: after a crash in between it is newer than
/// that, which does no harm, and never older.
final class RolesFile {
  static final String NAME = "roles.xml";
  static final String LOST = "roles.lost"; // is there while there are none because they could not be used
  private static final String DIGEST = "digest";

  private final World world;
  private final RolesText text = new RolesText();
  private final KeptFiles lost;
  private final KeptFiles unusable;
  private @Nullable Element onDisk;
  private boolean marked; // by the file LOST
  private boolean unsure; // a write has failed: they may be on disk, or those before

  RolesFile(World world) {
    this.world = world;
    this.lost = new KeptFiles(world, "roles-lost-");
    this.unusable = new KeptFiles(world, "roles-unusable-");
  }

  /// What is on disk.
  ///
  /// @param roles null if there is nothing
  /// @param usable false if there was something that cannot be used
  /// @param lost whether there is nothing because it could not be used, now or earlier
  record Found(@Nullable Element roles, boolean usable, boolean lost) {}

  Found load() {
    marked = world.store().list().contains(LOST);
    if (!world.store().list().contains(NAME)) {
      return new Found(null, true, marked);
    }
    var why = "";
    try {
      var content = world.store().read(NAME);
      if (content == null) {
        return new Found(null, true, marked);
      }
      var file = XmlReader.parse(content);
      var roles = file.without(DIGEST);
      if (digest(roles).equals(file.get(DIGEST))) {
        onDisk = roles;
        return new Found(roles, true, false);
      }
      why = "it does not match its digest. Change roles with crm_role instead";
    } catch (Store.StoreException e) {
      why = "it cannot be read: " + e.getMessage();
    } catch (XmlException e) {
      why = "it is not XML: " + e.getMessage();
    }
    setAside(why);
    return new Found(null, false, true);
  }

  private void setAside(String why) {
    var changes = new ArrayList<Store.Change>();
    var name = unusable.next();
    world
        .log()
        .critical(
            "The roles in %s cannot be used: %s. Keeping them as %s; this node takes those of the other nodes"
                .formatted(NAME, why, name));
    changes.add(mark());
    changes.add(new Store.Change.Rename(NAME, name));
    unusable.trim(changes);
    marked = true;
    world.store().change(changes, error -> told(name, error));
  }

  private static Store.Change mark() {
    return new Store.Change.Write(
        LOST, "the roles of this node could not be used\n".getBytes(StandardCharsets.UTF_8));
  }

  private void told(String name, @Nullable String error) {
    if (error != null) {
      world.log().error("Cannot write " + name + ": " + error);
    }
  }

  private static String digest(Element roles) {
    return Md5.of(XmlWriter.compact(roles));
  }

  /// Puts the roles before what else is to be written, if they are not on disk.
  ///
  /// @param lost whether there are none because they are lost
  void addTo(List<Store.Change> changes, @Nullable Element roles, boolean lost) {
    if (lost && (unsure || !marked)) {
      changes.addFirst(mark());
    } else if (!lost && (unsure || marked)) {
      changes.add(new Store.Change.Delete(LOST));
    }
    if (roles == null && (unsure || onDisk != null)) {
      changes.addFirst(new Store.Change.Delete(NAME));
    } else if (roles != null && (unsure || !roles.equals(onDisk))) {
      changes.addFirst(new Store.Change.Write(NAME, text.withDigest(roles, DIGEST)));
    }
  }

  /// They are on disk.
  void written(@Nullable Element roles, boolean lost) {
    onDisk = roles;
    marked = lost;
    unsure = false;
  }

  /// They were to be written with something else, and not all of that could be.
  void failed() {
    unsure = true;
  }

  /// Saves roles that lost against others under a name of their own.
  void keepAside(Element roles) {
    var changes = new ArrayList<Store.Change>();
    var name = lost.next();
    changes.add(
        new Store.Change.Write(name, XmlWriter.pretty(roles).getBytes(StandardCharsets.UTF_8)));
    lost.trim(changes);
    world
        .log()
        .critical(
            "The roles of this node were changed apart from the cluster, or the cluster has begun anew without them; they lost to its own and are kept in "
                + name
                + ". Compare the two and repeat the lost changes");
    world.store().change(changes, error -> told(name, error));
  }
}
