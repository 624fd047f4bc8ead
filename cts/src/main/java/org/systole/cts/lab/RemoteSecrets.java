package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.systole.common.real.SecretFiles;
import org.systole.cts.local.LocalNode;

/// A parameter of what runs on a remote host is kept out of the CIB. Its agent tells what it was given.
final class RemoteSecrets {
  private static final String HOST = FarHost.NAME;
  private static final String RESOURCE = FarHost.RESOURCE;
  private static final String PARAMETER = "word";
  private static final String OLD = "aleph";
  private static final String NEW = "beth";
  private static final String UNAVAILABLE = "Unable to load CIB secrets";

  private RemoteSecrets() {}

  static void tell(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    run.fault(() -> Lab.succeed(first, "crm_resource", "-r", RESOURCE, "-p", PARAMETER, "-v", OLD));
    knows(run, "configured", OLD, 1);
    set(first, OLD, "-C");
    for (var member : lab.nodes()) {
      says(member, OLD, "-C", "get", RESOURCE, PARAMETER);
    }
    LabFailure.unless(!Files.exists(files(host)), HOST + " was given a secret by itself");
    copy(first, host);
    says(host, OLD, "-C", "get", RESOURCE, PARAMETER);
    says(first, "", "stash", RESOURCE, PARAMETER);
    configured(first, "lrm://");
    knows(run, "stashed", OLD, 2);
    says(lab.nodes().getLast(), "", "check", RESOURCE, PARAMETER);
    away(run, host);
    anew(run, host);
    says(first, "", "unstash", RESOURCE, PARAMETER);
    configured(first, NEW);
    knows(run, "unstashed", NEW, 2);
    LabHome.remove(files(host));
    for (var member : lab.nodes()) {
      LabFailure.unless(
          !Files.exists(files(member).resolve(RESOURCE).resolve(PARAMETER)),
          member.name() + " has a secret that there is no more");
    }
    LabFailure.unless(RemoteScenarios.timesFenced(run) == 1, HOST + " was fenced more than once");
  }

  /// Members are told of another value while the host is away; with the one that it has it goes on when it is back.
  private static void away(Run run, LocalNode host) throws IOException {
    var first = run.lab().nodes().getFirst();
    host.kill();
    set(first, NEW);
    says(first, "", "sync");
    run.await("host fenced", "the fencing of " + HOST, () -> RemoteScenarios.timesFenced(run) == 1);
    knows(run, "back", OLD, 3);
  }

  /// As of a host that was installed anew, or added later: nobody has copied the files there yet.
  private static void anew(Run run, LocalNode host) throws IOException {
    var lab = run.lab();
    var first = lab.nodes().getFirst();
    role(first, "Stopped");
    lab.await(RESOURCE + " stopped", it -> it.activeOn(RESOURCE).isEmpty() && !it.isPending());
    LabHome.remove(files(host));
    says(first, "", "sync");
    LabFailure.unless(!Files.exists(files(host)), HOST + " was given a secret by itself");
    role(first, "Started");
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
    knows(run, "copied", NEW, 1);
  }

  private static void role(LocalNode member, String role) throws IOException {
    Lab.succeed(member, "crm_resource", "-r", RESOURCE, "--meta", "-p", "target-role", "-v", role);
  }

  /// It was started on the host so often with that value since the beginning. Where it runs while the host is away, and with
  /// which value, depends on how soon the host is lost.
  private static void knows(Run run, String time, String value, int times) {
    run.await(
        time,
        run.lab().nodes().getFirst(),
        "%s on %s with %s".formatted(RESOURCE, HOST, value),
        it ->
            FarHost.deedsThere(run, "knows-" + value) == times
                && it.activeOn(RESOURCE).equals(List.of(HOST))
                && !it.isPending());
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
