package org.systole.controld.proxy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// Whether a password is a user's own. The system's own program looks, which PAM has for those who may
/// not read the passwords: it tells a process that is not root of its own user only. So a controller
/// that runs as `hacluster` can let in `hacluster`, and nobody else.
///
/// One is looked at after the other, and after a wrong one there is a pause.
final class PasswordCheck {
  private static final List<String> PROGRAMS =
      List.of("/usr/sbin/unix_chkpwd", "/sbin/unix_chkpwd");

  private static final Pattern USER = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_.-]{0,63}");
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final int PASSWORD_MAX = 200; // more is cut off by the program
  private static final int WAITING_MAX = 16;
  private static final int OUTPUT_MAX = 4096;

  private record Question(String user, String password, Consumer<@Nullable String> done) {}

  private final World world;
  private final Deque<Question> waiting = new ArrayDeque<>();
  private boolean busy;

  PasswordCheck(World world) {
    this.world = world;
  }

  /// Looks at a password.
  ///
  /// @param done told why it is refused, null if it is the user's and the account may be used
  void ask(String user, String password, Consumer<@Nullable String> done) {
    if (!USER.matcher(user).matches()
        || password.isEmpty()
        || password.length() > PASSWORD_MAX
        || password.indexOf('\0') >= 0) {
      done.accept("no user has that name, or that password");
    } else if (waiting.size() >= WAITING_MAX) {
      done.accept("too many wait");
    } else {
      waiting.add(new Question(user, password, done));
      next();
    }
  }

  private void next() {
    var question = busy ? null : waiting.poll();
    if (question == null) {
      return;
    }
    busy = true;
    run(question.user(), "nonull", question.password() + '\0', why -> expired(question, why));
  }

  /// A right password of an account that is expired is none.
  private void expired(Question question, @Nullable String why) {
    if (why != null) {
      told(question, why);
    } else {
      run(question.user(), "chkexpiry", "", expiry -> told(question, expiry));
    }
  }

  private void told(Question question, @Nullable String why) {
    question.done().accept(why);
    world.after(
        why == null ? Duration.ZERO : PAUSE,
        () -> {
          busy = false;
          next();
        });
  }

  private void run(String user, String what, String input, Consumer<@Nullable String> done) {
    var programs =
        PROGRAMS.stream()
            .map(
                it ->
                    new Processes.Program(
                        List.of(it, user, what), Map.of(), input, LIMIT, OUTPUT_MAX))
            .toList();
    world.processes().startFirst(programs, exit -> done.accept(problem(exit, what)));
  }

  private static @Nullable String problem(Processes.Exit exit, String what) {
    return switch (exit) {
      case Processes.Exit.Exited it when it.status() == 0 && it.signal() == 0 -> null;
      case Processes.Exit.Exited _ ->
          what.equals("nonull")
              ? "it is not the user's password, or not one that this controller may look at"
              : "the account or its password has expired";
      case Processes.Exit.TimedOut _ -> "the system did not say in time whether the password is right";
      case Processes.Exit.NotStarted(var why) -> "the system cannot say whether the password is right: " + why;
    };
  }
}
