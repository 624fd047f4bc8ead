package org.systole.cts.lab;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// A disk that all nodes see: a file behind a loop device, with a file system, and a place where each
/// node mounts it in a name space of its own. Nothing is mounted by roles but block devices, and
/// nowhere but where the system keeps none of its files.
final class LabDisk implements AutoCloseable {
  private static final String IMAGE = "disk.img";
  private static final Path PLACES = Path.of("/mnt");
  private static final Pattern LEFT =
      Pattern.compile("^(/dev/\\S+)\\s.*/systole-lab-(\\d+)-\\d+/" + IMAGE);
  private static final long SIZE = 16L << 20;

  private final String device;
  private final Path place;

  /// Why there can be no disk here, empty if there can.
  static String obstacle() {
    return Files.exists(Path.of("/dev/loop-control")) ? "" : "no loop devices";
  }

  /// @throws IOException if there is no loop device left, with what `losetup` says
  LabDisk(Lab lab) throws IOException {
    removeLeftOvers();
    var image = lab.dir().resolve(IMAGE);
    try (var file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    LabNetwork.run("mkfs.ext4", "-q", "-F", image.toString());
    device = LabNetwork.run("losetup", "-f", "--show", image.toString()).strip();
    place = PLACES.resolve(lab.dir().getFileName());
  }

  String device() {
    return device;
  }

  /// Where it is to be mounted.
  Path place() {
    return place;
  }

  /// What a run that is no more has left: loop devices, whose file may be gone.
  private static void removeLeftOvers() throws IOException {
    for (var line : LabNetwork.run("losetup", "--list", "--noheadings", "-O", "NAME,BACK-FILE").lines().toList()) {
      var left = LEFT.matcher(line);
      if (left.find() && !Files.exists(Path.of("/proc", left.group(2)))) {
        LabNetwork.run("losetup", "-d", left.group(1));
      }
    }
  }

  /// The device goes with the last node that has it mounted.
  @Override
  public void close() throws IOException {
    LabNetwork.run("losetup", "-d", device);
    Files.deleteIfExists(place);
  }
}
