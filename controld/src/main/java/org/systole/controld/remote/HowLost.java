package org.systole.controld.remote;

/// How a connection was lost.
enum HowLost {
  /// The other end has closed it, or its machine for it.
  CLOSED,
  /// This member has left it, as another one had connected, which does not have it any more. The executor has not ended.
  LEFT,
  /// The node did not answer, or told what it must not, or another member has it.
  BROKEN
}
