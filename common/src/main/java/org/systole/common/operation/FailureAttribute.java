package org.systole.common.operation;

/// The names of the node attributes that count the failures of a resource's operations there, and say when the last one was. Which they
/// are is Pacemaker's interface.
public final class FailureAttribute {
  /// How often an operation has failed.
  public static final String COUNT = "fail-count";

  /// When it did so last, in seconds since 1970.
  public static final String LAST = "last-failure";

  private FailureAttribute() {}

  /// The name of the attribute that counts.
  public static String count(OperationKey operation) {
    return name(COUNT, operation);
  }

  /// The name of the attribute that says when.
  public static String last(OperationKey operation) {
    return name(LAST, operation);
  }

  private static String name(String kind, OperationKey operation) {
    return "%s-%s#%s_%d".formatted(kind, operation.resource(), operation.operation(), operation.intervalMillis());
  }

  /// Whether an attribute of that name is either.
  public static boolean isOne(String name) {
    return name.startsWith(COUNT + "-") || name.startsWith(LAST + "-");
  }
}
