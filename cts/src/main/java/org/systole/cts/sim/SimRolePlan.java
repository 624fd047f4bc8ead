package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// The roles of a random cluster.
///
/// @param gate whether nothing is placed on a node before its role `gate` is active
/// @param site whether there is a deployment `site` under `system`
/// @param atOnce whether they are defined and bound in one request
/// @param definitions of the roles, in an order in which they can be given
record SimRolePlan(boolean gate, boolean site, boolean atOnce, List<Element> definitions) {
  static final SimRolePlan NONE = new SimRolePlan(false, false, false, List.of());
  static final String GATE = "gate";

  /// What the second check after a run of the jig `test` finds, in some roles.
  static final String GONE = "it is gone";

  private static final int PERCENT = 100;
  private static final List<String> NONSENSE = List.of("[1,", "{\\\"a\\\":1e999999999}", "{\\\"a\\\":100e2147483647}");
  private static final String HALF = ",\"half\":\"\\ud83d \\uffff\""; // JSON may say what XML cannot
  private static final int SHARE = 20;
  private static volatile boolean everywhere;

  /// Has all clusters from now on have roles, or not live. Those that have them anyway have the same.
  static void inAllClusters() {
    everywhere = true;
  }

  /// By a stream of chance of its own, so that it moves nothing else in a seed. Two nodes with
  /// `two_node` may have two histories of their roles.
  static SimRolePlan of(long seed, int nodes) {
    var random = new SplittableRandom(seed * 0x9FB21C651E98DF25L + 37);
    var drawn = random.nextInt(PERCENT) < SHARE;
    return nodes == 2 || !drawn && !everywhere ? NONE : made(random);
  }

  /// The same as [#of] has for a seed that has roles.
  static SimRolePlan forced(long seed) {
    var random = new SplittableRandom(seed * 0x9FB21C651E98DF25L + 37);
    random.nextInt(PERCENT);
    return made(random);
  }

  boolean isLeftOut() {
    return everywhere && !any();
  }

  boolean any() {
    return !definitions.isEmpty();
  }

  private static SimRolePlan made(RandomGenerator random) {
    var gate = random.nextInt(PERCENT) < 45;
    var roles = new ArrayList<Element>();
    var above = new ArrayList<TreeSet<String>>();
    var count = 3 + random.nextInt(5);
    for (var at = 0; at < count; at++) {
      var requires = new TreeSet<String>();
      var all = new TreeSet<String>();
      for (var tries = random.nextInt(3); at > 0 && tries > 0; tries--) {
        var other = random.nextInt(at);
        if (!all.contains("r" + other)
            && requires.stream().noneMatch(it -> above.get(other).contains(it))) {
          requires.add("r" + other);
          all.add("r" + other);
          all.addAll(above.get(other));
        }
      }
      above.add(all);
      roles.add(role("r" + at, at == 0 && gate ? "implicit=\"true\"" : flags(random), requires, random));
    }
    if (random.nextInt(PERCENT) < 30) {
      roles.add(xml("<role id=\"disk\" jig=\"noop\" abstract=\"true\"/>"));
      roles.add(
          xml("<role id=\"disk-a\" jig=\"script\" implicit=\"true\" timeout=\"10s\"><provides name=\"disk\"/></role>"));
      roles.add(role("user", flags(random), new TreeSet<>(List.of("disk")), random));
    }
    if (gate) {
      var requires = new TreeSet<>(random.nextBoolean() ? List.of("r0") : List.<String>of());
      roles.add(
          definition(GATE, "script", "discovery=\"true\" timeout=\"10s\"", requires, ""));
    }
    var site = random.nextInt(PERCENT) < 30;
    var atOnce = random.nextBoolean();
    if (random.nextInt(PERCENT) < 40) {
      roles.replaceAll(SimRolePlan::withSecret);
    }
    return new SimRolePlan(gate, site, atOnce, roles);
  }

  private static String flags(RandomGenerator random) {
    var flags = new StringBuilder();
    draw(random, 60, flags, "implicit");
    draw(random, 15, flags, "cluster");
    draw(random, 15, flags, "service");
    draw(random, 25, flags, "destructive");
    draw(random, 10, flags, "discovery");
    draw(random, 5, flags, "library");
    return flags.toString();
  }

  private static void draw(RandomGenerator random, int percent, StringBuilder to, String flag) {
    if (random.nextInt(PERCENT) < percent) {
      to.append(' ').append(flag).append("=\"true\"");
    }
  }

  private static Element role(
      String id, String flags, TreeSet<String> requires, RandomGenerator random) {
    var percent = random.nextInt(PERCENT);
    var check = random.nextInt(PERCENT) < 25 ? " check-interval=\"" + (5 + random.nextInt(20)) + "s\"" : "";
    var timeout = check + " timeout=\"" + (5 + random.nextInt(15)) + "s\"";
    if (percent < 10) {
      return definition(id, "noop", flags + " milestone=\"true\"", requires, "");
    }
    if (percent < 18) {
      return definition(id, "noop", flags, requires, "");
    }
    return percent < 75
        ? definition(id, "script", flags + timeout, requires, "")
        : definition(id, "test", flags + timeout, requires, test(random));
  }

  private static String test(RandomGenerator random) {
    var seconds = random.nextInt(7);
    var rest =
        switch (random.nextInt(6)) {
          case 0 -> ",\"fail\":\"it is broken\"";
          case 1 -> ",\"answer\":\"" + NONSENSE.get(seconds % NONSENSE.size()) + "\"";
          case 2 -> ",\"checks\":[\"\",\"" + GONE + "\"]";
          default -> ",\"answer\":{\"made\":" + random.nextInt(9) + (seconds % 2 == 0 ? "" : HALF) + "}";
        };
    return "{\"test\":{\"seconds\":" + seconds + rest + "}}";
  }

  private static Element definition(
      String id, String jig, String attributes, TreeSet<String> requires, String data) {
    var text =
        new StringBuilder("<role id=\"%s\" jig=\"%s\" %s>".formatted(id, jig, attributes));
    requires.forEach(it -> text.append("<requires role=\"").append(it).append("\"/>"));
    if (!data.isEmpty()) {
      text.append("<data>").append(data).append("</data>");
    }
    return xml(text.append("</role>").toString());
  }

  /// Each role that is done by steps has a secret.
  private static Element withSecret(Element role) {
    var data = "{\"%s\":{\"password\":\"lrm://\"}}".formatted(role.get("id", ""));
    return role.get("jig", "").equals("script")
        ? role.plus(Element.of("data").withText(data))
        : role;
  }

  /// Whether roles have secrets.
  boolean hasSecret() {
    return definitions.stream().anyMatch(it -> it.first("data") != null && it.toString().contains("lrm://"));
  }

  static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalStateException(text, e);
    }
  }

  @Override
  public String toString() {
    return any()
        ? ", roles: "
            + definitions.size()
            + (gate ? ", with a gate" : "")
            + (site ? ", with a deployment" : "")
        : "";
  }
}
