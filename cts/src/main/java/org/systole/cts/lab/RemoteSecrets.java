package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.systole.common.real.SecretFiles;
import org.systole.cts.local.LocalNode;

/// A parameter of what runs on a remote host is kept out of the CIB: where the evidence goes. So whatever the agent has left
/// there says that it was given the value.
final class RemoteSecrets {
  private static final String HOST = FarHost.NAME;
  private static final String RESOURCE = FarHost.RESOURCE;
  private static final String PARAMETER = "evidence";
  private static final String UNAVAILABLE = "Unable to load CIB secrets";

  private RemoteSecrets() {}

  static void tell(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    var value = lab.dir().resolve("evidence").toString();
    run.fault(() -> set(first, value, "-C"));
    for (var member : lab.nodes()) {
      says(member, value, "-C", "get", RESOURCE, PARAMETER);
    }
    LabFailure.unless(!Files.exists(files(host)), HOST + " was given a secret by itself");
    copy(first, host);
    says(host, value, "-C", "get", RESOURCE, PARAMETER);
    says(first, "", "stash", RESOURCE, PARAMETER);
    configured(first, "lrm://");
    startedAgain(run, "stashed", 1);
    says(lab.nodes().getLast(), "", "check", RESOURCE, PARAMETER);
    away(run, host, value);
    anew(run, host);
    says(first, "", "unstash", RESOURCE, PARAMETER);
    configured(first, value);
    startedAgain(run, "unstashed", 4);
    LabHome.remove(files(host));
    for (var member : lab.nodes()) {
      LabFailure.unless(
          !Files.exists(files(member).resolve(RESOURCE).resolve(PARAMETER)),
          member.name() + " has a secret that there is no more");
    }
    LabFailure.unless(RemoteScenarios.timesFenced(run) == 1, HOST + " was fenced more than once");
  }

  /// Members can be told of a value while the host is away, and with the one that it has it goes on when it is back.
  private static void away(Run run, LocalNode host, String value) throws IOException {
    var first = run.lab().nodes().getFirst();
    host.kill();
    set(first, value);
    says(first, "", "sync");
    run.await("host fenced", "the fencing of " + HOST, () -> RemoteScenarios.timesFenced(run) == 1);
    startedAgain(run, "back", 2);
  }

  /// As of a host that was installed anew, or added later: nobody has copied the files there yet.
  private static void anew(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    LabHome.remove(files(host));
    says(first, "", "sync");
    FarHost.end(host);
    run.await(
        "cannot be had",
        first,
        UNAVAILABLE,
        it ->
            it.cib().find(op -> op.get("exit-reason", "").contains(UNAVAILABLE)) != null
                && it.activeOn(RESOURCE).isEmpty()
                && !it.isPending());
    var mon = Lab.succeed(first, "crm_mon", "-1").output();
    LabFailure.unless(mon.contains(UNAVAILABLE), "crm_mon does not say why: " + mon.strip());
    copy(first, host);
    Lab.succeed(first, "crm_resource", "--cleanup", "-r", RESOURCE);
    startedAgain(run, "copied", 3);
  }

  private static void startedAgain(Run run, String time, int times) {
    BooleanSupplier started = () -> FarHost.deeds(run, "started") >= times;
    run.await(time, RESOURCE + " started", started);
    run.await(
        time,
        run.lab().nodes().getFirst(),
        RESOURCE + " on " + HOST,
        it -> it.activeOn(RESOURCE).equals(List.of(HOST)) && !it.isPending());
  }

  /// By standard input, as a value that is to be in no list of processes.
  private static void set(LocalNode member, String value, String... options) throws IOException {
    var words = new String[options.length + 3];
    System.arraycopy(options, 0, words, 0, options.length);
    System.arraycopy(
        new String[] {"set", RESOURCE, PARAMETER}, 0, words, options.length, 3);
    var done = member.runWithInput(value, "cibsecret", words);
    LabFailure.unless(done.ok(), "cibsecret set: " + done.output().strip());
    LabFailure.unless(
        !done.output().contains(HOST), "a remote node is named: " + done.output().strip());
  }

  private static void says(LocalNode node, String part, String... words) throws IOException {
    var done = node.run("cibsecret", words);
    LabFailure.unless(
        done.ok() && done.output().contains(part),
        "cibsecret %s on %s ends with %d and says: %s"
            .formatted(String.join(" ", words), node.name(), done.status(), done.output().strip()));
  }

  private static void configured(LocalNode member, String value) throws IOException {
    var is = Lab.succeed(member, "crm_resource", "-r", RESOURCE, "-g", PARAMETER).output().strip();
    LabFailure.unless(is.equals(value), "the CIB has " + is);
  }

  private static Path files(LocalNode node) {
    return new SecretFiles(node.layout()).directory();
  }

  /// As `scp -pr` does it.
  private static void copy(LocalNode from, LocalNode to) throws IOException {
    try (var all = Files.walk(files(from))) {
      for (var file : all.toList()) {
        var target = files(to).resolve(files(from).relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }
}
