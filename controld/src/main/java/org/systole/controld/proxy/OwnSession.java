package org.systole.controld.proxy;

import org.systole.common.world.Connection;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyXml;

/// A command of ours on the remote node: its frames are those of the daemon's own protocol, and pass
/// as they are. The daemon looks at who asks.
final class OwnSession implements ProxySession {
  private final Outlet outlet;
  private final LocalSocket socket;

  OwnSession(Outlet outlet, String socket, Connection.Credentials user) {
    this.outlet = outlet;
    this.socket =
        new LocalSocket(
            outlet.world(),
            socket,
            user,
            frame -> outlet.send(ProxyXml.frame(ProxyXml.EVENT, outlet.session(), frame)),
            outlet::end);
  }

  @Override
  public void request(Element message) {
    var frame = ProxyXml.frameIn(message, ProxyXml.REQUEST_MAX);
    if (frame == null) {
      outlet.end("it sends what is not understood");
      return;
    }
    socket.send(frame);
    outlet.sendNow(ProxyXml.taken(outlet.session(), message.textLength()));
  }

  @Override
  public long untaken() {
    return socket.unsent();
  }

  @Override
  public void close() {
    socket.close();
  }
}
