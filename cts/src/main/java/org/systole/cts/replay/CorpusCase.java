package org.systole.cts.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.unpack.Status;

/// A case of the scheduler's corpus: a cluster's CIB at one moment, and the graph of what it has to do.
///
/// @param cib with the status
/// @param graph what is expected of the scheduler
/// @param now at which it is looked at
public record CorpusCase(String name, Element cib, TransitionGraph graph, Instant now) {
  private static final String DIRECTORY = "shared/reference/scheduler";

  /// Where the corpus is: in the working directory or one above it; null if it is not here.
  public static @Nullable Path corpus() {
    for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      var found = at.resolve(DIRECTORY);
      if (Files.isDirectory(found.resolve("xml")) && Files.isDirectory(found.resolve("exp"))) {
        return found;
      }
    }
    return null;
  }

  /// Why no case can be played, empty if they can.
  public static String obstacle() {
    return corpus() == null ? "there is no %s here".formatted(DIRECTORY) : "";
  }

  /// @throws IOException if it is not there, or is no case
  public static CorpusCase read(String name, Instant now) throws IOException {
    var corpus = corpus();
    if (corpus == null) {
      throw new IOException(obstacle());
    }
    try {
      return new CorpusCase(
          name,
          XmlReader.parse(Files.readAllBytes(corpus.resolve("xml/" + name + ".xml"))),
          TransitionGraph.read(
              XmlReader.parse(Files.readAllBytes(corpus.resolve("exp/" + name + ".exp")))),
          now);
    } catch (XmlException e) {
      throw new IOException("case %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  Element configuration() {
    var found = cib.first("configuration");
    return found == null ? Element.of("configuration") : found;
  }

  List<Element> section(String section) {
    var found = configuration().first(section);
    return found == null ? List.of() : found.children();
  }

  /// Where each resource that no other one contains is active: by its id the nodes, as the case names them.
  public SortedMap<String, List<String>> places() {
    var found = new TreeMap<String, List<String>>();
    var status = Status.of(cib, now, ZoneOffset.UTC, Set.of(ClusterFlag.NO_COUNTS));
    for (var element : section("resources")) {
      var id = element.id();
      var resource = id == null ? null : status.resource(id);
      if (id != null && resource != null) {
        var nodes = new ArrayList<String>();
        resource.nodes(Resource.Where.CURRENT).forEach(it -> nodes.add(it.name()));
        nodes.sort(null);
        found.put(id, nodes);
      }
    }
    return found;
  }
}
