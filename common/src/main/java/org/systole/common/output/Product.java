package org.systole.common.output;

/// What the programs say about themselves.
public final class Product {
  /// The version of Pacemaker whose interface the programs keep to; scripts read it.
  public static final String COMPATIBLE_VERSION = "3.0.2";

  /// What a DC says of itself in the CIB, as `dc-version`.
  public static final String DC_VERSION = COMPATIBLE_VERSION + "-systole";

  /// The version of the XML results of commands.
  public static final String API_VERSION = "2.42";

  /// The feature set the cluster speaks.
  public static final String FEATURE_SET = "3.20.5";

  /// The node attribute in which each node says what its build has.
  public static final String FEATURE_SET_ATTRIBUTE = "#feature-set";

  private Product() {}
}
