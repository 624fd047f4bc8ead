package org.systole.execd;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// The jig `test`: touches nothing, and answers what its attribute `test` says. `seconds` is how long
/// it takes, `fail` the cause it fails with, `answer` what it gives back (an object, or a text as it
/// is, to see what becomes of nonsense). `checks` is a list of what the checks after a run find, one
/// after the other: a cause, or an empty text if all is well, as it is when the list has ended.
final class TestJig implements Jigs.Jig {
  private final World world;
  private final Map<String, Integer> checks = new HashMap<>(); // since the last run

  TestJig(World world) {
    this.world = world;
  }

  @Override
  public Jigs.Work start(ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
    checks.put(asked.noderole(), 0);
    var entries = test(asked.given()).entries();
    var wanted =
        entries.get("seconds") instanceof Json.Num(var it)
            ? it.multiply(BigDecimal.valueOf(1000)).max(BigDecimal.ZERO)
            : BigDecimal.ZERO;
    var limit = BigDecimal.valueOf(Math.max(1, asked.timeoutMillis()));
    var late = wanted.compareTo(limit) > 0;
    var end =
        late
            ? Jigs.End.failed("it did not end within %d s".formatted(asked.timeoutMillis() / 1000))
            : end(entries.get("fail"), entries.get("answer"));
    return new Pretended(Duration.ofMillis((late ? limit : wanted).longValue()), end, done);
  }

  @Override
  public Jigs.Work check(ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
    var at = checks.merge(asked.noderole(), 1, Integer::sum) - 1;
    var found =
        test(asked.given()).entries().get("checks") instanceof Json.Arr(var all) && at < all.size()
            ? all.get(at)
            : null;
    var fine = !(found instanceof Json.Text(var cause)) || cause.isEmpty();
    return new Pretended(
        Duration.ofMillis(1),
        fine ? new Jigs.End(JigResult.OK, "") : end(found, null),
        done);
  }

  private static Jigs.End end(@Nullable Json fail, @Nullable Json answer) {
    if (fail instanceof Json.Text(var cause)) {
      return Jigs.End.failed(cause);
    }
    var text =
        switch (answer) {
          case null -> "";
          case Json.Text(var as) -> as;
          default -> answer.toString();
        };
    return new Jigs.End(JigResult.OK, text);
  }

  private static Json.Obj test(String given) {
    try {
      return JsonText.readObject(given).entries().get("test") instanceof Json.Obj it
          ? it
          : Json.Obj.EMPTY;
    } catch (JsonFault e) {
      return Json.Obj.EMPTY;
    }
  }

  private final class Pretended implements Jigs.Work {
    private final Consumer<Jigs.End> done;
    private final World.Timer timer;

    Pretended(Duration time, Jigs.End end, Consumer<Jigs.End> done) {
      this.done = done;
      this.timer = world.after(time, () -> done.accept(end));
    }

    @Override
    public void kill() {
      timer.cancel();
      world.post(() -> done.accept(Jigs.End.failed("it was ended")));
    }

    @Override
    public String leftBehind() {
      return "";
    }
  }
}
