package org.systole.common.secrets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.world.TestWorld;

class SecretsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Map<String, String> PASSWORD = Map.of("ip", "10.0.0.1", "passwd", "lrm://");

  private final TestWorld world = new TestWorld();
  private final List<Secrets.Filled> told = new ArrayList<>();

  private void fill(String resource, Map<String, String> parameters) {
    new Secrets(world).fill(resource, parameters, LIMIT, told::add);
    assertEquals(List.of(), told); // not from within the call
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void isRefused(String why) {
    assertEquals(1, told.size());
    assertFalse(told.getFirst().isWhole());
    assertEquals("lrm://", told.getFirst().parameters().get("passwd"));
    assertTrue(world.logged(why), world.lines()::toString);
  }

  @Test
  void theValueTakesItsPlaceAndTheOrderStays() {
    world.secrets().put("ipmi", "passwd", "Secr3t");
    var parameters = new LinkedHashMap<String, String>();
    parameters.put("z", "1");
    parameters.put("passwd", "lrm://");
    parameters.put("a", "lrm://x"); // not exactly that: a value like others

    fill("ipmi", parameters);
    world.settle();

    assertTrue(told.getFirst().isWhole());
    assertEquals("{z=1, passwd=Secr3t, a=lrm://x}", told.getFirst().parameters().toString());
    assertEquals("{z=1, passwd=lrm://, a=lrm://x}", parameters.toString());
    assertFalse(told.toString().contains("Secr3t"));
  }

  @Test
  void whiteSpaceAtTheEndDoesNotCountAndTheDigestMayBeInCapitals() {
    world.secrets().file("ipmi", "passwd", bytes(" a b \t\u000b\f\r\n\n"));
    var sign = SecretValue.of(" a b");
    assertNotNull(sign);
    world.secrets().file("ipmi", "passwd.sign", bytes(sign.digest().toUpperCase() + "  \n"));

    fill("ipmi", PASSWORD);
    world.settle();

    assertEquals(" a b", told.getFirst().parameters().get("passwd"));
  }

  @Test
  void theDigestIsTheOneThatPacemakerWrites() {
    var value = SecretValue.of("SecreT_PASS");
    assertNotNull(value);
    assertEquals("e4644b06374cc739e324e36848a3964e", value.digest());
    assertEquals("d41d8cd98f00b204e9800998ecf8427e", nothing().digest());
    assertEquals("\n", new String(nothing().content(), StandardCharsets.UTF_8));
  }

  private static SecretValue nothing() {
    var value = SecretValue.of(" \n");
    assertNotNull(value);
    return value;
  }

  @Test
  void aMissingValueIsToldAndNotWaitedFor() {
    fill("ipmi", PASSWORD);
    world.settle();

    isRefused("The secret parameters of ipmi cannot be had: parameter passwd: there is no value");
  }

  @Test
  void aValueThatDoesNotFitItsDigestIsRefusedWithoutBeingShown() {
    world.secrets().put("ipmi", "passwd", "Secr3t");
    world.secrets().file("ipmi", "passwd", bytes("Other\n"));

    fill("ipmi", PASSWORD);
    world.pass(Duration.ofSeconds(1));

    isRefused("value and digest do not fit together");
    assertFalse(world.logged("Other"));
  }

  @Test
  void aValueThatIsJustBeingReplacedIsReadAgain() {
    world.secrets().put("ipmi", "passwd", "old");
    world.secrets().file("ipmi", "passwd", bytes("new\n"));
    fill("ipmi", PASSWORD);
    world.pass(Duration.ofMillis(100));
    world.secrets().put("ipmi", "passwd", "new");

    world.pass(Duration.ofMillis(200));

    assertEquals("new", told.getFirst().parameters().get("passwd"));
    assertEquals(List.of(), world.lines());
  }

  @Test
  void emptyFilesAndBytesThatAreNoTextAreRefused() {
    for (var content : List.of(new byte[0], new byte[] {(byte) 0xff}, new byte[] {'a', 0, 'b'})) {
      world.secrets().file("ipmi", "passwd", content);
      world.secrets().file("ipmi", "passwd.sign", bytes(md5(content)));
      told.clear();
      fill("ipmi", PASSWORD);
      world.pass(Duration.ofSeconds(1));
      assertFalse(told.getFirst().isWhole());
    }
    assertTrue(world.logged("is empty"));
    assertTrue(world.logged("is not UTF-8"));
    assertTrue(world.logged("has a zero byte"));
  }

  private static String md5(byte[] content) {
    try {
      return java.util.HexFormat.of()
          .formatHex(java.security.MessageDigest.getInstance("MD5").digest(content));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", "../x", "a/b", "/etc/shadow", ".new.x", "a\nb", "a\0", "x.sign"})
  void aHostileParameterIsNeverReadAndItsNameCannotForgeALine(String name) {
    fill("ipmi", Map.of(name, "lrm://"));
    world.settle();

    assertFalse(told.getFirst().isWhole());
    assertEquals(0, world.secrets().reads());
    assertTrue(world.lines().stream().noneMatch(line -> line.contains("\n")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", "../lrm", "a/b", "/", ".hidden"})
  void aHostileResourceIsNeverRead(String resource) {
    fill(resource, PASSWORD);
    world.settle();

    isRefused("cannot have secrets");
    assertEquals(0, world.secrets().reads());
  }

  @Test
  void namesThatAreTooLongOrTooManyAreRefused() {
    assertNotNull(SecretNames.mistake("r", "ü".repeat(101)));
    assertNull(SecretNames.mistake("r", "ü".repeat(100)));
    var many = new LinkedHashMap<String, String>();
    for (var at = 0; at <= Secrets.PARAMETERS_MAX; at++) {
      many.put("p" + at, "lrm://");
    }
    fill("ipmi", many);
    world.settle();
    assertFalse(told.getFirst().isWhole());
    assertEquals(0, world.secrets().reads());
  }

  @Test
  void aDiskThatDoesNotAnswerIsGivenUpInTime() {
    world.secrets().put("ipmi", "passwd", "Secr3t");
    world.secrets().waits(true);
    fill("ipmi", PASSWORD);
    world.pass(LIMIT);

    isRefused("could not be read within 5000 ms");
    world.secrets().waits(false);
    world.settle();
    assertEquals(1, told.size());
  }

  @Test
  void whatTheFilesThemselvesHaveAgainstThemIsToldAlone() {
    world.secrets().problems("/x/passwd belongs to mallory, not to root");
    fill("ipmi", PASSWORD);
    world.settle();

    isRefused("/x/passwd belongs to mallory, not to root");
    assertEquals(1, world.lines().size());
  }

  @Test
  void instancesOfACloneShareTheSecretsOfTheirResource() {
    world.secrets().put("web", "passwd", "shared");
    fill("web:3", PASSWORD);
    world.settle();
    assertEquals("shared", told.getFirst().parameters().get("passwd"));

    world.secrets().put("web:3", "passwd", "own");
    told.clear();
    fill("web:3", PASSWORD);
    world.settle();
    assertEquals("own", told.getFirst().parameters().get("passwd"));
  }

  @Test
  void valuesThatNoFileCanHoldAreNamedByTheirLength() {
    assertNull(SecretValue.of("x".repeat(70_000)));
    assertEquals(
        "a value of 70000 bytes is too long, the limit is 65535",
        SecretValue.mistake("x".repeat(70_000)));
    assertNotNull(SecretValue.mistake("a\0b"));
  }

  @Test
  void whatHasNoNameHasNoSecretsToBeRead() {
    var filled =
        Secrets.fillNow(
            "",
            java.util.Map.of("mode", "pass"),
            (holder, names) -> {
              throw new AssertionError("read for " + holder);
            },
            line -> {
              throw new AssertionError(line);
            });
    assertTrue(filled.isWhole());
    assertEquals(java.util.Map.of("mode", "pass"), filled.parameters());
  }
}
