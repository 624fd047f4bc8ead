package org.systole.common.output;

import org.jspecify.annotations.Nullable;

/// Where a command's result goes, in the format the user asked for. Not for use by several threads.
///
/// What is said in the same way in every format is said with the methods here; where the formats
/// differ, a switch over the implementations tells them apart.
public abstract sealed class Output permits TextOutput, XmlOutput {
  private boolean quiet;

  public final boolean isQuiet() {
    return quiet;
  }

  /// Only what is essential is shown.
  public final void setQuiet(boolean newQuiet) {
    this.quiet = newQuiet;
  }

  /// Begins a list with a title.
  public final void begin(String title) {
    begin(null, null, title);
  }

  /// Begins a list that, in text, ends with a count of its items.
  ///
  /// @param singular what one item is called; null for no count
  /// @param title null for none
  public abstract void begin(
      @Nullable String singular, @Nullable String plural, @Nullable String title);

  public final void item(String text) {
    item(null, text);
  }

  public abstract void item(@Nullable String name, String text);

  /// Counts something shown by other means as an item of the current list.
  public abstract void countItem();

  public abstract void end();

  /// An empty line, where the format has lines.
  public abstract void spacer();

  /// Something said to a person only.
  ///
  /// @return whether it was shown
  public abstract boolean info(String text);

  public abstract void error(String text);

  /// Text that is XML itself.
  ///
  /// @param name the element it is put into where the format has elements
  public abstract void xml(String name, String text);

  /// What a child process wrote.
  public abstract void subprocess(int status, @Nullable String out, @Nullable String err);

  public abstract void version();

  /// Writes what has not been written yet. Nothing may be said afterwards.
  public abstract void finish(int exitStatus);
}
