package org.systole.cibd.client;

import org.systole.common.cib.CibQuery;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Where a command reads a CIB: the live cluster, a file, or a shadow copy.
public interface CibSource extends AutoCloseable {
  /// The whole CIB.
  ///
  /// @throws CibException if it cannot be read
  default Element cib() throws CibException {
    var answer = query(CibQuery.ALL);
    var xml = answer.xml();
    if (!answer.rc().isOk() || xml == null) {
      throw new CibException(
          answer.rc(), answer.why().isEmpty() ? answer.rc().text() : answer.why());
    }
    try {
      return XmlReader.parse(xml);
    } catch (XmlException e) {
      throw new CibException(Rc.UNPACK_ERROR, "the CIB is not XML: " + e.getMessage());
    }
  }

  /// The result of a query, as the CIB manager would answer it.
  CibMessage.Answer query(CibQuery query);

  /// As [#query(CibQuery)], with the rights of a user.
  CibMessage.Answer query(CibQuery query, String user);

  /// Whether this is the running cluster's CIB, not a file or a shadow copy.
  boolean isLive();

  @Override
  void close();
}
