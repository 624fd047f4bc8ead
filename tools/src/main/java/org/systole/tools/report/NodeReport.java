package org.systole.tools.report;

import com.google.re2j.Pattern;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.systole.common.layout.Layout;
import org.systole.common.xml.XmlException;
import org.systole.tools.cib.Cibadmin;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cli.AgentProcess;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.fencing.StonithAdmin;
import org.systole.tools.hosts.CrmHostha;
import org.systole.tools.roles.CrmRole;
import org.systole.tools.corosync.CorosyncQuorumtool;
import org.systole.tools.status.CrmMon;
import org.systole.tools.status.CrmNode;

/// Collects what one node has to say: state and configuration of the cluster, the machine, logs and
/// the scheduler's saved inputs. What cannot be had is named in the file it would have been in.
/// Keys and secrets are not read at all.
final class NodeReport {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int INPUTS_MAX = 500;
  private static final String UNIT =
      "--property=Id,LoadState,ActiveState,SubState,Result,MainPID,ExecMainStartTimestamp,ExecMainStatus,NRestarts,TasksCurrent,MemoryCurrent";
  private static final String LOG = "pacemaker.log";

  private final Terminal terminal;
  private final Layout layout;
  private final ReportScope scope;
  private final Masking masking;
  private final Path directory;
  private final List<String> notable = new ArrayList<>();

  /// @param directory where the files go; it must be there
  NodeReport(Terminal terminal, ReportScope scope, Path directory) {
    this.terminal = terminal;
    this.layout = Layout.of(terminal.environment());
    this.scope = scope;
    this.masking = new Masking(scope.masked());
    this.directory = directory;
  }

  /// @throws IOException if the directory cannot be written
  void collect() throws IOException {
    cluster();
    file("corosync.conf", layout.clusterConfiguration());
    file("sysconfig.txt", layout.configuration().resolveSibling("default").resolve("pacemaker"));
    var cib = layout.state("cib").resolve("cib.xml");
    if (isOwnFile(cib)) {
      file("cib-on-disk.xml", cib, LinkOption.NOFOLLOW_LINKS);
    }
    machine();
    logs();
    inputs();
    write("analysis.txt", String.join("\n", notable) + "\n");
  }

  private void cluster() throws IOException {
    write("cib.xml", masking.xml(said(new Cibadmin(), "--query")));
    write("crm_mon.txt", masking.text(said(new CrmMon(), "-1", "-rfAno", "-t")));
    write("crm_mon.xml", masking.xml(said(new CrmMon(), "-1", "-rfAno", "--output-as=xml")));
    write("crm_verify.txt", masking.text(said(new CrmVerify(), "-V", "--live-check")));
    write("hosts.xml", masking.xml(said(new CrmHostha(), "--list", "--verbose", "--output-as=xml")));
    write("roles.txt", masking.text(said(new CrmRole(), "--list", "--waits", "--audit")));
    write("nodes.txt", said(new CrmNode(), "--list"));
    write("quorum.txt", said(new CorosyncQuorumtool(), "-s"));
    write("fencing.txt", said(new StonithAdmin(), "--history", "*", "--verbose"));
  }

