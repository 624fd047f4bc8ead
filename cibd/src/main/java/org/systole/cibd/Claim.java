package org.systole.cibd;

/// How good a primary's claim is: the DC of the latest election has the best.
record Claim(boolean established, long epoch, long term) implements Comparable<Claim> {
  static final Claim NONE = new Claim(false, -1, 0);

  @Override
  public int compareTo(Claim other) {
    var order = Long.compare(epoch, other.epoch);
    order = order != 0 ? order : Boolean.compare(established, other.established);
    return order != 0 ? order : Long.compare(term, other.term);
  }
}
