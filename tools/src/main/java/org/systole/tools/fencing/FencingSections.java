package org.systole.tools.fencing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Section;
import org.systole.common.output.XmlOutput;
import org.systole.fenced.client.FenceConnection;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;
import org.systole.scheduler.status.ClusterStatus;
import org.systole.scheduler.status.Parts;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.View;
import org.systole.tools.cli.Terminal;

/// What the status of a cluster says about fencing.
public final class FencingSections implements ClusterStatus.Extra {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Set<Parts> ALL =
      Set.of(Parts.FENCING_FAILED, Parts.FENCING_PENDING, Parts.FENCING_SUCCEEDED);

  private final View view;
  private final Set<Parts> parts;
  private final @Nullable List<FenceRecord> history;
  private boolean failureShown;

  /// @param history latest first; null if it could not be had
  FencingSections(View view, Set<Parts> parts, @Nullable List<FenceRecord> history) {
    this.view = view;
    this.parts = parts;
    this.history =
        history == null || isFull() || view.out() instanceof XmlOutput
            ? history
            : latestOfEachKind(history);
  }

  /// Asks this node's fencer.
  public static ClusterStatus.Extra of(View view, Set<Parts> parts, Terminal terminal) {
    if (parts.stream().noneMatch(ALL::contains)) {
      return ClusterStatus.Extra.NONE;
    }
    try (var fencer = FenceConnection.open(Layout.of(terminal.environment()))) {
      return new FencingSections(view, parts, fencer.history(null, PATIENCE));
    } catch (IOException e) {
      return new FencingSections(view, parts, null);
    }
  }

  private boolean isFull() {
    return parts.containsAll(ALL);
  }

  /// Of operations on the same node that ended alike only the last matters; failures count apart by
  /// who failed.
  static List<FenceRecord> latestOfEachKind(List<FenceRecord> history) {
    var kept = new ArrayList<FenceRecord>();
    for (var record : history) {
      if (kept.stream().noneMatch(later -> isSameKind(record, later))) {
        kept.add(record);
      }
    }
    return kept;
  }

  private static boolean isSameKind(FenceRecord record, FenceRecord later) {
    return !record.pending()
        && record.target().equalsIgnoreCase(later.target())
        && record.action().equals(later.action())
        && record.progress() == later.progress()
        && (record.progress() == Progress.DONE
            || record.delegate().equalsIgnoreCase(later.delegate()));
  }

  @Override
  public boolean show(Place place, boolean spacer) {
    if (view.out() instanceof XmlOutput xml) {
      if (place == Place.FENCING_HISTORY && history == null) {
        xml.add("fence_history", "status", Integer.toString(ExitStatus.DISCONNECT.code()));
        return true;
      }
      return place == Place.FENCING_HISTORY && list("Fencing History", spacer, _ -> true);
    }
    return switch (place) {
      case ROLES -> false;
      case FAILED_FENCING ->
          parts.contains(Parts.FENCING_FAILED)
              && (history == null
                  ? failure(spacer)
                  : list(
                      "Failed Fencing Actions",
                      spacer,
                      record -> record.progress() == Progress.FAILED));
      case FENCING_HISTORY -> {
        if (history == null) {
          yield !failureShown && failure(spacer);
        }
        if (parts.contains(Parts.FENCING_SUCCEEDED)) {
          yield list("Fencing History", spacer, record -> record.progress() != Progress.FAILED);
        }
        yield parts.contains(Parts.FENCING_PENDING)
            && list("Pending Fencing Actions", spacer, FenceRecord::pending);
      }
    };
  }

  private boolean failure(boolean spacer) {
    failureShown = true;
    var section = new Section(view.out(), spacer, "Failed Fencing Actions");
    section.begin();
    view.out().item("Failed to get fencing history: " + ExitStatus.DISCONNECT.text());
    return section.end();
  }

  private boolean list(String title, boolean spacer, Predicate<FenceRecord> wanted) {
    var section = new Section(view.out(), spacer, title);
    for (var record : history == null ? List.<FenceRecord>of() : history) {
      if (wanted.test(record) && view.nodes().hasNode(record.target().text())) {
        section.begin();
        FencingHistory.show(
            view.out(), record, history, isFull(), view.shows(Show.FAILED_DETAIL), view.zone());
      }
    }
    return section.end();
  }
}
