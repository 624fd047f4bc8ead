package org.systole.schedulerd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.systole.common.options.ClusterOptions;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Keeps what the scheduler decided from, one compressed file a decision, so that every decision
/// can be looked at again with `crm_simulate -x`. Each series is a ring of numbered files.
final class SavedInputs {
  /// How a run ended decides where its input is kept.
  enum Series {
    INPUT("pe-input", "pe-input-series-max"),
    WARN("pe-warn", "pe-warn-series-max"),
    ERROR("pe-error", "pe-error-series-max");

    private final String prefix;
    private final String option;

    Series(String prefix, String option) {
      this.prefix = prefix;
      this.option = option;
    }
  }

  /// A ring without a limit of its own wraps here all the same: the disk has an end. So does one
  /// with a larger limit.
  static final int NUMBER_MAX = 20_000;

  /// The plan is being carried out meanwhile, and compressing would take the processor from it.
  private static final Duration DELAY = Duration.ofMillis(500);

  private static final int WAITING_MAX = 16;

  private record Input(Series series, String file, Element cib) {}

  private final World world;
  private final Map<Series, Integer> next = new EnumMap<>(Series.class);
  private final Deque<Input> waiting = new ArrayDeque<>();

  SavedInputs(World world) {
    this.world = world;
  }

  /// The file the next input of this series goes to; empty if the series is switched off.
  String reserve(Series series, Element cib) {
    var limit = limit(series, cib);
    if (limit == 0) {
      return "";
    }
    var number = next.computeIfAbsent(series, this::stored);
    if (number >= limit) {
      number = 0;
    }
    next.put(series, number + 1);
    return "%s-%d.bz2".formatted(series.prefix, number);
  }

  /// Writes a reserved file and the number that follows it, a moment later.
  void write(Series series, String file, Element cib) {
    waiting.add(new Input(series, file, cib));
    if (waiting.size() > WAITING_MAX) {
      world.post(this::writeNext);
    } else {
      world.after(DELAY, this::writeNext);
    }
  }

  private void writeNext() {
    var input = waiting.poll();
    if (input == null) {
      return;
    }
    var number = String.valueOf(next.get(input.series)).getBytes(StandardCharsets.US_ASCII);
    world
        .store()
        .change(
            List.of(
                new Store.Change.Make(input.file, () -> compressed(input.cib)),
                new Store.Change.Write(input.series.prefix + ".last", number)),
            failure -> {
              if (failure != null) {
                world
                    .log()
                    .warning("Could not save scheduler input " + input.file + ": " + failure);
              }
            });
  }

  private int stored(Series series) {
    try {
      var content = world.store().read(series.prefix + ".last");
      return content == null
          ? 0
          : Integer.parseInt(new String(content, StandardCharsets.US_ASCII).strip());
    } catch (Store.StoreException | NumberFormatException e) {
      world
          .log()
          .warning("Starting series %s again from 0: %s".formatted(series.prefix, e.getMessage()));
      return 0;
    }
  }

  private int limit(Series series, Element cib) {
    var files = ClusterOptions.read(cib, world.now(), world.zone()).number(series.option);
    return files < 0 ? NUMBER_MAX : Math.min(files, NUMBER_MAX);
  }

  private static byte[] compressed(Element cib) {
    var text = XmlWriter.pretty(cib).getBytes(StandardCharsets.UTF_8);
    var bytes = new ByteArrayOutputStream();
    // Blocks no larger than the text: the default's working memory of 8 MB a file, which goes
    // straight to the old generation, would let the heap grow to its limit under many changes.
    var block = BZip2CompressorOutputStream.chooseBlockSize(text.length);
    try (var out = new BZip2CompressorOutputStream(bytes, block)) {
      out.write(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return bytes.toByteArray();
  }
}
