package org.systole.roles.model;

import java.util.Locale;

/// What names of nodes look like in DNS.
public final class Fqdn {
  private static final int NAME_MAX = 253;
  private static final int LABEL_MAX = 63;

  private Fqdn() {}

  /// Why a text is no fully qualified name of a node in a domain; empty if it is one. Without a
  /// domain the names are those that the cluster gives its nodes, whatever they look like.
  public static String fault(String text, String domain) {
    if (domain.isEmpty()) {
      return "";
    }
    var fault = fault(text);
    if (!fault.isEmpty()) {
      return fault;
    }
    return text.toLowerCase(Locale.ROOT).endsWith("." + domain.toLowerCase(Locale.ROOT))
        ? ""
        : "it is not in the domain " + domain;
  }

  /// Why a text is no name in DNS; empty if it is one.
  public static String fault(String text) {
    if (text.isEmpty() || text.length() > NAME_MAX) {
      return "a name in DNS has 1 to " + NAME_MAX + " characters";
    }
    for (var label : text.split("\\.", -1)) {
      if (label.isEmpty() || label.length() > LABEL_MAX) {
        return "each part of a name in DNS has 1 to " + LABEL_MAX + " characters";
      }
      if (!label.chars().allMatch(Fqdn::mayStand)) {
        return "a name in DNS has letters, digits, - and . only";
      }
      if (label.startsWith("-") || label.endsWith("-")) {
        return "no part of a name in DNS begins or ends with -";
      }
    }
    return "";
  }

  private static boolean mayStand(int c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-';
  }
}
