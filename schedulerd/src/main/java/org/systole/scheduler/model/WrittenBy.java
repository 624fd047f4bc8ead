package org.systole.scheduler.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The packages of the scheduler whose passes may call this writer, change what is in the
/// collection that this accessor returns, or set and clear this flag. All others only read. A test
/// keeps it so.
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.FIELD})
public @interface WrittenBy {
  /// Names below `org.systole.scheduler`.
  String[] value();
}
