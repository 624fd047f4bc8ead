package org.systole.controld.roles;

import java.util.Collection;
import java.util.List;
import org.systole.common.xml.Element;
import org.systole.controld.io.PeerMessage;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.live.DcWork;

/// Ends of runs as nodes tell them, and as the document takes them.
final class RunReports {
  private static final long LENGTH_MAX = 4 << 20;

  private RunReports() {}

  static RunEnd end(RunKey key, PeerMessage.JigNews news) {
    return new RunEnd(key.id(), key.run(), outcome(news));
  }

  private static RunEnd.Outcome outcome(PeerMessage.JigNews news) {
    return switch (news.result()) {
      case "OK" -> {
        try {
          yield new RunEnd.Succeeded(JsonText.readObject(news.given()), news.text());
        } catch (JsonFault e) {
          yield new RunEnd.Failed("what its jig was given is not known any more");
        }
      }
      case "UNKNOWN" -> new RunEnd.Lost(news.text());
      default -> new RunEnd.Failed(news.text());
    };
  }

  static List<Element> parts(Collection<RunEnd> ends) {
    return ends.stream().map(DcWork::ended).toList();
  }

  /// As many as one request is to have: ends of runs have what their jigs were given, which may be much.
  static List<Element> first(List<Element> parts) {
    var length = 0L;
    var count = 0;
    while (count < parts.size() && length < LENGTH_MAX) {
      length += parts.get(count).textLength();
      count++;
    }
    return parts.subList(0, count);
  }

  static Element request(List<Element> parts) {
    return DcWork.request().addAll(parts).build();
  }
}
