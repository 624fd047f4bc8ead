package org.systole.common.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// Reads blocks of name-value pairs (`cluster_property_set`, `instance_attributes`,
/// `meta_attributes`, `utilization`): those whose rule passes, highest score first, the first value
/// of a name wins.
public final class NameValues {
  private final Rules rules;

  public NameValues(Rules rules) {
    this.rules = rules;
  }

  /// Adds the pairs of all blocks of that name inside `parent` to `into`; names that are there
  /// already keep their value.
  ///
  /// @param firstId the block that comes first whatever its score, null if none does
  /// @param next told when a rule's result may change; null if that is not wanted
  public void unpack(
      Element parent,
      String blockName,
      @Nullable String firstId,
      RuleContext context,
      Map<String, String> into,
      @Nullable NextChange next) {
    for (var block : ordered(parent, blockName, firstId)) {
      var rule = block.first("rule");
      if (rule == null || rules.evaluate(rule, context, next).passes()) {
        addPairs(block, into);
      }
    }
  }

  public void unpack(
      Element parent, String blockName, RuleContext context, Map<String, String> into) {
    unpack(parent, blockName, null, context, into, null);
  }

  /// The blocks in the order in which they count. Of two with the same score the later one in the
  /// document comes first.
  public List<Element> ordered(Element parent, String blockName, @Nullable String firstId) {
    var blocks = new ArrayList<Element>();
    for (var child : parent.children()) {
      var block = child.is(blockName) ? rules.resolve(child) : null;
      if (block != null) {
        blocks.add(block);
      }
    }
    if (blocks.size() > 1) {
      Collections.reverse(blocks);
      blocks.sort(
          Comparator.comparing((Element block) -> !isFirst(block, firstId))
              .thenComparing(this::score, Comparator.reverseOrder()));
    }
    return blocks;
  }

  private static boolean isFirst(Element block, @Nullable String firstId) {
    return firstId != null && firstId.equals(block.id());
  }

  private int score(Element block) {
    var text = block.get("score");
    var score = text == null ? null : Score.read(text);
    if (text != null && score == null) {
      rules
          .diagnostics()
          .warning(
              "Using 0 as " + block.id() + " score because '" + text + "' is not a valid score");
    }
    return score == null ? 0 : score;
  }

  private void addPairs(Element block, Map<String, String> into) {
    var first = block.childCount() > 0 ? block.child(0) : null;
    var pairs = first != null && first.is("attributes") ? first : block;
    for (var child : pairs.children()) {
      var pair = child.is("nvpair") ? rules.resolve(child) : null;
      var name = pair == null ? null : pair.get("name");
      var value = pair == null ? null : pair.get("value");
      if (name == null || value == null) {
        continue;
      }
      if (value.equalsIgnoreCase("#default")) {
        rules
            .diagnostics()
            .warning(
                "Support for setting meta-attributes (such as "
                    + name
                    + ") to the explicit value '#default' is deprecated and will be removed in a"
                    + " future release");
        into.remove(name);
      } else {
        into.putIfAbsent(name, value);
      }
    }
  }
}