  private String said(Command command, String... args) {
    var out = new ByteArrayOutputStream();
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    command.run(
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            stream,
            stream,
            terminal.environment(),
            terminal.directory(),
            terminal.clock(),
            terminal.zones()),
        args);
    return out.toString(StandardCharsets.UTF_8);
  }

  private void machine() throws IOException {
    var text = new StringBuilder();
    for (var command :
        List.of(
            List.of("uname", "-a"),
            List.of("uptime"),
            List.of("ps", "axfww", "-o", "pid,ppid,user,ni,rss,stat,lstart,comm"),
            List.of("free", "-m"),
            List.of("df", "-h"),
            List.of("ip", "-statistics", "address"),
            List.of("ip", "route"),
            List.of("dpkg-query", "-l", "systole*", "pacemaker*", "corosync*", "resource-agents*", "fence-agents*"),
            // no status: it shows the command lines of all that runs in the unit
            List.of("systemctl", "--no-pager", "show", UNIT, "systole", "pacemaker_remote"))) {
      text.append("# ").append(String.join(" ", command)).append('\n');
      text.append(output(command)).append('\n');
    }
    write("sysinfo.txt", masking.text(text.toString()));
  }

  private String output(List<String> command) {
    try {
      var result = AgentProcess.run(command, terminal.environment(), "", PATIENCE);
      return result.output()
          + result.errors()
          + (result.timedOut() ? "(it took too long and was ended)\n" : "");
    } catch (IOException e) {
      return "(cannot be run: " + command.getFirst() + ")\n";
    }
  }

  private void logs() throws IOException {
    var extract = new LogExtract(scope, terminal.zone(), terminal.clock().get());
    if (scope.searchLogs()) {
      var lines = new ArrayList<String>();
      for (var file : rotated(layout.log())) {
        lines.addAll(lines(extract, file, LinkOption.NOFOLLOW_LINKS));
      }
      log(LOG, lines);
      write("journal.txt", masking.text(journal()));
    }
    for (var name : scope.logs()) {
      var file = terminal.resolve(name);
      log("log-" + file.getFileName(), lines(extract, file));
    }
  }

  private String journal() {
    return output(
        List.of(
            "journalctl",
            "--no-pager",
            "--output=short-iso",
            "--since=@" + scope.from().getEpochSecond(),
            "--until=@" + scope.to().getEpochSecond()));
  }

  /// A log with those that were it before, the oldest first.
  private static List<Path> rotated(Path logs) {
    try (var files = Files.list(logs)) {
      return files
          .filter(NodeReport::isOwnFile)
          .filter(it -> it.getFileName().toString().startsWith(LOG))
          .sorted(Comparator.comparing(NodeReport::changed))
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /// The directories of the cluster belong to its account: a link there may lead to what only root,
  /// who makes the report, can read. They are not followed either when the file is opened: one may have been put there since.
  private static boolean isOwnFile(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static long changed(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis();
    } catch (IOException e) {
      return 0;
    }
  }

  private static List<String> lines(LogExtract extract, Path file, OpenOption... how) {
    try {
      return extract.of(file, how);
    } catch (IOException e) {
      return List.of("(" + file + " cannot be read)");
    }
  }

  private void log(String name, List<String> lines) throws IOException {
    var masked = lines.stream().map(masking::text).toList();
    var wanted = scope.notable().stream().map(Pattern::compile).toList();
    masked.stream()
        .filter(line -> wanted.stream().anyMatch(it -> it.matcher(line).find()))
        .forEach(notable::add);
    write(name, String.join("\n", masked) + "\n");
  }

  /// The scheduler's inputs from the time of the report, the newest where there are too many.
  private void inputs() throws IOException {
    var files = new ArrayList<Path>();
    try (var all = Files.list(layout.state("pengine"))) {
      all.filter(it -> it.toString().endsWith(".bz2"))
          .filter(NodeReport::isOwnFile)
          .filter(it -> scope.covers(Instant.ofEpochMilli(changed(it))))
          .sorted(Comparator.comparing(NodeReport::changed))
          .forEach(files::add);
    } catch (IOException e) {
      return; // this node never was DC
    }
    var to = Files.createDirectories(directory.resolve("pengine"));
    for (var file : files.subList(Math.max(0, files.size() - INPUTS_MAX), files.size())) {
      try {
        var text = new String(XmlInput.bytes(terminal, file.toString(), LinkOption.NOFOLLOW_LINKS), StandardCharsets.UTF_8);
        try (var out =
            new BZip2CompressorOutputStream(
                Files.newOutputStream(to.resolve(file.getFileName().toString())))) {
          out.write(masking.xml(text).getBytes(StandardCharsets.UTF_8));
        }
      } catch (XmlException e) {
        notable.add(file + " cannot be read");
      }
    }
  }

  private void file(String name, Path from, OpenOption... how) throws IOException {
    UnaryOperator<String> mask = name.endsWith(".xml") ? masking::xml : masking::text;
    try (var in = Files.newInputStream(from, how)) {
      write(name, mask.apply(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      write(name, "(" + from + " cannot be read)\n");
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }
}
