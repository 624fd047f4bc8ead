package org.systole.scheduler.corpus;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The reference corpus for tests of other packages.
public final class Corpora {
  private Corpora() {}

  /// Its inputs; none if it is not there.
  public static List<Path> inputs() throws IOException {
    var corpus = Corpus.find();
    return corpus == null ? List.of() : corpus.names().stream().map(corpus::file).toList();
  }
}
