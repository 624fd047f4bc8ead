package org.systole.cibd.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibPatch;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// A daemon's live copy of the CIB. Lives on the daemon's loop.
///
/// The copy follows the CIB manager of this node; after a lost connection or a change that does not
/// fit it is fetched again by itself, and the listener gets the difference as one change.
public final class CibReplica {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RETRY = Duration.ofSeconds(1);

  public interface Listener {
    /// @param before null for the first copy
    /// @param patch the patchset that leads from one to the other; null for the first copy
    void changed(@Nullable Element before, Element after, @Nullable Element patch);

    /// The CIB manager is gone; the copy stays as it was last.
    default void lost(String why) {}
  }

  private final World world;
  private final Listener listener;
  private final RpcClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> connection;
  private @Nullable Element cib;
  private boolean following;
  private boolean patient;

  public CibReplica(World world, Listener listener) {
    this.world = world;
    this.listener = listener;
    this.connection = new RpcClient<>(world, CibMessage.SOCKET, CibMessage.PROTOCOL, new FromCib());
  }

  public void open() {
    connection.open();
  }

  /// As [#open], for an owner that can wait: changes that follow closely come a little later, and
  /// more of them together.
  public void openPatiently() {
    patient = true;
    connection.open();
  }

  public void close() {
    connection.close();
  }

  /// The copy as it is now, null before the first one.
  public @Nullable Element cib() {
    return cib;
  }

  /// Whether the copy is being kept up to date at present.
  public boolean isFollowing() {
    return following;
  }

  private void subscribe() {
    following = false;
    connection.call(
        new CibMessage.Subscribe(patient),
        TIMEOUT,
        answer -> {
          switch (answer) {
            case RpcClient.Answer.Got<CibMessage.Reply>(CibMessage.Copy copy) -> take(copy);
            case RpcClient.Answer.Got<CibMessage.Reply>(var other) ->
                world.log().error("The CIB manager answered a subscription with " + other);
            case RpcClient.Answer.TimedOut<CibMessage.Reply>() -> retry();
            case RpcClient.Answer.Lost<CibMessage.Reply>(var _) -> {}
          }
        });
  }

  private void retry() {
    world.after(
        RETRY,
        () -> {
          if (connection.isConnected() && !following) {
            subscribe();
          }
        });
  }

  private void take(CibMessage.Copy copy) {
    try {
      var now = XmlReader.parse(copy.xml());
      following = true;
      var before = cib;
      cib = now;
      if (before == null) {
        listener.changed(null, now, null);
      } else {
        var patch = CibPatch.between(before, now);
        if (patch != null) {
          listener.changed(before, now, patch);
        }
      }
    } catch (XmlException e) {
      world.log().error("The CIB manager sent a CIB that is not XML: " + e.getMessage());
      retry();
    }
  }

  private void follow(CibMessage.Changed change) {
    var before = cib;
    if (!following || before == null) {
      return; // a copy that includes it is on its way
    }
    if (before.contentHash() == change.after()) {
      return;
    }
    if (before.contentHash() != change.before()) {
      subscribe();
      return;
    }
    try {
      var patch = change.patch().element();
      var applied = CibPatch.apply(before, patch, false);
      if (!applied.rc().isOk() || applied.cib().contentHash() != change.after()) {
        world.log().warning("A change of the CIB does not fit this copy; fetching the CIB again");
        subscribe();
        return;
      }
      cib = applied.cib();
      listener.changed(before, applied.cib(), patch);
    } catch (XmlException e) {
      world.log().error("The CIB manager sent a change that is not XML: " + e.getMessage());
      subscribe();
    }
  }

  private final class FromCib implements RpcClient.Listener<CibMessage.Event> {
    @Override
    public void connected() {
      subscribe();
    }

    @Override
    public void disconnected(String why) {
      following = false;
      listener.lost(why);
    }

    @Override
    public void event(CibMessage.Event event) {
      switch (event) {
        case CibMessage.Changed change -> follow(change);
        case CibMessage.Copy copy -> take(copy);
        case CibMessage.RolesChanged _ -> {} // asked for elsewhere
      }
    }
  }
}
