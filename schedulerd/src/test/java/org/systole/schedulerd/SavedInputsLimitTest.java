package org.systole.schedulerd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Store;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.XmlReader;
import org.systole.schedulerd.SavedInputs.Series;

/// Whatever the options say, the saved inputs have an end.
final class SavedInputsLimitTest {
  private final TestWorld world = new TestWorld();

  private List<String> names(String limit) throws Exception {
    var last = String.valueOf(SavedInputs.NUMBER_MAX - 1).getBytes(StandardCharsets.US_ASCII);
    world.store().change(List.of(new Store.Change.Write("pe-error.last", last)), _ -> {});
    world.settle();
    var cib =
        XmlReader.parse(
            "<cib><configuration><crm_config><cluster_property_set id=\"o\"><nvpair id=\"e\""
                + " name=\"pe-error-series-max\" value=\"%s\"/></cluster_property_set></crm_config></configuration></cib>"
                    .formatted(limit));
    var inputs = new SavedInputs(world);
    return List.of(inputs.reserve(Series.ERROR, cib), inputs.reserve(Series.ERROR, cib));
  }

  @Test
  void aSeriesWithoutALimitOrWithALargerOneWraps() throws Exception {
    assertEquals(List.of("pe-error-19999.bz2", "pe-error-0.bz2"), names("-1"));
    assertEquals(List.of("pe-error-19999.bz2", "pe-error-0.bz2"), names("1000000"));
  }
}
