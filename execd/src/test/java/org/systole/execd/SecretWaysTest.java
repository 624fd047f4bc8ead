package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A secret is known again however a program writes it.
final class SecretWaysTest {
  private static String masked(String secret, String text) {
    return new JigSecrets(Map.of("p", secret)).masked(text);
  }

  @Test
  void aSecretIsKnownInTheWaysOfPrograms() {
    var secret = "s3cr3t/pass word&'x\\\u00e4<";
    for (var written :
        List.of(
            "s3cr3t/pass word&'x\\\u00e4<",
            "s3cr3t\\/pass word&'x\\\\\u00e4<",
            "s3cr3t/pass word&'x\\\\\\u00e4<",
            "s3cr3t/pass word&'x\\\\\\u00E4<",
            "s3cr3t\\/pass word\\u0026\\u0027x\\\\\\u00e4\\u003c",
            "s3cr3t/pass word&'\\''x\\\u00e4<",
            "s3cr3t/pass word&'\"'\"'x\\\u00e4<",
            "s3cr3t/pass word&''x\\\u00e4<",
            "s3cr3t/pass word&\\'x\\\\\u00e4<",
            "s3cr3t/pass\\ word\\&\\'x\\\\\u00e4\\<",
            "s3cr3t/pass word&amp;'x\\\u00e4&lt;",
            "s3cr3t/pass word&amp;&apos;x\\\u00e4&lt;",
            "s3cr3t/pass word&amp;&#x27;x\\\u00e4&lt;",
            "s3cr3t%2Fpass%20word%26%27x%5C%C3%A4%3C",
            "s3cr3t%2fpass+word%26%27x%5c%c3%a4%3c",
            "s3cr3t/pass%20word%26%27x%5C%C3%A4%3C")) {
      assertEquals("a lrm:// b", masked(secret, "a " + written + " b"), written);
    }
  }

  /// Each way may have another as a part of it: nothing is left at the ends.
  @Test
  void nothingOfALongerWayIsLeft() {
    var written = masked("100%", "100%25 100%");
    assertFalse(written.contains("25") || written.contains("100"), written);
  }
}
