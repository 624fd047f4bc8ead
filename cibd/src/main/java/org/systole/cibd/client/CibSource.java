package org.systole.cibd.client;

import org.systole.common.cib.CibQuery;
import org.systole.common.xml.Element;

/// Where a command reads a CIB: the live cluster, a file, or a shadow copy.
public interface CibSource extends AutoCloseable {
  /// The whole CIB.
  ///
  /// @throws CibException if it cannot be had
  Element cib() throws CibException;

  /// What a query finds, as the CIB manager would answer.
  CibMessage.Answer query(CibQuery query);

  /// As [#query(CibQuery)], with the rights of a user.
  CibMessage.Answer query(CibQuery query, String user);

  /// Whether this is the running cluster's CIB, not a file or a shadow copy.
  boolean isLive();

  @Override
  void close();
}
