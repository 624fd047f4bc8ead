package org.systole.cts.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/// A cluster whose nodes all live on this machine, each in its own tree below one directory.
public final class LocalCluster {
  private static final int KEY_BYTES = 256;

  private final Path dir;
  private final List<LocalNode> nodes;

  /// @param dir where the nodes' trees are; nothing else is kept there
  public LocalCluster(Path dir, List<LocalNode> nodes) {
    this.dir = dir;
    this.nodes = List.copyOf(nodes);
  }

  /// Nodes `node1` ... on loopback addresses.
  public static LocalCluster onLoopback(Path home, Path dir, int count) {
    var nodes = new ArrayList<LocalNode>();
    for (var id = 1; id <= count; id++) {
      var name = "node" + id;
      nodes.add(new LocalNode(name, "127.0.0." + (10 + id), home, dir.resolve(name), List.of()));
    }
    return new LocalCluster(dir, nodes);
  }

  public Path dir() {
    return dir;
  }

  public List<LocalNode> nodes() {
    return nodes;
  }

  public LocalNode node(String name) {
    return nodes.stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no node " + name));
  }

  /// Writes all nodes' trees anew, with one key.
  public void prepare(String clusterName, int tokenMillis) throws IOException {
    prepare(clusterName, tokenMillis, List.of());
  }

  /// @param quorum further lines for the quorum section, such as `two_node: 1`
  public void prepare(String clusterName, int tokenMillis, List<String> quorum) throws IOException {
    prepare(clusterName, tokenMillis, quorum, _ -> List.of());
  }

  /// @param more further lines for the section of the node with this number
  public void prepare(
      String clusterName, int tokenMillis, List<String> quorum, IntFunction<List<String>> more)
      throws IOException {
    removeFiles();
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    var configuration = configuration(clusterName, tokenMillis, quorum, more);
    for (var node : nodes) {
      node.prepare(configuration, key);
    }
  }

  private String configuration(
      String clusterName, int tokenMillis, List<String> quorum, IntFunction<List<String>> more) {
    var text = new StringBuilder();
    text.append(
        """
        totem {
          version: 2
          cluster_name: %s
          token: %d
        }
        nodelist {
        """
            .formatted(clusterName, tokenMillis));
    for (var at = 0; at < nodes.size(); at++) {
      text.append(
          """
            node {
              ring0_addr: %s
              name: %s
              nodeid: %d
          """
              .formatted(nodes.get(at).address(), nodes.get(at).name(), at + 1));
      more.apply(at + 1).forEach(it -> text.append("    ").append(it).append('\n'));
      text.append("  }\n");
    }
    text.append(
        """
        }
        quorum {
          provider: corosync_votequorum
        """);
    quorum.forEach(it -> text.append("  ").append(it).append('\n'));
    text.append("}\n");
    return text.toString();
  }

  /// Asks every node to stop in good order, all at once; what is left after the time is killed.
  ///
  /// @return the names of the nodes that had to be killed
  public List<String> stop(Duration timeout) throws IOException {
    var late = new ArrayList<String>();
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      var stops = new ArrayList<Callable<Boolean>>();
      nodes.forEach(node -> stops.add(() -> node.shutDown(timeout)));
      var done = each.invokeAll(stops);
      for (var at = 0; at < done.size(); at++) {
        if (!done.get(at).get()) {
          late.add(nodes.get(at).name());
        }
      }
    } catch (ExecutionException e) {
      throw new IOException("cannot stop a node: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      for (var node : nodes) {
        node.kill();
      }
    }
    return late;
  }

  /// Removes the nodes' trees.
  public void removeFiles() throws IOException {
    for (var node : nodes) {
      remove(node.dir());
    }
    Files.createDirectories(dir);
  }

  /// Removes a directory, if it is there, with all that is in it.
  public static void remove(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    try {
      Files.walkFileTree(
          tree,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file); // a process that just ends may have removed it
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure)
                throws IOException {
              if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                Path directory, @org.jspecify.annotations.Nullable IOException failure)
                throws IOException {
              Files.deleteIfExists(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
