package org.systole.tools.fencing;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.real.SbdDisk;
import org.systole.common.sbd.DiskFormat;
import org.systole.common.sbd.DiskMessage;
import org.systole.common.sbd.SbdSettings;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `sbd`: disks by which nodes are told to be gone, and the machine's watchdogs. With the options and
/// the output that `fence_sbd`, pcs and crmsh read of SBD. What SBD's daemon does is done by the
/// node's supervisor.
@picocli.CommandLine.Command(
    description = "Make disks for messages between nodes, and use them; look at watchdogs")
public final class Sbd extends Command {
  private static final Duration IO = Duration.ofSeconds(10);
  private static final long UNANSWERED_MILLIS = 1000;

  /// Longer than a node that answers a test has its hand on the slot.
  private static final Duration SECOND_LOOK = Duration.ofSeconds(3);

  @Option(
      names = {"-d"},
      paramLabel = "DISK",
      description = "A disk to use; may be given up to 3 times (default: SBD_DEVICE)")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = {"-n"},
      paramLabel = "NODE",
      description = "This node's name (default: the host's)")
  private @Nullable String localName;

  @Option(
      names = {"-1"},
      paramLabel = "SECONDS",
      description = "create: time of the nodes' watchdogs (default: 5)")
  private int watchdog = DiskFormat.Times.USUAL.watchdog();

  @Option(
      names = {"-2"},
      paramLabel = "SECONDS",
      description = "create: pause after a slot was taken (default: 2)")
  private int allocate = DiskFormat.Times.USUAL.allocate();

  @Option(
      names = {"-3"},
      paramLabel = "SECONDS",
      description = "create: between two looks at a node's slot (default: 1)")
  private int loop = DiskFormat.Times.USUAL.loop();

  @Option(
      names = {"-4"},
      paramLabel = "SECONDS",
      description = "create: after this time a message has been received (default: 10)")
  private int msgwait = DiskFormat.Times.USUAL.msgwait();

  @Option(
      names = {"-I"},
      paramLabel = "SECONDS",
      description = "How long a disk may take for one thing (default: 10)")
  private int patience = (int) IO.toSeconds();

  @Option(
      names = {"-w"},
      paramLabel = "DEVICE",
      description = "The watchdog (default: SBD_WATCHDOG_DEV)")
  private @Nullable String watchdogDevice;

  @Option(
      names = {"-v", "-D", "-W", "-P", "-R", "-T", "-Z", "-c", "-z"},
      description = "Accepted; of no effect here")
  private boolean[] noEffect = {};

  @Option(
      names = {"-5", "-C", "-F", "-S", "-p", "-r", "-s", "-t"},
      paramLabel = "VALUE",
      description = "Accepted; of no effect here")
  private List<String> noEffectValues = new ArrayList<>();

  public Sbd() {
    super("sbd");
  }

  /// As SBD has it.
  @Override
  protected String[] prepare(String[] args) {
    return args.length == 1 && args[0].equals("-h") ? new String[] {"--help"} : args;
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    var words = arguments();
    if (words.isEmpty()) {
      throw CommandException.usage(
          "what is to be done? create, dump, list, allocate NODE, message NODE"
              + " (test|reset|off|crashdump|clear|exit), ping NODE, or query-watchdog");
    }
    var done =
        switch (words.getFirst()) {
          case "create" -> onEach(this::create);
          case "dump" -> onEach(this::dump);
          case "list" -> onEach(this::list);
          case "allocate" -> onEach(it -> allocate(it, argument(1, "a node")));
          case "message" -> message(argument(1, "a node"), argument(2, "a message"));
          case "ping" -> ping(argument(1, "a node"));
          case "query-watchdog" -> new WatchdogList(terminal().out()).print();
          case "watch", "test-watchdog" ->
              throw CommandException.usage(
                  words.getFirst()
                      + ": not by this command; pacemakerd keeps the node's watchdog and disks");
          default -> throw CommandException.usage("unknown command '" + words.getFirst() + "'");
        };
    if (!done) {
      terminal().err().println("sbd failed; see the lines before.");
    }
    return done ? ExitStatus.OK : ExitStatus.ERROR;
  }

  private String argument(int at, String what) throws CommandException {
    if (arguments().size() <= at) {
      throw CommandException.usage(arguments().getFirst() + " needs " + what);
    }
    return arguments().get(at);
  }

  private List<String> disks() throws CommandException {
    var all = devices;
    if (all.isEmpty()) {
      all = new ArrayList<>(SbdSettings.of(settings()).settings().disks());
    }
    if (all.isEmpty()) {
      throw CommandException.usage("no disk is named: use -d DISK, or set SBD_DEVICE");
    }
    if (all.size() > SbdSettings.DISKS_MAX) {
      throw CommandException.usage("there can be up to 3 disks");
    }
    return all;
  }

  private java.util.Map<String, String> settings() {
    return terminal().environment();
  }

  private String localName() {
    if (localName != null) {
      return localName;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return "localhost";
    }
  }

  /// Something done with one disk.
  private interface Work<T> {
    T on(SbdDisk disk) throws IOException, CommandException;
  }

  private boolean onEach(Work<Boolean> work) throws CommandException {
    var all = true;
    for (var device : disks()) {
      try {
        all &= within(device, work);
      } catch (IOException e) {
        terminal().err().println("sbd: " + e.getMessage());
        if (arguments().getFirst().equals("dump")) {
          terminal().err().println("==Header on disk " + device + " NOT dumped");
        } else if (arguments().getFirst().equals("list")) {
          terminal().err().println("== disk " + device + " unreadable!");
          terminal().err().println("== Slots on disk " + device + " NOT dumped");
        }
        all = false;
      }
    }
    return all;
  }

  /// A disk that hangs is given up; the thread that waits for it ends with the process.
  private <T> T within(String device, Work<T> work) throws IOException, CommandException {
    var task =
        new FutureTask<T>(
            () -> {
              try (var disk = SbdDisk.open(device)) {
                return work.on(disk);
              }
            });
    Thread.ofPlatform().daemon().name("disk").start(task);
    try {
      return task.get(limit().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException(device + " does not answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted");
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException it -> throw it;
        case CommandException it -> throw it;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  /// What waits for messages or slots on purpose has that time as well; a new disk has 500 sectors
  /// written.
  private Duration limit() {
    var io = Duration.ofSeconds(Math.max(1, patience));
    return switch (arguments().getFirst()) {
      case "create" -> io.multipliedBy(10);
      case "allocate" -> io.plusSeconds(60);
      default -> io;
    };
  }

  private boolean create(SbdDisk disk) throws IOException, CommandException {
    for (var seconds : List.of(watchdog, allocate, loop, msgwait)) {
      if (seconds < 1) {
        throw CommandException.usage("times are a second or more");
      }
    }
    if (msgwait <= watchdog + loop) {
      throw CommandException.usage(
          ("msgwait (-4, %d s) must be longer than the watchdog's time and a look at the slot (-1,"
                  + " %d s, and -3, %d s): %d > %d does not hold; use -4 %d")
              .formatted(
                  msgwait, watchdog, loop, msgwait, watchdog + loop, 2 * Math.max(watchdog, loop)));
    }
    var uuid = new byte[16];
    new SecureRandom().nextBytes(uuid);
    var times = new DiskFormat.Times(watchdog, allocate, loop, msgwait);
    var header = DiskFormat.newHeader(disk.sectorSize(), times, uuid);
    var out = terminal().out();
    out.println("Initializing device " + disk);
    out.printf(
        "Creating version %s header on device %s (uuid: %s)%n",
        header.version(), disk, header.uuidText());
    out.printf("Initializing %d slots on device %s%n", header.slots(), disk);
    disk.create(header);
    out.println("Device " + disk + " is initialized.");
    return true;
  }

  private boolean dump(SbdDisk disk) throws IOException {
    var out = terminal().out();
    out.println("==Dumping header on disk " + disk);
    var header = disk.header();
    out.println("Header version     : " + header.version());
    if (header.minor() > 0) {
      out.println("UUID               : " + header.uuidText());
    }
    out.println("Number of slots    : " + header.slots());
    out.println("Sector size        : " + header.sectorSize());
    out.println("Timeout (watchdog) : " + header.times().watchdog());
    out.println("Timeout (allocate) : " + header.times().allocate());
    out.println("Timeout (loop)     : " + header.times().loop());
    out.println("Timeout (msgwait)  : " + header.times().msgwait());
    out.println("==Header on disk " + disk + " is dumped");
    return true;
  }

  private boolean list(SbdDisk disk) throws IOException {
    var slots = disk.header().slots();
    for (var slot = 0; slot < slots; slot++) {
      var owner = disk.owner(slot);
      if (owner != null) {
        var mail = disk.mail(slot);
        var message = mail.message();
        terminal()
            .out()
            .printf(
                "%d\t%s\t%s\t%s%n",
                slot, owner, message == null ? "undefined" : message.word(), mail.from());
      }
    }
    return true;
  }

  private boolean allocate(SbdDisk disk, String name) throws IOException, CommandException {
    if (name.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > DiskFormat.NAME_MAX) {
      throw CommandException.usage(
          "a node's name on a disk has at most %d bytes".formatted(DiskFormat.NAME_MAX));
    }
    var out = terminal().out();
    out.printf("Trying to allocate slot for %s on device %s.%n", name, disk);
    var header = disk.header();
    while (disk.slotOf(name, header.slots()) < 0) {
      var slot = disk.freeSlot(header.slots());
      if (slot < 0) {
        throw new IOException("No more free slots.");
      }
      out.printf("slot %d is unused - trying to own%n", slot);
      disk.own(slot, name);
      sleep(Duration.ofSeconds(header.times().allocate())); // another node may have taken it, too
    }
    out.printf("Slot for %s has been allocated on %s.%n", name, disk);
    return true;
  }

  /// Told once more than half of the disks have it and its receiver has had the time to act on it.
  private boolean message(String to, String word) throws CommandException {
    var message = DiskMessage.of(word);
    if (message == null) {
      throw CommandException.usage(
          "'" + word + "' is no message; use test, reset, off, crashdump, clear or exit");
    }
    var receiver = to.equals("LOCAL") ? localName() : to;
    var told = new ArrayList<String>();
    var wait = Duration.ZERO;
    for (var device : disks()) {
      try {
        var time = Duration.ofSeconds(within(device, it -> tell(it, receiver, message)));
        wait = time.compareTo(wait) > 0 ? time : wait;
        told.add(device);
      } catch (IOException e) {
        terminal().err().println("sbd: " + e.getMessage());
      }
    }
    if (told.size() <= disks().size() / 2) {
      terminal().err().println("sbd: Message is not delivered via more then a half of devices");
      return false;
    }
    if (message != DiskMessage.EXIT) {
      sleep(message.isFencing() ? heeded(told, receiver, message, wait) : wait);
    }
    return true;
  }

  /// Looks once more at what was written: its receiver may just have answered a test, and have cleared this with it.
  /// No machine is back that soon, to clear it for good reason.
  ///
  /// @return how long to wait from now on
  private Duration heeded(List<String> told, String receiver, DiskMessage message, Duration wait)
      throws CommandException {
    var pause = wait.dividedBy(2).compareTo(SECOND_LOOK) < 0 ? wait.dividedBy(2) : SECOND_LOOK;
    sleep(pause);
    var lost = false;
    for (var device : told) {
      try {
        lost |= within(device, it -> tellAgain(it, receiver, message));
      } catch (IOException e) {
        terminal().err().println("sbd: " + e.getMessage());
      }
    }
    return lost ? wait : wait.minus(pause);
  }

  /// @return whether it was not there any more
  private boolean tellAgain(SbdDisk disk, String receiver, DiskMessage message) throws IOException {
    var there = disk.mail(slot(disk, disk.header(), receiver)).message();
    if (there != null && there.isFencing()) {
      return false;
    }
    tell(disk, receiver, message);
    return true;
  }

  /// @return how long the disk says that it may take until the receiver has acted, in seconds
  private int tell(SbdDisk disk, String receiver, DiskMessage message) throws IOException {
    var header = disk.header();
    disk.mail(slot(disk, header, receiver), message, localName());
    return header.times().msgwait();
  }

  private static int slot(SbdDisk disk, DiskFormat.Header header, String name)
      throws IOException {
    var slot = disk.slotOf(name, header.slots());
    if (slot < 0) {
      throw new IOException("%s has no slot for %s; sbd list shows them".formatted(disk, name));
    }
    return slot;
  }

  /// A node that looks after its slot clears a test.
  private boolean ping(String name) throws CommandException {
    var receiver = name.equals("LOCAL") ? localName() : name;
    var answered = true;
    for (var device : disks()) {
      try {
        var wait = within(device, it -> tell(it, receiver, DiskMessage.TEST));
        answered &= isAnswered(device, receiver, wait);
      } catch (IOException e) {
        terminal().err().println("sbd: " + e.getMessage());
        answered = false;
      }
    }
    return answered;
  }

  private boolean isAnswered(String device, String receiver, int waitSeconds)
      throws IOException, CommandException {
    for (var waited = 0; waited <= waitSeconds; waited++) {
      var mail = within(device, it -> it.mail(slot(it, it.header(), receiver)));
      if (mail.message() != DiskMessage.TEST) {
        return true;
      }
      sleep(Duration.ofMillis(UNANSWERED_MILLIS));
    }
    terminal().err().printf("sbd: %s failed to ping on %s.%n", receiver, device);
    return false;
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
