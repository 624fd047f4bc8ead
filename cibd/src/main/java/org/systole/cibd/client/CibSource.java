package org.systole.cibd.client;

import org.systole.common.cib.CibQuery;
import org.systole.common.xml.Element;

/// Where a command reads a CIB: the live cluster, a file, or a shadow copy.
public interface CibSource extends AutoCloseable {
  /// The whole CIB.
  ///
  /// @throws CibException if it cannot be read
  Element cib() throws CibException;

  /// The result of a query, as the CIB manager would answer it.
  CibMessage.Answer query(CibQuery query);

  /// As [#query(CibQuery)], with the rights of a user.
  CibMessage.Answer query(CibQuery query, String user);

  /// Whether this is the running cluster's CIB, not a file or a shadow copy.
  boolean isLive();

  @Override
  void close();
}
