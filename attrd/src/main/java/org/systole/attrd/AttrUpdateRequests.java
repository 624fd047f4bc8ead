package org.systole.attrd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcServer;
import org.systole.common.xml.Element;

/// Clients' requests to change attributes, until they are on their way to the cluster.
final class AttrUpdateRequests {
  /// What the attribute manager knows besides its table.
  interface Surroundings {
    /// The node that is meant, null while this one does not know its name.
    @Nullable NodeName named(@Nullable NodeName node);

    boolean isWriter();

    /// Whether all managers are at least of that level.
    boolean speaks(int level);

    @Nullable Element cib();
  }

  private static final String TOO_MANY =
      "too many updates wait to be sent to the cluster; try again later";

  private final Surroundings surroundings;
  private final AttributeTable table;
  private final AttrOutbox outbox;
  private final AttrConfirmations confirmations;
  private final AttrLog log;
  private final AttrLimits limits;

  AttrUpdateRequests(
      Surroundings surroundings,
      AttributeTable table,
      AttrOutbox outbox,
      AttrConfirmations confirmations,
      AttrLog log) {
    this.surroundings = surroundings;
    this.table = table;
    this.outbox = outbox;
    this.confirmations = confirmations;
    this.log = log;
    this.limits = new AttrLimits(table, outbox);
  }

  /// Carries out what a client asks for, which has the right to it.
  void take(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Update update) {
    var unknown = unknownIn(update, client(call));
    if (unknown != null) {
      log.processedInVain(task(update), client(call), unknown.why());
      call.reply(update.until() == AttrMessage.Wait.NO ? taken(true) : unknown);
      return;
    }
    var wrong = mistakeIn(update);
    if (wrong != null) {
      call.reply(wrong);
      return;
    }
    if (update.change() != AttrMessage.Change.VALUE && update.delayMillis() < 0) {
      broadcasting(update);
      log.processed(task(update), client(call));
      (update.pattern().isEmpty() ? List.of(update.name()) : table.matching(update.pattern()))
          .forEach(it -> log.noDelay(it, update));
      call.reply(taken(true));
      return;
    }
    if (update.delayText() != null
        && update.delayMillis() < 0
        && !update.name().isEmpty()
        && table.get(update.name()) == null) {
      log.delayIgnored(update.name(), update.delayText());
    }
    if (!update.pattern().isEmpty() && AttrRights.areLimited(call.peer(), surroundings.cib())) {
      updateEach(call, update);
      return;
    }
    put(call, update);
  }

  /// Updates, by their names, the attributes that the pattern finds now. The user's rights were
  /// checked for these only, not for others that the pattern would find elsewhere or later.
  private void updateEach(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Update update) {
    var names = table.matching(update.pattern());
    if (names.isEmpty()) {
      call.reply(taken(true));
      return;
    }
    for (var name : names.subList(0, names.size() - 1)) {
      var one = Updates.named(update, name, AttrMessage.Wait.NO);
      if (!outbox.put(new AttrPeerMessage.Apply(0, one, false))) {
        call.reply(taken(false));
        return;
      }
    }
    put(call, Updates.named(update, names.getLast(), update.until()));
  }

  private void put(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Update update) {
    broadcasting(update);
    var told = Updates.told(update);
    if (update.until() == AttrMessage.Wait.NO) {
      call.reply(taken(outbox.put(new AttrPeerMessage.Apply(0, told, false))));
      log.processed(task(update), client(call));
      return;
    }
    var request = confirmations.register(call, update.until());
    var confirm = update.until() == AttrMessage.Wait.CLUSTER;
    if (!outbox.put(new AttrPeerMessage.Apply(request, told, confirm))) {
      confirmations.fail(request, TOO_MANY);
    }
    log.processed(task(update), client(call));
  }

  private void broadcasting(AttrMessage.Update update) {
    var host = surroundings.named(update.node());
    log.broadcasting(
        update,
        host,
        () ->
            host == null
                ? update.value()
                : table.expanded(update.name(), host, update.value(), surroundings::speaks),
        surroundings.isWriter());
  }

  /// What an update asks for that is not there. Who does not wait is told that the request has
  /// come, as by Pacemaker's; the log says what became of it.
  private AttrMessage.@Nullable Done unknownIn(AttrMessage.Update update, String client) {
    if (update.name().isEmpty()
        && !update.pattern().isEmpty()
        && ExtendedRegex.compile(update.pattern()) == null) {
      broadcasting(update);
      return refused("Bad regex '%s' for update from %s".formatted(update.pattern(), client));
    }
    return update.change() == AttrMessage.Change.DELAY
            && !update.name().isEmpty()
            && update.pattern().isEmpty()
            && table.get(update.name()) == null
        ? new AttrMessage.Done(
            AttrMessage.Outcome.MISSING, "Attribute " + update.name() + " does not exist")
        : null;
  }

  private AttrMessage.@Nullable Done mistakeIn(AttrMessage.Update update) {
    if (update.name().isEmpty() == update.pattern().isEmpty()) {
      return refused("an update needs either a name or a pattern");
    }
    if (!isNullOrId(update.once())) {
      return refused("what tells an update from others is at most %d letters, digits and dashes"
          .formatted(AttrMessage.Update.ONCE_MAX));
    }
    var problem = limits.problem(update, surroundings.named(update.node()));
    return problem == null ? null : refused(problem);
  }

  private static boolean isNullOrId(@Nullable String once) {
    return once == null
        || once.length() <= AttrMessage.Update.ONCE_MAX && once.matches("[A-Za-z0-9-]+");
  }

  /// How Pacemaker's calls a request.
  static String task(AttrMessage.Update update) {
    return switch (update.change()) {
      case VALUE -> "update";
      case VALUE_AND_DELAY -> "update-both";
      case DELAY -> "update-delay";
    };
  }

  static String client(RpcServer.Call<AttrMessage.Reply> call) {
    return "client " + call.peer().who();
  }

  static AttrMessage.Done taken(boolean done) {
    return done
        ? new AttrMessage.Done(AttrMessage.Outcome.OK, "")
        : new AttrMessage.Done(AttrMessage.Outcome.FAILED, TOO_MANY);
  }

  static AttrMessage.Done refused(String why) {
    return new AttrMessage.Done(AttrMessage.Outcome.REFUSED, why);
  }
}
