package org.systole.controld.proxy;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.ClusterAccount;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.RemoteXml;

/// One connection of a command of another machine, in the form of Pacemaker's commands: first who it
/// is, then what it wants of the CIB.
final class CibVisitor implements ConnectionHandler, Outlet {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String COMMAND = "cib_command";
  private static final int INTRODUCTION_MAX = 4096;

  private final World world;
  private final Connection connection;
  private final String id;
  private final PasswordCheck passwords;
  private final Consumer<CibVisitor> gone;
  private @Nullable String refusal;
  private @Nullable String user; // once it has said who it is
  private @Nullable StockCib session; // once that is true
  private World.@Nullable Timer patience;
  private boolean isOver;

  /// @param gone told once when it is over
  CibVisitor(
      World world,
      Connection connection,
      String id,
      PasswordCheck passwords,
      Consumer<CibVisitor> gone) {
    this.world = world;
    this.connection = connection;
    this.id = id;
    this.passwords = passwords;
    this.gone = gone;
  }

  /// Has it sent away as soon as it is there.
  void refuse(String why) {
    refusal = why;
  }

  @Override
  public void opened(Connection opened) {
    var why = refusal;
    if (why != null) {
      end(why);
    } else {
      waitFor(PATIENCE, "it does not say who it is");
    }
  }

  private void waitFor(Duration time, String complaint) {
    if (patience != null) {
      patience.cancel();
    }
    patience = world.after(time, () -> end(complaint));
  }

  @Override
  public void received(Connection from, byte[] frame) {
    if (isOver) {
      return;
    }
    if (session == null && frame.length > INTRODUCTION_MAX) {
      end("it does not say who it is");
      return;
    }
    try {
      understood(RemoteXml.parse(frame));
    } catch (XmlException e) {
      end("it sends what is no XML"); // which may have a password in it
    }
  }

  private void understood(Element message) {
    var asks = session;
    if (!message.is(COMMAND)) {
      end("it sends what is not understood");
    } else if (asks != null) {
      asks.request(wrapped(message));
      if (asks.untaken() > Proxies.UNTAKEN_MAX) {
        end("more is asked than the CIB manager takes");
      }
    } else if (user != null) {
      end("it does not wait for an answer");
    } else {
      introduce(message);
    }
  }

  private void introduce(Element message) {
    var name = message.get("user", "");
    var password = message.get("password", "");
    if (!message.get("op", "").equals("authenticate") || name.isEmpty() || password.isEmpty()) {
      end("it does not say who it is");
      return;
    }
    user = name;
    waitFor(PATIENCE.multipliedBy(3), "its password could not be looked at in time");
    passwords.ask(
        name,
        password,
        why -> {
          if (why != null) {
            end(why);
          } else if (!isOver) {
            world.groupsOf(name, this::admit);
          }
        });
  }

  private void admit(List<String> groups) {
    if (isOver) {
      return;
    }
    if (!groups.contains(ClusterAccount.GROUP)) {
      end("its user is no member of " + ClusterAccount.GROUP);
      return;
    }
    world.log().notice("User %s is let in from %s".formatted(user, connection.peer().user()));
    session = new StockCib(this, CibPort.ELSEWHERE, false);
    if (patience != null) {
      patience.cancel();
    }
    write(Element.of("cib_result", "cib_op", "register", "cib_clientid", id));
  }

  private Element wrapped(Element message) {
    return ProxyXml.of(ProxyXml.REQUEST, id)
        .attr(ProxyXml.USER, user)
        .add(Element.builder(ProxyXml.CONTENT).add(message).build())
        .build();
  }

  @Override
  public void closed(Connection was, String why) {
    over();
  }

  private void over() {
    if (isOver) {
      return;
    }
    isOver = true;
    if (patience != null) {
      patience.cancel();
    }
    if (session != null) {
      session.close();
    }
    gone.accept(this);
  }

  private void write(Element message) {
    var bytes = RemoteXml.bytes(message);
    if (bytes.length > RemoteXml.LENGTH_MAX) {
      end("what it is to be told is too long");
    } else {
      connection.send(bytes);
    }
  }

  // What the session says

  @Override
  public World world() {
    return world;
  }

  @Override
  public String session() {
    return id;
  }

  @Override
  public void groupsOf(String name, Consumer<List<String>> done) {
    world.groupsOf(name, done);
  }

  @Override
  public void send(Element message) {
    var content = ProxyXml.contentIn(message);
    if (!isOver && content != null) {
      write(content);
    }
  }

  @Override
  public void sendNow(Element message) {
    send(message);
  }

  @Override
  public void end(String why) {
    if (!isOver) {
      world
          .log()
          .info("Ending a connection from %s: %s".formatted(connection.peer().user(), why));
      over();
      connection.close();
    }
  }
}
