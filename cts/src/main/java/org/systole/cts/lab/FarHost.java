package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.systole.common.cib.CibXPath;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// A machine that is no member, as a remote or guest node, and the resource that runs there.
final class FarHost {
  static final String NAME = "far";
  static final String RESOURCE = "distant";

  private static final String MARK = "lab-mark";
  private static final int KEY_BYTES = 512;

  private FarHost() {}

  /// Gives the members, and others, the same key.
  static void giveKey(Lab lab, LocalNode... others) throws IOException {
    var all = new ArrayList<>(lab.nodes());
    all.addAll(List.of(others));
    giveKey(lab, 0, all);
  }

  /// Gives some the same key.
  ///
  /// @param which a number for each key there is
  static void giveKey(Lab lab, int which, List<LocalNode> all) throws IOException {
    var key = new byte[KEY_BYTES];
    new Random(lab.dir().hashCode() + (long) which).nextBytes(key);
    for (var node : all) {
      write(node.layout().configuration().resolve("authkey"), key);
    }
  }

  /// As a member reads it: the daemons are not root's where there is a user for them.
  private static void write(Path file, byte[] key) throws IOException {
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
    Files.write(file, key);
    LocalHost.letDaemonsRead(file);
  }

  /// Loads a configuration, and waits until its resource runs there.
  static void configure(Lab lab, LocalNode host, String file) throws IOException {
    var text =
        LabHome.text(file)
            .replace("@DIRECTORY@", lab.dir().toString())
            .replace("@ADDRESS@", host.address());
    var loaded = lab.nodes().getFirst().configure(text);
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
    lab.await(
        RESOURCE + " on " + NAME,
        it -> it.activeOn(RESOURCE).equals(List.of(NAME)) && !it.isPending());
  }

  /// Removes what was configured.
  ///
  /// @param resource what makes it a node
  static void remove(Lab lab, String resource) throws IOException {
    var members = Run.names(lab.nodes());
    lab.await("all members back", it -> it.online().containsAll(members));
    var first = lab.nodes().getFirst();
    delete(first, "//rsc_location[@id='far-distant']");
    delete(first, "//primitive[@id='distant']");
    lab.await(RESOURCE + " stopped", it -> it.activeOn(RESOURCE).isEmpty());
    delete(first, "//primitive[@id=%s]".formatted(CibXPath.literal(resource)));
    lab.await(
        NAME + " no longer connected",
        it -> it.activeOn(NAME).isEmpty() && it.activeOn(resource).isEmpty());
    delete(first, "//rsc_location[starts-with(@id,'far-')]");
    Lab.succeed(first, "crm_node", "--force", "-R", NAME);
  }

  static void delete(LocalNode node, String xpath) throws IOException {
    Lab.succeed(node, "cibadmin", "--delete-all", "--force", "--xpath", xpath);
  }

  /// Ends its resource behind the cluster's back.
  static void end(LocalNode host) throws IOException {
    var state = "Witness-" + RESOURCE + ".state";
    try (var files = Files.walk(host.dir())) {
      var found = files.filter(it -> it.endsWith(state)).toList();
      LabFailure.unless(found.size() == 1, "%d files %s, not one".formatted(found.size(), state));
      Files.delete(found.getFirst());
    }
  }

  /// Gives the node an attribute that lasts as long as its executor does.
  static void mark(LocalNode by) throws IOException {
    Lab.succeed(by, "crm_attribute", "-N", NAME, "-l", "reboot", "-n", MARK, "-v", "1");
  }

  /// Whether the node still has it.
  static boolean isMarked(LocalNode by) throws IOException {
    return by.run("crm_attribute", "-N", NAME, "-l", "reboot", "-n", MARK, "-G", "-q").ok();
  }

  /// How often its resource's agent has said that since the fault.
  static long deeds(Run run, String deed) {
    return deeds(run, RESOURCE, deed);
  }

  static long deeds(Run run, String resource, String deed) {
    return deeds(run, it -> it.resource().equals(resource) && it.deed().equals(deed));
  }

  /// The same, on the host alone.
  static long deedsThere(Run run, String deed) {
    return deeds(
        run,
        it -> it.node().equals(NAME) && it.resource().equals(RESOURCE) && it.deed().equals(deed));
  }

  private static long deeds(Run run, Predicate<Evidence.Deed> wanted) {
    try {
      return run.lab().evidence().deeds(run.since()).stream().filter(wanted).count();
    } catch (IOException e) {
      return 0; // the next look tells
    }
  }
}
