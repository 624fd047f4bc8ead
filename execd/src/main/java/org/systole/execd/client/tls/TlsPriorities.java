package org.systole.execd.client.tls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;

/// What `PCMK_tls_priorities` allows, a priority string of GnuTLS as Pacemaker has it: versions of TLS,
/// ciphers, and how messages are authenticated and certificates' keys are exchanged. What is not
/// understood, or would leave nothing, is refused whole.
///
/// Nothing of TLS is loaded by reading one.
///
/// @param versions allowed
/// @param ciphers allowed, the preferred ones first
/// @param macs allowed
/// @param exchanges allowed with certificates; with the shared key it is always DHE-PSK
public record TlsPriorities(
    List<Version> versions, List<Cipher> ciphers, Set<Mac> macs, Set<Exchange> exchanges) {
  /// The environment variable.
  public static final String OPTION = "PCMK_tls_priorities";

  /// A version of TLS.
  enum Version {
    TLS_1_3("VERS-TLS1.3", "TLSv1.3"),
    TLS_1_2("VERS-TLS1.2", "TLSv1.2");

    private final String word;
    private final String java;

    Version(String word, String java) {
      this.word = word;
      this.java = java;
    }

    String java() {
      return java;
    }
  }

  /// A cipher.
  enum Cipher {
    AES_128_GCM("AES-128-GCM", 128),
    AES_256_GCM("AES-256-GCM", 256),
    CHACHA20_POLY1305("CHACHA20-POLY1305", 256),
    AES_128_CBC("AES-128-CBC", 128),
    AES_256_CBC("AES-256-CBC", 256);

    private final String word;
    private final int bits;

    Cipher(String word, int bits) {
      this.word = word;
      this.bits = bits;
    }
  }

  /// How messages are authenticated.
  enum Mac {
    AEAD,
    SHA1,
    SHA256,
    SHA384
  }

  /// How keys are exchanged where there are certificates, in TLS 1.2.
  enum Exchange {
    ECDHE_ECDSA("ECDHE-ECDSA"),
    ECDHE_RSA("ECDHE-RSA"),
    DHE_RSA("DHE-RSA"),
    RSA("RSA");

    private final String word;

    Exchange(String word) {
      this.word = word;
    }
  }

  private static final int STRONG = 256;
  private static final int CONFIGURATION = 78; // the exit status for a configuration that cannot be used

  /// Those that are not here, or that the daemons do without. To forbid them is right anyway.
  private static final Set<String> ABSENT =
      words(
          "VERS-TLS1.1 VERS-TLS1.0 VERS-SSL3.0 VERS-DTLS-ALL VERS-DTLS1.2 VERS-DTLS1.0 VERS-DTLS0.9",
          "ARCFOUR-128 ARCFOUR-40 3DES-CBC DES-CBC RC2-40 NULL AES-192-CBC",
          "AES-128-CCM AES-256-CCM AES-128-CCM-8 AES-256-CCM-8",
          "CAMELLIA-128-CBC CAMELLIA-192-CBC CAMELLIA-256-CBC CAMELLIA-128-GCM CAMELLIA-256-GCM",
          "MD5 SHA512 SHA224 UMAC-96 UMAC-128",
          "DHE-DSS RSA-PSK ECDHE-PSK ANON-ECDH SRP SRP-RSA SRP-DSS COMP-DEFLATE");

  /// What Pacemaker adds by itself wherever it is needed, or what is done anyway.
  private static final Set<String> ANYHOW = words("DHE-PSK PSK ANON-DH COMP-NULL COMP-ALL CTYPE-X509");

  /// Options of the protocol that are kept anyway, or that nothing here depends on.
  private static final Set<String> HARMLESS =
      words(
          "%COMPAT %SERVER_PRECEDENCE %SAFE_RENEGOTIATION %PARTIAL_RENEGOTIATION",
          "%DISABLE_SAFE_RENEGOTIATION %NO_TICKETS %NO_TICKETS_TLS12 %LATEST_RECORD_VERSION %DUMBFW",
          "%DISABLE_WILDCARDS %DISABLE_TLS13_COMPAT_MODE %STATELESS_COMPRESSION %FALLBACK_SCSV");

  private static Set<String> words(String... lines) {
    var all = new LinkedHashSet<String>();
    for (var line : lines) {
      all.addAll(List.of(line.split(" ")));
    }
    return Set.copyOf(all);
  }

  /// What is allowed where nothing is said.
  static TlsPriorities usual() {
    return new TlsPriorities(
        List.of(Version.values()),
        List.of(Cipher.values()),
        Set.of(Mac.values()),
        Set.of(Exchange.values()));
  }

  /// What the environment allows; null if it says nothing, and the daemons choose.
  ///
  /// @throws CannotStart if it is not understood
  public static @Nullable TlsPriorities of(Map<String, String> environment) {
    var text = environment.getOrDefault(OPTION, "").strip();
    if (text.isEmpty()) {
      return null;
    }
    try {
      return parse(text);
    } catch (IllegalArgumentException e) {
      throw new CannotStart("%s=%s: %s".formatted(OPTION, text, e.getMessage()), CONFIGURATION);
    }
  }

  /// As [#of], for a host whose environment also says by what the ends know each other.
  ///
  /// @throws CannotStart also if it leaves no way to connect
  public static void check(Map<String, String> environment, boolean certificates) {
    var wanted = of(environment);
    if (wanted != null && !certificates && !wanted.allowsSharedKey()) {
      throw new CannotStart(
          ("%s=%s: this leaves no way to connect with the shared key, which takes VERS-TLS1.2, one of"
                  + " AES-128-GCM, AES-256-GCM and CHACHA20-POLY1305 with AEAD, or AES-128-CBC with"
                  + " SHA256, or AES-256-CBC with SHA384")
              .formatted(OPTION, environment.get(OPTION)),
          CONFIGURATION);
    }
  }

  /// @throws IllegalArgumentException with what is wrong
  static TlsPriorities parse(String text) {
    var words = text.split("[:,]", -1);
    var made = beginning(words[0]);
    for (var word : Arrays.asList(words).subList(1, words.length)) {
      made = made.with(word);
    }
    if (made.versions.isEmpty() || made.ciphers.isEmpty() || made.macs.isEmpty()) {
      throw new IllegalArgumentException(
          "this leaves no %s to use"
              .formatted(
                  made.versions.isEmpty()
                      ? "version of TLS (+VERS-ALL)"
                      : made.ciphers.isEmpty() ? "cipher (+CIPHER-ALL)" : "MAC (+MAC-ALL)"));
    }
    return made;
  }

  private static TlsPriorities beginning(String word) {
    var all = usual();
    return switch (word.toUpperCase(Locale.ROOT)) {
      case "NONE" -> new TlsPriorities(List.of(), List.of(), Set.of(), Set.of());
      case "NORMAL", "PERFORMANCE", "LEGACY" -> all;
      case "PFS" -> all.without(Exchange.RSA.word);
      case "SECURE128" -> all.only(_ -> true, true).without(Mac.SHA1.name());
      case "SECURE", "SECURE192", "SECURE256" ->
          all.only(it -> it.bits >= STRONG, true).without(Mac.SHA1.name());
      default ->
          throw new IllegalArgumentException(
              word.startsWith("@")
                  ? "%s stands for a policy of the system, which is not read; write it out"
                      .formatted(word)
                  : ("it has to begin with NORMAL, PERFORMANCE, LEGACY, PFS, SECURE128, SECURE192,"
                          + " SECURE256 or NONE, not with '%s'")
                      .formatted(word));
    };
  }

  private TlsPriorities only(Predicate<Cipher> which, boolean strongFirst) {
    var chosen =
        ciphers.stream()
            .filter(which)
            .sorted((a, b) -> strongFirst ? Integer.compare(b.bits, a.bits) : 0)
            .toList();
    return new TlsPriorities(versions, chosen, macs, exchanges);
  }

  private TlsPriorities with(String written) {
    var word = written.toUpperCase(Locale.ROOT);
    if (word.startsWith("%")) {
      if (HARMLESS.contains(word)) {
        return this;
      }
      throw new IllegalArgumentException("the option " + written + " is not there");
    }
    if (word.length() < 2 || "+-!".indexOf(word.charAt(0)) < 0) {
      throw new IllegalArgumentException(
          "'%s' is neither +NAME, -NAME nor %%OPTION".formatted(written));
    }
    var name = word.substring(1);
    return word.charAt(0) == '+' ? added(name) : without(name);
  }

  private TlsPriorities added(String name) {
    if (ABSENT.contains(name)) {
      throw new IllegalArgumentException(name + " is not there, and cannot be allowed");
    }
    return changed(name, true);
  }

  private TlsPriorities without(String name) {
    return ABSENT.contains(name) ? this : changed(name, false);
  }

  private TlsPriorities changed(String name, boolean add) {
    return switch (name) {
      case "VERS-ALL", "VERS-TLS-ALL" -> changed(add, List.of(Version.values()));
      case "CIPHER-ALL" -> changed(add, List.of(Cipher.values()));
      case "MAC-ALL" -> changed(add, List.of(Mac.values()));
      case "KX-ALL" -> changed(add, List.of(Exchange.values()));
      default -> changed(add, meant(name));
    };
  }

  /// @return nothing for what is done anyway
  private static List<Object> meant(String name) {
    var meant =
        Stream.<Object>concat(
                Stream.concat(
                    Arrays.stream(Version.values()).filter(it -> it.word.equals(name)),
                    Arrays.stream(Cipher.values()).filter(it -> it.word.equals(name))),
                Stream.concat(
                    Arrays.stream(Mac.values()).filter(it -> it.name().equals(name)),
                    Arrays.stream(Exchange.values()).filter(it -> it.word.equals(name))))
            .toList();
    if (meant.isEmpty() && !ANYHOW.contains(name)) {
      throw new IllegalArgumentException(
          name.matches("(SIGN|GROUP|CURVE|CTYPE)-.*")
              ? name + " cannot be chosen: signatures, groups and kinds of certificates are chosen"
                  + " by the daemons"
              : name + " is not known");
    }
    return meant;
  }

  private TlsPriorities changed(boolean add, List<?> which) {
    return new TlsPriorities(
        List.copyOf(changed(versions, Version.class, add, which)),
        List.copyOf(changed(ciphers, Cipher.class, add, which)),
        Set.copyOf(changed(macs, Mac.class, add, which)),
        Set.copyOf(changed(exchanges, Exchange.class, add, which)));
  }

  private static <T> Set<T> changed(
      Iterable<T> before, Class<T> kind, boolean add, List<?> which) {
    var all = new LinkedHashSet<T>();
    before.forEach(all::add);
    for (var each : which) {
      if (kind.isInstance(each)) {
        if (add) {
          all.add(kind.cast(each));
        } else {
          all.remove(kind.cast(each));
        }
      }
    }
    return all;
  }

  // What it comes to

  /// How a cipher is authenticated in the suites with a shared key.
  private static Mac macWithKey(Cipher cipher) {
    return switch (cipher) {
      case AES_128_CBC -> Mac.SHA256;
      case AES_256_CBC -> Mac.SHA384;
      case AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305 -> Mac.AEAD;
    };
  }

  /// The ciphers to be used with the shared key, the preferred ones first.
  List<Cipher> withSharedKey() {
    return versions.contains(Version.TLS_1_2)
        ? ciphers.stream().filter(it -> macs.contains(macWithKey(it))).toList()
        : List.of();
  }

  boolean allowsSharedKey() {
    return !withSharedKey().isEmpty();
  }

  /// The versions to be used with certificates, as Java calls them.
  List<String> versionsWithCertificates() {
    return versions.stream().map(Version::java).toList();
  }

  /// Which of Java's cipher suites may be used with certificates, the preferred ones first.
  List<String> suites(List<String> available) {
    var found = new ArrayList<String>();
    for (var cipher : ciphers) {
      available.stream()
          .filter(it -> cipher.equals(cipherOf(it)) && allows(it))
          .forEach(found::add);
    }
    return found;
  }

  private static @Nullable Cipher cipherOf(String suite) {
    return Arrays.stream(Cipher.values())
        .filter(it -> suite.contains("_" + it.name() + "_"))
        .findFirst()
        .orElse(null);
  }

  private boolean allows(String suite) {
    var at = suite.indexOf("_WITH_");
    var hash = suite.substring(suite.lastIndexOf('_') + 1);
    if (at < 0) {
      return versions.contains(Version.TLS_1_3) && macs.contains(Mac.AEAD);
    }
    var isCbc = suite.contains("_CBC_");
    return versions.contains(Version.TLS_1_2)
        && exchanges.stream().anyMatch(it -> suite.startsWith("TLS_" + it.name() + "_WITH_"))
        && macs.stream()
            .anyMatch(it -> isCbc ? name(it).equals(hash) : it == Mac.AEAD);
  }

  private static String name(Mac mac) {
    return mac == Mac.SHA1 ? "SHA" : mac.name();
  }
}
