package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Levels;
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;

/// The changes of this node's clients that are not answered yet. They go to the primary; a new
/// primary gets all of them again, in order, and knows those it has already.
///
/// A change may have crashed the primary that had it, however unlikely that is. So the changes that
/// a lost primary had go to the next primary one by one. A change with which that primary is lost,
/// too, is not tried a third time. If the primary goes on for a while, the change was not the
/// cause. Meanwhile only later requests of the same clients wait.
final class Requests {
  private static final int OUTSTANDING_MAX = 5_000;
  private static final int OF_GUESTS_MAX = 2_500;
  private static final int OF_ONE_GUEST_MAX = 500;
  private static final int BYTES_MAX = 40 << 20; // fits a message between nodes, and holds a CIB
  private static final int ROOM = 64; // for an operation besides its texts
  private static final int NAME_MAX = 1 << 10; // names are written into the CIB, too
  private static final Duration TRIAL = Duration.ofSeconds(5);
  private static final long TIMEOUT_MAX_MILLIS = 600_000;

  private static final class Outstanding {
    final RpcServer.Session<CibMessage.Event> client;
    final RpcServer.Call<CibMessage.Reply> call;
    final String id;
    final CibMessage.Update update;
    final @Nullable List<String> groups;
    final World.Timer timer;
    long sentInTerm;
    boolean suspect; // the primary that had it is gone, and no other has proven it innocent
    boolean lostOne; // a primary was lost while it had it

    Outstanding(
        RpcServer.Session<CibMessage.Event> client,
        RpcServer.Call<CibMessage.Reply> call,
        String id,
        CibMessage.Update update,
        @Nullable List<String> groups,
        World.Timer timer) {
      this.client = client;
      this.call = call;
      this.id = id;
      this.update = update;
      this.groups = groups;
      this.timer = timer;
    }
  }

  private record Early(Outstanding request, CibPeerMessage.Outcome done) {}

  private final World world;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private final Follower follower;
  private final Map<String, Outstanding> outstanding = new LinkedHashMap<>();
  private final List<Early> early = new ArrayList<>();
  private final String incarnation;
  private long lastNumber;

  Requests(Node node, Follower follower) {
    this.world = node.world();
    this.copy = node.copy();
    this.durable = node.durable();
    this.outbox = node.outbox();
    this.follower = follower;
    this.incarnation = Long.toHexString(world.random().nextLong());
  }

  /// @param groups of the user in `update`; null for an unrestricted user
  void submit(
      RpcServer.Session<CibMessage.Event> client,
      RpcServer.Call<CibMessage.Reply> call,
      CibMessage.Update update,
      @Nullable List<String> groups) {
    if (outstanding.size() >= OUTSTANDING_MAX || groups != null && tooManyOfGuests(update.user())) {
      reply(call, Rc.EBUSY, "too many changes are waiting; try again later");
      return;
    }
    if (RolesWork.concerns(update) && !outbox.speaks(Levels.ROLES)) {
      reply(call, Rc.EOPNOTSUPP, "a member of the cluster does not know roles yet: upgrade it first");
      return;
    }
    var problem = tooLongAName(update);
    if (problem != null) {
      reply(call, Rc.E2BIG, problem);
      return;
    }
    var bytes = size(update, groups);
    if (bytes > BYTES_MAX) {
      reply(
          call,
          Rc.E2BIG,
          String.format(
              Locale.ROOT, "a request has at most %,d bytes, this one has %,d", BYTES_MAX, bytes));
      return;
    }
    var id = incarnation + "." + ++lastNumber;
    var timeout = Duration.ofMillis(Math.clamp(update.timeoutMillis(), 1, TIMEOUT_MAX_MILLIS));
    var timer = world.after(timeout, () -> timedOut(id));
    var request = new Outstanding(client, call, id, update, groups, timer);
    var first = outstanding.values().stream().noneMatch(it -> it.client == client && !hasPrimary(it));
    outstanding.put(id, request);
    if (first) {
      send(request);
    }
  }

  /// Those about the configuration that are not answered. A copy that was read from disk has no status, whatever its line is.
  Collection<String> outstanding() {
    return outstanding.values().stream()
        .filter(it -> !CibOp.areOfStatus(it.update.operations()))
        .map(it -> it.id)
        .toList();
  }

  /// Whether the primary that is known by now was sent a request. One that was made before goes to it only once this node's
  /// copy is in step, or is a suspect; what its client asks for later must not overtake it.
  private boolean hasPrimary(Outstanding request) {
    return !request.suspect && request.sentInTerm == follower.term();
  }

  /// Whether guests have too many requests waiting: there must be room for the cluster's own.
  private boolean tooManyOfGuests(String user) {
    var all = 0;
    var its = 0;
    for (var it : outstanding.values()) {
      if (it.groups != null) {
        all++;
        its += it.update.user().equals(user) ? 1 : 0;
      }
    }
    return all >= OF_GUESTS_MAX || its >= OF_ONE_GUEST_MAX;
  }

  private static @Nullable String tooLongAName(CibMessage.Update update) {
    var why = tooLong("the name of the program", update.client());
    why = why == null ? tooLong("the name of the user", update.user()) : why;
    for (var operation : update.operations()) {
      why = why == null ? tooLong("the name of the schema", operation.schema()) : why;
    }
    return why;
  }

