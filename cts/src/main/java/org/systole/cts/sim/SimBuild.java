package org.systole.cts.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Channels;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;

/// Another build of the daemons, for some nodes of a simulated cluster. Its classes are loaded
/// beside this build's, by a loader of their own; both builds see the one simulated world.
///
/// What a daemon may ask of its world (`common.world`, `common.layout`) is this build's: a build
/// that asks for what is not there any more cannot live here, and fails to link.
public final class SimBuild {
  private static final String OURS = "org.systole.";
  private static final List<String> SHARED =
      List.of("org.systole.common.world.", "org.systole.common.layout.", "org.systole.cts.");
  private static final Map<String, String> WAYS_IN =
      Map.of(
          "pacemakerd", "org.systole.pacemakerd.PacemakerdDaemon",
          "cibd", "org.systole.cibd.CibDaemon",
          "controld", "org.systole.controld.ControllerDaemon",
          "fenced", "org.systole.fenced.FenceDaemon",
          "execd", "org.systole.execd.ExecDaemon",
          "attrd", "org.systole.attrd.AttrDaemon",
          "schedulerd", "org.systole.schedulerd.SchedulerDaemon");

  private static volatile boolean any;

  private final String name;
  private final ClassLoader loader;

  private SimBuild(String name, ClassLoader loader) {
    this.name = name;
    this.loader = loader;
    any = true;
  }

  /// Whether there has been another build in this process.
  static boolean isAny() {
    return any;
  }

  /// @param name for people
  /// @param classes directories of classes, or archives; what is not there is taken from this build
  ///     if it is not ours
  public static SimBuild of(String name, List<Path> classes) {
    return new SimBuild(name, new Apart(classes.stream().map(SimBuild::url).toArray(URL[]::new)));
  }

  /// The build in an installed distribution, or in a directory of classes.
  public static SimBuild in(Path directory) {
    var lib = directory.resolve("lib");
    try (var files = Files.list(Files.isDirectory(lib) ? lib : directory)) {
      var archives =
          files.filter(it -> it.getFileName().toString().matches("systole-.*\\.jar")).toList();
      return of(directory.toString(), archives.isEmpty() ? List.of(directory) : archives);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path + " is no path", e);
    }
  }

  /// The way in of one of its daemons.
  SimDaemons.Factory factory(String program) {
    return (node, world, layout, environment) -> {
      try {
        var type = loader.loadClass(WAYS_IN.get(program));
        if (program.equals("pacemakerd")) {
          startLink(type, node, world, layout, environment);
        } else {
          startDaemon(type, node, world, layout, environment);
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("the build " + name + " has no such " + program, e);
      }
    };
  }

  /// A controller may have a way to remote nodes.
  private static void startDaemon(
      Class<?> type, SimNode node, World world, Layout layout, Map<String, String> environment)
      throws ReflectiveOperationException {
    for (var each : type.getMethods()) {
      if (each.getName().equals("start") && each.getParameterCount() == 4) {
        Supplier<SecureStreams> network = () -> node.cluster().streams().of(world);
        start(each, world, layout, environment, network);
        return;
      }
    }
    start(
        type.getMethod("start", World.class, Layout.class, Map.class), world, layout, environment);
  }

  private void startLink(
      Class<?> type, SimNode node, World world, Layout layout, Map<String, String> environment)
      throws ReflectiveOperationException {
    var config = loader.loadClass("org.systole.common.cluster.ClusterConfig");
    var parsed =
        config
            .getMethod("parse", String.class, String.class)
            .invoke(null, "corosync.conf", node.cluster().corosyncConf(node));
    var start =
        type.getMethod("start", World.class, Layout.class, Map.class, config, Channels.class);
    start(start, world, layout, environment, parsed, node.cluster().network().channels(world));
  }

  /// What the daemon throws is the daemon's.
  private static void start(Method method, Object... arguments)
      throws ReflectiveOperationException {
    try {
      method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case RuntimeException it -> throw it;
        case Error it -> throw it;
        case null, default -> throw e;
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }

  /// Has classes of its own even where this build has some of the same name.
  private static final class Apart extends URLClassLoader {
    Apart(URL[] classes) {
      super(classes, SimBuild.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String type, boolean resolve) throws ClassNotFoundException {
      if (!type.startsWith(OURS) || SHARED.stream().anyMatch(type::startsWith)) {
        return super.loadClass(type, resolve);
      }
      synchronized (getClassLoadingLock(type)) {
        var loaded = findLoadedClass(type);
        return loaded != null ? loaded : findClass(type);
      }
    }

    @Override
    public @Nullable URL getResource(String path) {
      var own = findResource(path);
      return own != null ? own : super.getResource(path);
    }
  }
}
