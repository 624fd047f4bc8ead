package org.systole.common.output;

/// A list that is begun only when there is something to put into it.
public final class Section {
  private final Output out;
  private final boolean spacer;
  private final String title;
  private boolean begun;

  /// @param spacer whether an empty line comes before it
  public Section(Output out, boolean spacer, String title) {
    this.out = out;
    this.spacer = spacer;
    this.title = title;
  }

  /// Begins the list unless it is begun already.
  public void begin() {
    if (!begun) {
      begun = true;
      if (spacer) {
        out.spacer();
      }
      out.begin(title);
    }
  }

  /// Ends the list if it was begun.
  ///
  /// @return whether it was
  public boolean end() {
    if (begun) {
      out.end();
    }
    return begun;
  }
}
