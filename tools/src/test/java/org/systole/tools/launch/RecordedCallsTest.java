package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.ResultOutputs;
import org.systole.tools.cli.Terminal;
import org.systole.tools.results.Checker;

/// Gives every recorded command line of the reference to our commands, in this process: exit
/// status, standard output and what became of the CIB must be the same.
///
/// The property `recorded.only` (a regular expression over the command line) chooses among them and
/// shows what differs; `recorded.file` names another recording.
class RecordedCallsTest {
  /// When the recording was made.
  private static final Instant NOW = Instant.parse("2026-11-20T23:38:44Z");

  private record Substitution(Pattern pattern, String by) {
    static Substitution of(String regex, String by) {
      return new Substitution(Pattern.compile(regex), by);
    }
  }

  /// What differs from run to run, and by version.
  private static final List<Substitution> UNSTABLE =
      List.of(
          Substitution.of(
              "request=\"[^\"]*/?(?=(crm|cib|stonith|attrd|iso)[a-z_0-9]*)", "request=\""),
          Substitution.of("SBIN/|/\\S*/sbin/", ""),
          Substitution.of("(Last updated:\\s+).*", "$1T"),
          Substitution.of("<last_update time=\"[^\"]*\"", "<last_update time=\"T\""),
          Substitution.of("(last_update[^>]*>.*?<span>)[^<]*", "$1T"),
          Substitution.of("<b>Last updated:</b>[^<]*", "T"),
          Substitution.of(
              " (cib-last-written|update-origin|update-client|update-user|crm_feature_set"
                  + "|crm-debug-origin)=\"[^\"]*\"",
              ""),
          Substitution.of(
              "20(?:2[6-9]|3\\d)-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:Z| ?[+-]\\d\\d:\\d\\d)?",
              "T"),
          Substitution.of("\\b1(?:79|8\\d)\\d{7}\\b", "T"),
          Substitution.of("(api-version|version)=\"[^\"]*\"", "$1=\"\""));

  private static final Set<String> UNSTABLE_ATTRIBUTES =
      Set.of(
          "cib-last-written",
          "update-origin",
          "update-client",
          "update-user",
          "crm_feature_set",
          "execution-date");

  @TempDir Path directory;

  @Test
  void commandsAnswerAsRecorded() throws IOException {
    var recording = recording();
    assumeTrue(
        recording != null, "skipped: there is no shared/reference/cli-recorded beside the project");
    var lines = Files.readAllLines(Objects.requireNonNull(recording));
    var mapper = new ObjectMapper();
    var cibs = mapper.readTree(lines.getFirst()).get("cibs");
    var only = System.getProperty("recorded.only");
    var differing = new TreeMap<String, Integer>();
    var total = new TreeMap<String, Integer>();
    for (var line : lines.subList(1, lines.size())) {
      var call = mapper.readTree(line);
      var words = words(call);
      if (only != null && !Pattern.compile(only).matcher(String.join(" ", words)).find()) {
        continue;
      }
      total.merge(words.getFirst(), 1, Integer::sum);
      var difference = difference(call, words, cibs.get(call.get("cib").asInt()).asText());
      if (difference != null) {
        differing.merge(words.getFirst(), 1, Integer::sum);
        if (only != null) {
          System.out.println("--- " + String.join(" ", words) + "\n" + difference);
        }
      }
    }
    System.out.println("recorded calls: " + total + ", different: " + differing);
    if (only == null) {
      assertEquals(known(), differing, "calls that differ, by command, against those known");
    }
  }

  /// What the schemas of results say of all results, those included that were recorded as text.
  @Test
  void everyResultAsXmlIsWhatItsSchemaSays() throws IOException, InterruptedException {
    var recording = recording();
    assumeTrue(
        recording != null, "skipped: there is no shared/reference/cli-recorded beside the project");
    var lines = Files.readAllLines(Objects.requireNonNull(recording));
    var mapper = new ObjectMapper();
    var cibs = mapper.readTree(lines.getFirst()).get("cibs");
    var files = new ArrayList<Path>();
    for (var line : lines.subList(1, lines.size())) {
      var call = mapper.readTree(line);
      var words = words(call);
      words.removeIf(it -> it.startsWith("--output-as") || it.equals("--as-xml") || it.equals("-X"));
      words.add(1, "--output-as=xml");
      var result = run(call, words, cibs.get(call.get("cib").asInt()).asText());
      ResultOutputs.check(result.out());
      var from = result.out().indexOf("<pacemaker-result");
      if (from >= 0) {
        var file = directory.resolve("result-" + files.size() + ".xml");
        files.add(Files.writeString(file, result.out().substring(from)));
      }
    }
    if (Checker.isThere()) {
      assertEquals(List.of(), new Checker(directory).refused(files));
    }
  }

