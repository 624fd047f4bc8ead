package org.systole.common.values;

/// Takes what is found wrong in a configuration. One line each, without a line feed.
public interface Diagnostics {
  /// Forgets everything.
  Diagnostics NONE =
      new Diagnostics() {
        @Override
        public void error(String message) {}

        @Override
        public void warning(String message) {}
      };

  void error(String message);

  void warning(String message);

  /// A doubt about what the cluster has at the moment, which a change of the configuration need not mend; a warning where
  /// nobody tells them apart.
  default void doubt(String message) {
    warning(message);
  }
}
