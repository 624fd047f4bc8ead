package org.systole.common.options;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.OptionSpec.Trait;

/// Collects options; what follows [#add] is about the option added last.
final class OptionTable {
  private final List<OptionSpec> all = new ArrayList<>();

  OptionTable add(String name, String type, @Nullable String defaultValue, String brief) {
    all.add(
        new OptionSpec(
            name,
            null,
            type,
            List.of(),
            defaultValue,
            EnumSet.noneOf(Trait.class),
            brief,
            "",
            OptionSpec.Check.TYPE));
    return this;
  }

  OptionTable was(String oldName) {
    var it = all.removeLast();
    all.add(
        new OptionSpec(
            it.name(),
            oldName,
            it.type(),
            it.values(),
            it.defaultValue(),
            it.traits(),
            it.brief(),
            it.detail(),
            it.check()));
    return this;
  }

  OptionTable values(String... values) {
    var it = all.removeLast();
    all.add(
        new OptionSpec(
            it.name(),
            it.oldName(),
            it.type(),
            List.of(values),
            it.defaultValue(),
            it.traits(),
            it.brief(),
            it.detail(),
            it.check()));
    return this;
  }

  OptionTable detail(String text) {
    var it = all.removeLast();
    all.add(
        new OptionSpec(
            it.name(),
            it.oldName(),
            it.type(),
            it.values(),
            it.defaultValue(),
            it.traits(),
            it.brief(),
            text,
            it.check()));
    return this;
  }

  OptionTable is(Trait first, Trait... more) {
    var it = all.removeLast();
    all.add(
        new OptionSpec(
            it.name(),
            it.oldName(),
            it.type(),
            it.values(),
            it.defaultValue(),
            EnumSet.of(first, more),
            it.brief(),
            it.detail(),
            it.check()));
    return this;
  }

  OptionTable check(OptionSpec.Check check) {
    var it = all.removeLast();
    all.add(
        new OptionSpec(
            it.name(),
            it.oldName(),
            it.type(),
            it.values(),
            it.defaultValue(),
            it.traits(),
            it.brief(),
            it.detail(),
            check));
    return this;
  }

  List<OptionSpec> build() {
    return List.copyOf(all);
  }
}