  private static List<String> words(JsonNode call) {
    var words = new ArrayList<String>();
    call.get("argv").forEach(word -> words.add(word.asText()));
    return words;
  }

  /// Calls known to differ, by command, and why: see the file.
  private static Map<String, Integer> known() throws IOException {
    var properties = new Properties();
    try (var in = RecordedCallsTest.class.getResourceAsStream("recorded-calls.properties")) {
      properties.load(in);
    }
    var known = new TreeMap<String, Integer>();
    properties.forEach((name, count) -> known.put((String) name, Integer.valueOf((String) count)));
    return known;
  }

  private @Nullable String difference(JsonNode call, List<String> words, String before)
      throws IOException {
    var result = run(call, words, before);
    var code = result.code();
    var file = directory.resolve("cib.xml");
    var after = call.get("after").isNull() ? before : call.get("after").asText();
    if (code != call.get("rc").asInt()) {
      return "exit status " + code + " instead of " + call.get("rc") + ": " + result.err();
    }
    var got = stable(result.out());
    var wanted = stable(call.get("out").asText());
    if (!got.equals(wanted)) {
      return "output, wanted:\n" + wanted + "\ngot:\n" + got;
    }
    return sameTree(after, Files.readString(file)) ? null : "the CIB afterwards";
  }

  private record Result(int code, String out, String err) {}

  private Result run(JsonNode call, List<String> words, String before) throws IOException {
    var file = directory.resolve("cib.xml");
    Files.writeString(file, before);
    Files.deleteIfExists(directory.resolve("out.xml"));
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            new ByteArrayInputStream(call.get("stdin").asText().getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            new HashMap<>(
                Map.of(
                    "CIB_file", file.toString(), "USER", "root", "LOGNAME", "root", "TZ", "UTC")),
            directory,
            () -> NOW,
            () -> ZoneOffset.UTC);
    var code =
        Main.command(
            words.getFirst(), terminal, words.subList(1, words.size()).toArray(String[]::new));
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private static String stable(String text) {
    var result = text;
    for (var each : UNSTABLE) {
      result = each.pattern().matcher(result).replaceAll(each.by());
    }
    return result.strip().lines().map(String::stripTrailing).reduce("", (a, b) -> a + b + "\n");
  }

  private static boolean sameTree(String wanted, String got) {
    if (wanted.equals(got)) {
      return true;
    }
    var clock = UNSTABLE.get(UNSTABLE.size() - 3);
    var epoch = UNSTABLE.get(UNSTABLE.size() - 2);
    try {
      return whole(XmlReader.parse(replaced(replaced(wanted, clock), epoch)))
          .equals(whole(XmlReader.parse(replaced(replaced(got, clock), epoch))));
    } catch (XmlException e) {
      return false;
    }
  }

  private static String replaced(String text, Substitution each) {
    return each.pattern().matcher(text).replaceAll(each.by());
  }

  private static List<Object> whole(Element element) {
    var attributes = new TreeSet<String>();
    for (var at = 0; at < element.attributeCount(); at++) {
      if (!UNSTABLE_ATTRIBUTES.contains(element.attributeName(at))) {
        attributes.add(element.attributeName(at) + "=" + element.attributeValue(at));
      }
    }
    var children = new ArrayList<List<Object>>();
    for (var child : element.children()) {
      if (!child.isComment()) {
        children.add(whole(child));
      }
    }
    var text = element.text() == null ? "" : element.text().strip();
    return List.of(element.name(), List.copyOf(attributes), text, children);
  }

  private static @Nullable Path recording() {
    if (System.getProperty("recorded.file") != null) {
      return Path.of(System.getProperty("recorded.file"));
    }
    for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      var file = at.resolve("shared/reference/cli-recorded/recorded.jsonl");
      if (Files.exists(file)) {
        return file;
      }
    }
    return null;
  }
}
