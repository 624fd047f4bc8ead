package org.systole.execd.client.remote;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.xml.Element;

/// What one end of a connection has on its way for commands on the remote node. Operations share the
/// connection with them, and one for which too much waits is cut off; so little is sent ahead of what
/// the other end has taken, and the rest waits here, up to a limit.
///
/// Lives on the owner's loop.
public final class ProxyWindow {
  /// Of bytes that the other end has not taken yet; one longer message goes alone.
  static final int AHEAD_MAX = 1 << 20;

  /// Of bytes that wait, for one session and for all, by the memory they take.
  static final int SESSION_MAX = 48 << 20;

  static final int ALL_MAX = 96 << 20;

  /// Puts a message on its way.
  @FunctionalInterface
  public interface Way {
    void send(String session, Element message, int size);
  }

  private record Waiting(String session, Element message, int size, long weight) {}

  private final Way way;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Map<String, Long> queued = new LinkedHashMap<>();
  private final Map<String, Integer> ahead = new LinkedHashMap<>();
  private long allQueued;
  private long allAhead;

  public ProxyWindow(Way way) {
    this.way = way;
  }

  /// Sends a message of a session when it is its turn.
  ///
  /// @return false if too much waits: the session has to end
  public boolean offer(String session, Element message) {
    var size = message.textLength();
    var weight = Weight.of(message);
    var his = queued.getOrDefault(session, 0L);
    if (his + weight > SESSION_MAX || allQueued + weight > ALL_MAX) {
      return false;
    }
    queued.put(session, his + weight);
    allQueued += weight;
    waiting.add(new Waiting(session, message, size, weight));
    pump();
    return true;
  }

  /// The other end has taken so much of a session.
  public void taken(String session, int size) {
    var his = ahead.get(session);
    if (his != null && size > 0) {
      var less = Math.min(his, size);
      allAhead -= less;
      if (his == less) {
        ahead.remove(session);
      } else {
        ahead.put(session, his - less);
      }
      pump();
    }
  }

  /// A session is over: nothing more is sent for it. What is on its way stays so until it was taken:
  /// sessions that come and go must not fill the connection.
  public void forget(String session) {
    for (Iterator<Waiting> it = waiting.iterator(); it.hasNext(); ) {
      var each = it.next();
      if (each.session().equals(session)) {
        it.remove();
        allQueued -= each.weight();
      }
    }
    queued.remove(session);
    pump();
  }

  /// The other end has ended a session, and takes nothing more of it.
  public void ended(String session) {
    var his = ahead.remove(session);
    if (his != null) {
      allAhead -= his;
    }
    forget(session);
  }

  /// How many bytes it keeps, by the memory they take, those on their way among them.
  public long kept() {
    return allQueued + allAhead;
  }

  private void pump() {
    for (var next = waiting.peek();
        next != null && (allAhead == 0 || allAhead + next.size() <= AHEAD_MAX);
        next = waiting.peek()) {
      waiting.remove();
      allQueued -= next.weight();
      queued.merge(next.session(), -next.weight(), Long::sum);
      allAhead += next.size();
      ahead.merge(next.session(), next.size(), Integer::sum);
      way.send(next.session(), next.message(), next.size());
    }
  }
}
