package org.systole.controld.transition;

import java.util.UUID;
import org.systole.common.operation.TransitionKey;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;

/// The names of this node's transitions: a number, and an id of the term as DC.
public final class TransitionNames {
  private final World world;
  private String term;
  private int number;

  TransitionNames(World world) {
    this.world = world;
    this.term = newUuid();
  }

  private String newUuid() {
    var random = world.random();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }

  /// Keys of earlier terms are foreign from now on.
  void newTerm() {
    term = newUuid();
  }

  void begin() {
    number++;
  }

  /// The latest transition; 0 before the first.
  public int number() {
    return number;
  }

  boolean isOfThisTerm(TransitionKey key) {
    return key.engine().equals(term);
  }

  /// The key of an action of the latest transition.
  TransitionKey key(int action, int expectedRc) {
    return new TransitionKey(action, number, expectedRc, term);
  }

  /// The transition that begins next.
  public String next() {
    return Affair.transition(number + 1, term);
  }

  /// For lines about the latest transition.
  public Log log() {
    return world.log().about(Affair.ofTransition(number, term));
  }
}
