package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/// An encrypted connection whose ends have proved themselves. What is written at once is a TLS record
/// of its own.
interface TlsLine {
  InputStream in() throws IOException;

  OutputStream out() throws IOException;

  /// Says good-bye to the other end.
  void close() throws IOException;
}