  private static @Nullable String tooLong(String what, String name) {
    return name.length() <= NAME_MAX
        ? null
        : String.format(
            Locale.ROOT,
            "%s has %,d characters, at most %,d are taken",
            what,
            name.length(),
            NAME_MAX);
  }

  /// The size of what goes to the primary, in bytes.
  private static long size(CibMessage.Update update, @Nullable List<String> groups) {
    var size = (long) ROOM + length(update.client()) + length(update.user());
    for (var group : groups == null ? List.<String>of() : groups) {
      size += ROOM + length(group);
    }
    for (var it : update.operations()) {
      size += ROOM + length(it.section()) + length(it.xml()) + length(it.schema());
    }
    return size;
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
  }

  /// Sends the requests that the primary does not have yet: the first of the suspects, and those of
  /// clients without a suspect before them.
  private void sendAll() {
    var waiting = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());
    var onTrial = false;
    for (var it : List.copyOf(outstanding.values())) {
      if (it.suspect) {
        waiting.add(it.client);
        if (!onTrial) {
          onTrial = true;
          tryAgain(it);
        }
      } else if (!waiting.contains(it.client)) {
        send(it);
      }
    }
  }

  private void tryAgain(Outstanding suspect) {
    var term = follower.term();
    if (follower.primaryId() == null || suspect.sentInTerm == term) {
      return;
    }
    send(suspect);
    world.after(
        TRIAL,
        () -> {
          if (suspect.suspect && suspect.sentInTerm == term && follower.term() == term) {
            suspect.suspect = false;
            sendAll();
          }
        });
  }

  private void send(Outstanding request) {
    var primaryId = follower.primaryId();
    if (primaryId != null && request.sentInTerm != follower.term()) {
      request.sentInTerm = follower.term();
      outbox.send(
          primaryId,
          new CibPeerMessage.Forward(follower.term(), request.id, request.update, request.groups));
    }
  }

  /// The primary is gone without having said that it gives up its office.
  ///
  /// @param term in which it was the primary
  void primaryLost(long term) {
    for (var request : List.copyOf(outstanding.values())) {
      if (request.sentInTerm != term) {
        continue;
      }
      if (request.lostOne) {
        take(request);
        world
            .log()
            .error(
                "Two primaries in a row are gone while they had a change that " + named(request));
        reply(
            request.call,
            Rc.UNDETERMINED,
            "two primaries are gone while they had the change; it is not tried again, but may have"
                + " been made");
      }
      request.suspect = true;
      request.lostOne = true;
    }
  }

  private static String named(Outstanding request) {
    return "%s asked for (%s)".formatted(request.update.user(), request.update.client());
  }

  /// Removes a request, and sends what waited for its end.
  private void take(Outstanding request) {
    request.timer.cancel();
    outstanding.remove(request.id);
    early.removeIf(it -> it.request() == request);
    if (request.suspect) {
      sendAll();
    }
  }

  private void timedOut(String id) {
    var request = outstanding.get(id);
    if (request != null) {
      take(request);
      if (follower.primaryId() == null) {
        reply(request.call, Rc.NO_DC, "no DC was there to take the change");
      } else {
        reply(
            request.call,
            Rc.ETIME,
            durable.isFailing()
                ? "the change is not on disk, which takes no more (see the log); it is made once it"
                    + " does"
                : "the change was not confirmed in time; it may still be made");
      }
    }
  }

  /// There is a new primary, or the old one again.
  void primaryKnown() {
    early.removeIf(it -> isOutOfOffice(it.done()));
    sendAll();
    advanced();
  }

  /// Whether an answer is that of an earlier primary than the one this node knows. That one is asked again, and its answer
  /// counts: what a primary that was cut off made alone, and said so, need not be in the copy that goes on.
  private boolean isOutOfOffice(CibPeerMessage.Outcome done) {
    return done.term() < follower.term();
  }

  void outcome(CibPeerMessage.Outcome done) {
    var request = outstanding.get(done.id());
    if (request == null || isOutOfOffice(done)) {
      return;
    }
    if (done.rc().isOk() && !follower.has(done.term(), done.sequence())) {
      early.add(new Early(request, done)); // the client's next query must see its change
    } else {
      finish(request, done);
    }
  }

  /// This node's copy has moved on.
  void advanced() {
    if (early.isEmpty()) {
      return;
    }
    for (var it : List.copyOf(early)) {
      if (follower.has(it.done().term(), it.done().sequence())) {
        early.remove(it);
        finish(it.request(), it.done());
      }
    }
  }

  private void finish(Outstanding request, CibPeerMessage.Outcome done) {
    if (outstanding.containsKey(done.id())) {
      take(request);
      request.call.reply(new CibMessage.Answer(done.rc(), done.why(), done.xml(), done.version()));
    }
  }

  private void reply(RpcServer.Call<CibMessage.Reply> call, Rc rc, String why) {
    var version = CibVersion.of(copy.cib());
    call.reply(new CibMessage.Answer(rc, why, null, version));
  }

  /// A client has gone; the requests it made are carried out all the same.
  void forget(RpcServer.Session<CibMessage.Event> session) {
    for (var request : List.copyOf(outstanding.values())) {
      if (request.client == session) {
        take(request);
      }
    }
  }
}
