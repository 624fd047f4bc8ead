package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.List;

/// A node as one resource sees it: the node and the resource's score for it.
public final class ScoredNode {
  private final Node node;
  private int score;

  private int count;

  private ProbeMode probeMode = ProbeMode.ALWAYS;

  public ScoredNode(Node node, int score) {
    this.node = node;
    this.score = score;
  }

  /// An entry with what the node itself has as score and probe mode.
  public static ScoredNode of(Node node) {
    var entry = new ScoredNode(node, node.score());
    entry.probeMode = node.probeMode();
    return entry;
  }

  public ScoredNode copy() {
    var copy = new ScoredNode(node, score);
    copy.count = count;
    copy.probeMode = probeMode;
    return copy;
  }

  /// Fresh entries for all nodes, each with the node's own score.
  public static List<ScoredNode> all(List<Node> nodes) {
    var all = new ArrayList<ScoredNode>(nodes.size());
    for (var node : nodes) {
      all.add(of(node));
    }
    return all;
  }

  @Override
  public String toString() {
    return node.name() + "=" + score;
  }

  public Node node() {
    return node;
  }

  public int score() {
    return score;
  }

  @WrittenBy({"unpack", "constraints", "assignment", "orderings"})
  public void setScore(int score) {
    this.score = score;
  }

  /// Scratch counter of the assignment passes.
  public int count() {
    return count;
  }

  @WrittenBy("assignment")
  public void setCount(int count) {
    this.count = count;
  }

  public ProbeMode probeMode() {
    return probeMode;
  }

  @WrittenBy({"unpack", "constraints"})
  public void setProbeMode(ProbeMode probeMode) {
    this.probeMode = probeMode;
  }
}
