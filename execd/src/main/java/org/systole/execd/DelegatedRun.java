package org.systole.execd;

import org.jspecify.annotations.Nullable;

/// A run that others carry out, one after the other: what is left behind is the last one's.
abstract class DelegatedRun implements Runner.Run {
  /// The one under way, or the last; null before the first.
  Runner.@Nullable Run run;

  @Override
  public long leftBehind() {
    return run == null ? 0 : run.leftBehind();
  }

  @Override
  public Runner.Watch watch(Runnable ends) {
    return run == null ? () -> {} : run.watch(ends);
  }

  @Override
  public void whenGone(Runnable what) {
    if (run == null) {
      what.run();
    } else {
      run.whenGone(what);
    }
  }
}
