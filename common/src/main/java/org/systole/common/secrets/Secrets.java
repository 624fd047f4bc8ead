package org.systole.common.secrets;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SecretStore;
import org.systole.common.world.World;

/// Puts the values that are kept out of the CIB in their place, when an agent is about to be run.
/// Nothing is remembered: what an agent gets is what the files hold then.
///
/// Lives on the daemon's loop.
public final class Secrets {
  /// What stands in the CIB for a value that is not there.
  public static final String STANDS_FOR = "lrm://";

  /// Where the files are, under the directory of what must survive.
  public static final String DIRECTORY = "lrm/secrets";

  /// More secret parameters of one resource are refused.
  static final int PARAMETERS_MAX = 100;

  /// A value and its digest are two files, and may be read while they are being replaced.
  private static final Duration AGAIN = Duration.ofMillis(200);

  private static final int TRIES = 3;

  /// Nothing that reads a few small files takes longer, unless the disk does not answer.
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final Pattern INSTANCE = Pattern.compile(":\\d+$");

  /// @param parameters in the order given, with the values that could be had
  /// @param isWhole whether all could be had
  public record Filled(Map<String, String> parameters, boolean isWhole) {
    /// It does not show what it holds.
    @Override
    public String toString() {
      return "Filled[%s, %s]".formatted(parameters.keySet(), isWhole);
    }
  }

  private final World world;

  public Secrets(World world) {
    this.world = world;
  }

  /// Whether a parameter's value is not in the CIB.
  public static boolean isIn(Map<String, String> parameters) {
    return parameters.containsValue(STANDS_FOR);
  }

  /// The names of the parameters whose values are not in the CIB, sorted.
  public static List<String> namesIn(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .filter(it -> it.getValue().equals(STANDS_FOR))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /// Gets the values of all parameters that are secret. What cannot be had is logged.
  ///
  /// @param limit the longest this may take
  /// @param done told once, never from within this call
  public void fill(
      String holder, Map<String, String> parameters, Duration limit, Consumer<Filled> done) {
    new Filling(holder, Map.copyOf(parameters), new LinkedHashMap<>(parameters), done).begin(limit);
  }

  /// As [#fill], for a program that waits for the disk.
  ///
  /// @param read reads files of a resource
  /// @param complain told what cannot be had, a line each
  public static Filled fillNow(
      String holder,
      Map<String, String> parameters,
      BiFunction<String, List<String>, SecretStore.Contents> read,
      Consumer<String> complain) {
    var names = namesIn(parameters);
    var filled = new LinkedHashMap<>(parameters);
    if (names.isEmpty()) {
      return new Filled(filled, true); // also for what has no name, as a device that is tried
    }
    var wrong = mistake(holder, names);
    var problems =
        wrong == null ? fill(names, read.apply(holder, files(names)), filled) : List.of(wrong);
    problems.forEach(complain);
    return new Filled(filled, problems.isEmpty());
  }

  /// Puts the values in their place that are whole in what was read.
  ///
  /// @return what is wrong with the others, a line each
  static List<String> fill(
      List<String> names, SecretStore.Contents contents, Map<String, String> parameters) {
    var problems = new ArrayList<String>();
    for (var name : names) {
      var read = SecretValue.read(contents.files(), name);
      var value = read.value();
      if (value != null) {
        parameters.put(name, value.text());
      } else {
        problems.add("parameter %s: %s".formatted(name, read.why()));
      }
    }
    // what could not be read is why there is no value
    return problems.isEmpty() || contents.problems().isEmpty() ? problems : contents.problems();
  }

  /// The files of some parameters.
  static List<String> files(List<String> names) {
    return names.stream().flatMap(it -> SecretValue.files(it).stream()).toList();
  }

  /// What is wrong with the names of secrets of one resource, null if nothing.
  static @Nullable String mistake(String holder, List<String> names) {
    if (names.size() > PARAMETERS_MAX) {
      return "%d parameters are too many, the limit is %d".formatted(names.size(), PARAMETERS_MAX);
    }
    for (var name : names) {
      var wrong = SecretNames.mistake(holder, name);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private final class Filling {
    private final String holder;
    private final List<String> names;
    private final Map<String, String> filled;
    private final Consumer<Filled> done;
    private World.@Nullable Timer limit;
    private int tries;
    private boolean ended;

    Filling(
        String holder,
        Map<String, String> asked,
        Map<String, String> filled,
        Consumer<Filled> done) {
      this.holder = holder;
      this.names = namesIn(asked);
      this.filled = filled;
      this.done = done;
    }

    void begin(Duration longest) {
      var wrong = mistake(holder, names);
      if (wrong != null) {
        world.post(() -> fail(List.of(wrong)));
        return;
      }
      var time = longest.compareTo(LIMIT) < 0 ? longest : LIMIT;
      limit =
          world.after(
              time, () -> fail(List.of("their files could not be read within " + time.toMillis() + " ms")));
      read();
    }

    private void read() {
      tries++;
      var files = files(names);
      var whole = INSTANCE.matcher(holder).replaceFirst("");
      world
          .secrets()
          .read(
              holder,
              files,
              contents -> {
                if (contents.files().isEmpty()
                    && contents.problems().isEmpty()
                    && SecretNames.isName(whole)
                    && !whole.equals(holder)) {
                  world.secrets().read(whole, files, this::take); // a clone's instances share them
                } else {
                  take(contents);
                }
              });
    }

    private void take(SecretStore.Contents contents) {
      if (ended) {
        return;
      }
      var problems = fill(names, contents, filled);
      if (problems.isEmpty()) {
        end(true);
      } else if (contents.problems().isEmpty() && !contents.files().isEmpty() && tries < TRIES) {
        world.after(AGAIN, this::again);
      } else {
        fail(problems);
      }
    }

    private void again() {
      if (!ended) {
        read();
      }
    }

    private void fail(List<String> problems) {
      if (ended) {
        return;
      }
      for (var problem : problems) {
        world
            .log()
            .error(
                "The secret parameters of %s cannot be had: %s. Have a look with `cibsecret check`"
                    .formatted(holder, problem));
      }
      end(false);
    }

    private void end(boolean isWhole) {
      ended = true;
      if (limit != null) {
        limit.cancel();
      }
      done.accept(new Filled(filled, isWhole));
    }
  }
}
