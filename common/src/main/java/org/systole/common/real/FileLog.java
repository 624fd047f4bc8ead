package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Log;

/// The node's log file, one line a message, shared by all daemons of the node.
///
/// Safe for use by several threads: each line is one appending write.
public final class FileLog implements Log {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("MMM dd HH:mm:ss.SSS", Locale.ROOT);
  private static final Set<OpenOption> HOW =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
  private static final FileAttribute<Set<PosixFilePermission>> MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-rw----"));
  private static final StackWalker CALLERS = StackWalker.getInstance();

  private final Path file;
  private final String origin;
  private final boolean toErrors;
  private final boolean debug;
  private final @Nullable FileChannel channel;

  private FileLog(
      Path file, String origin, boolean toErrors, boolean debug, @Nullable FileChannel channel) {
    this.file = file;
    this.origin = origin;
    this.toErrors = toErrors;
    this.debug = debug;
    this.channel = channel;
  }

  /// @param daemon the daemon's name in the log
  static FileLog open(
      Layout layout, Map<String, String> environment, Directories directories, String daemon) {
    var configured = environment.get("PCMK_logfile");
    var file =
        configured == null || configured.equals("none")
            ? layout.log().resolve("pacemaker.log")
            : layout.root().resolve(configured.replaceFirst("^/+", ""));
    var origin =
        "%s %s[%d]".formatted(nodeName(environment), daemon, ProcessHandle.current().pid());
    var debug = concerns(environment.get("PCMK_debug"), daemon);
    var toErrors = concerns(environment.get("PCMK_stderr"), daemon);
    return new FileLog(
        file,
        origin,
        toErrors,
        debug,
        "none".equals(configured) ? null : channel(file, directories));
  }

  private static @Nullable FileChannel channel(Path file, Directories directories) {
    try {
      Files.createDirectories(file.getParent());
      var channel = FileChannel.open(file, HOW, MODE);
      directories.grantLog(file);
      return channel;
    } catch (IOException e) {
      System.err.println(
          "Cannot open the log " + CannotStart.reason(e) + "; logging to stderr only");
      return null;
    }
  }

  private static String nodeName(Map<String, String> environment) {
    var name = environment.get(Layout.NODE);
    if (name != null) {
      return name;
    }
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
    } catch (IOException e) {
      return "localhost";
    }
  }

  /// The options take a boolean or a list of daemons.
  private static boolean concerns(@Nullable String value, String daemon) {
    if (value == null) {
      return false;
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "yes", "true", "on", "1", "y" -> true;
      case "no", "false", "off", "0", "n", "" -> false;
      default -> {
        var theirs =
            switch (daemon) {
              case "cibd" -> "pacemaker-based";
              case "pacemakerd" -> daemon;
              default -> "pacemaker-" + daemon;
            };
        yield Arrays.stream(value.split("[,\\s]+"))
            .anyMatch(it -> it.equals(daemon) || it.equals(theirs));
      }
    };
  }

  Path file() {
    return file;
  }

  @Override
  public boolean keeps(Level level) {
    return level != Level.DEBUG || debug;
  }

  @Override
  public void write(Level level, String message) {
    if (!keeps(level)) {
      return;
    }
    var component =
        CALLERS.walk(
            frames ->
                frames
                    .map(StackWalker.StackFrame::getClassName)
                    .filter(
                        it ->
                            !it.equals(FileLog.class.getName()) && !it.equals(Log.class.getName()))
                    .findFirst()
                    .orElse("main"));
    write(level, simpleName(component), message);
  }

  private static String simpleName(String className) {
    var begin = className.lastIndexOf('.') + 1;
    var end = className.indexOf('$', begin);
    return end < 0 ? className.substring(begin) : className.substring(begin, end);
  }

  void write(Level level, String component, String message) {
    var line =
        new StringBuilder(TIME.format(LocalDateTime.now()))
            .append(' ')
            .append(origin)
            .append(" (")
            .append(component)
            .append(") ")
            .append(level.name().toLowerCase(Locale.ROOT))
            .append(": ")
            .append(message.replace('\n', ' '))
            .append('\n')
            .toString();
    var bytes = line.getBytes(StandardCharsets.UTF_8);
    if (toErrors || channel == null) {
      System.err.write(bytes, 0, bytes.length);
      System.err.flush();
    }
    if (channel != null) {
      try {
        channel.write(ByteBuffer.wrap(bytes));
      } catch (IOException e) {
        System.err.write(bytes, 0, bytes.length);
      }
    }
  }
}
