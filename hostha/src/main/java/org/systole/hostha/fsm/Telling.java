package org.systole.hostha.fsm;

/// What people are told when something has happened.
///
/// @param alert whether somebody should do something, or at least know at once
/// @param text with `<id>` where the host's name goes
public record Telling(boolean alert, String text) {
  static Telling event(String text) {
    return new Telling(false, text);
  }

  static Telling alert(String text) {
    return new Telling(true, text);
  }

  /// The text about a host.
  public String about(String name) {
    return text.replace("<id>", name);
  }
}
