package org.systole.scheduler.model;

/// Ids of clone instances: the configured id, a colon and a number.
public final class InstanceIds {
  private InstanceIds() {}

  /// The id without its instance number; the id itself if it has none.
  public static String base(String id) {
    var at = id.length();
    while (at > 1 && id.charAt(at - 1) >= '0' && id.charAt(at - 1) <= '9') {
      at--;
    }
    if (at <= 1 || id.charAt(at - 1) != ':') {
      return id;
    }
    return at == id.length() ? id : id.substring(0, at - 1);
  }

  /// The id of the first instance.
  public static String first(String id) {
    return base(id) + ":0";
  }
}
