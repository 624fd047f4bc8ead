package org.systole.hostha.config;

import java.util.EnumMap;
import java.util.Map;

/// The settings in force in one place, complete. Immutable.
public final class Values {
  private static final int PER_MILLE = 1000;

  private final Map<Setting, Long> numbers = new EnumMap<>(Setting.class);
  private final Map<Setting, String> texts = new EnumMap<>(Setting.class);

  /// @param set what is set, by texts that were found good
  Values(Map<Setting, String> set) {
    for (var setting : Setting.values()) {
      var text = set.getOrDefault(setting, setting.defaultValue());
      var number = setting.read(text);
      if (number == null) {
        throw new IllegalArgumentException(setting.text() + " cannot be '" + text + "'");
      }
      numbers.put(setting, number);
      texts.put(setting, text);
    }
  }

  /// A time in milliseconds.
  public long ms(Setting setting) {
    return number(setting);
  }

  public int count(Setting setting) {
    return (int) number(setting);
  }

  public boolean is(Setting setting) {
    return number(setting) != 0;
  }

  public String text(Setting setting) {
    return texts.getOrDefault(setting, "");
  }

  /// Whether a part of a whole is more than a share of it.
  public boolean isMore(long part, long whole, Setting share) {
    return part * PER_MILLE > whole * number(share);
  }

  /// How many of a whole a share is, cut off.
  public long of(long whole, Setting share) {
    return whole * number(share) / PER_MILLE;
  }

  /// The wait before the n-th try, counted from one: the first one doubled each time, up to a limit.
  public long delay(int tries, long limit) {
    var wait = number(Setting.RETRY_FIRST);
    for (var at = 1; at < tries && wait < limit; at++) {
      wait *= 2;
    }
    return Math.min(wait, limit);
  }

  private long number(Setting setting) {
    return numbers.getOrDefault(setting, 0L);
  }
}
