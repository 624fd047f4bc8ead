package org.systole.common.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The bus of a test: it answers calls as the test says, and signals when the test says so.
public final class TestBus implements SystemBus {
  private static final class Waiting {
    final Consumer<Reply> done;
    World.@Nullable Timer timer;

    Waiting(Consumer<Reply> done) {
      this.done = done;
    }

    void cancel() {
      if (timer != null) {
        timer.cancel();
      }
    }
  }

  private final TestWorld world;
  private final Function<Call, @Nullable Reply> answers;
  private final List<Call> calls = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private @Nullable Handler handler;
  private @Nullable String broken;
  private boolean mute;
  private Duration takes = Duration.ZERO;
  private int opened;

  /// @param answers what is said to a call; null for no answer
  public TestBus(TestWorld world, Function<Call, @Nullable Reply> answers) {
    this.world = world;
    this.answers = answers;
  }

  /// What was called for, in order.
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  public void forgetCalls() {
    calls.clear();
  }

  /// How many connections were asked for.
  public int opened() {
    return opened;
  }

  public boolean isOpen() {
    return handler != null;
  }

  /// The connection is lost, and no other can be made before [#back].
  public void lose(String why) {
    broken = why;
    var who = handler;
    if (who != null) {
      forgetConnection();
      who.closed(why);
    }
    world.settle();
  }

  public void back() {
    broken = null;
  }

  /// The bus takes connections and calls from now on, and says nothing.
  public void mute() {
    mute = true;
  }

  /// How long answers take from now on.
  public void takes(Duration time) {
    takes = time;
  }

  public void signal(String sender, String path, String type, String name, Object... values) {
    if (handler != null) {
      handler.signal(new Signal(sender, path, type, name, List.of(values)));
    }
    world.settle();
  }

  private void forgetConnection() {
    handler = null;
    var those = List.copyOf(waiting);
    waiting.clear();
    for (var it : those) {
      it.cancel();
      it.done.accept(new Failed(Failed.DISCONNECTED, "lost"));
    }
  }

  @Override
  public Link open(Handler who) {
    opened++;
    world.post(
        () -> {
          if (broken != null) {
            who.closed(broken);
          } else {
            handler = who;
            who.opened();
          }
        });
    return new Link() {
      @Override
      public void call(Call call, Duration limit, Consumer<Reply> done) {
        take(call, limit, done);
      }

      @Override
      public void close() {
        if (handler == who) {
          handler = null;
          waiting.forEach(it -> it.cancel());
          waiting.clear();
        }
      }
    };
  }

  private void take(Call call, Duration limit, Consumer<Reply> done) {
    calls.add(call);
    var reply = mute ? null : answers.apply(call);
    if (reply == null || takes.compareTo(limit) > 0) {
      answerLater(limit, new Failed(Failed.NO_REPLY, "no answer"), done);
    } else {
      answerLater(takes, reply, done);
    }
  }

  /// Unless the connection ends before.
  private void answerLater(Duration time, Reply reply, Consumer<Reply> done) {
    var me = new Waiting(done);
    waiting.add(me);
    Runnable answer =
        () -> {
          if (waiting.remove(me)) {
            done.accept(reply);
          }
        };
    if (time.isZero()) {
      world.post(answer);
    } else {
      me.timer = world.after(time, answer);
    }
  }
}
