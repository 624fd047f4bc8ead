package org.systole.cts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Levels;
import org.systole.common.output.Rc;
import org.systole.common.wire.Coded;
import org.systole.common.wire.Protocol;
import org.systole.common.xml.XmlText;

/// Every message as it goes over the wire. Nodes of two versions have to understand each other:
/// these forms must not change because something is sorted, renamed or moved. Who changes one all
/// the same, with the protocol's version, has it written anew by `-Dwire.bless=true`.
final class WireFormsTest {
  private static final Path FORMS = Path.of("src/test/resources/org/systole/cts/wire-forms.txt");
  private static final ObjectMapper SORTED =
      new ObjectMapper()
          .registerModule(new SimpleModule().addSerializer(XmlText.class, ToStringSerializer.instance))
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

  private static String form(byte[] frame) throws IOException {
    return frame[0] == 0
        ? HexFormat.of().formatHex(frame)
        : SORTED.writeValueAsString(SORTED.readValue(frame, TreeMap.class));
  }

  private static byte[] encoded(Protocol<?> protocol, Record message) {
    return encoded(protocol, message, Integer.MAX_VALUE);
  }

  @SuppressWarnings("unchecked") // the messages are the protocol's own
  private static byte[] encoded(Protocol<?> protocol, Record message, int level) {
    return ((Protocol<Record>) protocol).encode(7, message, level);
  }

  /// The level from which on a message has the form it has for those of this build, and the form
  /// below it: ` from level 2, below {...}`; empty for a form that every level has.
  private static String since(Protocol<?> protocol, Record message) throws IOException {
    var text = new StringBuilder();
    var newest = form(encoded(protocol, message));
    for (var level = Levels.own().newest(); level >= Levels.own().oldest(); level--) {
      var form = form(encoded(protocol, message, level));
      if (!form.equals(newest)) {
        text.append(" from level ").append(level + 1).append(", below ").append(form);
        newest = form;
      }
    }
    return text.toString();
  }

  private static List<String> forms() throws IOException {
    var forms = new ArrayList<String>();
    var samples = new Samples();
    for (var spoken : Protocols.all()) {
      for (var type : spoken.types()) {
        var message = samples.message(type);
        var form = form(encoded(spoken.protocol(), message)) + since(spoken.protocol(), message);
        forms.add("%s.%s %s".formatted(spoken, type.getSimpleName(), form));
        var bare = encoded(spoken.protocol(), samples.bare(type));
        if (bare[0] == 0 && form.startsWith("{")) {
          forms.add("%s.%s bare %s".formatted(spoken, type.getSimpleName(), form(bare)));
        }
      }
    }
    for (var type : samples.enums()) {
      forms.add(constants(type));
    }
    forms.sort(Comparator.naturalOrder());
    return forms;
  }

  /// Without the package, which is nobody's concern either.
  private static String nameOf(Class<?> type) {
    return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
  }

  /// By name: the place among the others is nobody's concern.
  private static String constants(Class<?> type) {
    var text = new StringBuilder(nameOf(type));
    Stream.of(type.getEnumConstants())
        .map(it -> (Enum<?>) it)
        .sorted(Comparator.comparing(Enum::name))
        .forEach(
            it -> {
              text.append(' ').append(it.name());
              if (it instanceof Coded coded) {
                text.append('=').append(coded.code());
              } else if (it instanceof Rc rc) {
                text.append('=').append(rc.code());
              }
            });
    return text.toString();
  }

  @Test
  void noMessageHasAnotherFormThanBefore() throws IOException {
    var forms = forms();
    if (Boolean.getBoolean("wire.bless")) {
      Files.write(FORMS, forms);
    }
    var before = Files.readAllLines(FORMS);
    var changed = new ArrayList<String>();
    before.stream().filter(it -> !forms.contains(it)).forEach(it -> changed.add("was " + it));
    forms.stream().filter(it -> !before.contains(it)).forEach(it -> changed.add("is  " + it));
    assertEquals("", String.join("\n", changed), "see the head of this test");
  }

  @Test
  void everyMessageComesOutAsItWentIn() throws IOException {
    var samples = new Samples();
    for (var spoken : Protocols.all()) {
      for (var type : spoken.types()) {
        var message = samples.message(type);
        var frame = encoded(spoken.protocol(), message);
        var again = (Record) spoken.protocol().decode(frame).body();
        assertEquals(form(frame), form(encoded(spoken.protocol(), again)), type.getSimpleName());
        assertEquals(
            SORTED.writeValueAsString(message), SORTED.writeValueAsString(again), type.getName());
      }
    }
  }

  @Test
  void theLevelOfAFormIsPinned() throws IOException {
    var later = forms().stream().filter(it -> it.contains(" from level ")).toList();
    assertEquals(
        List.of("CibPeerMessage.Forward", "CibPeerMessage.Outcome", "CibPeerMessage.Whole"),
        later.stream().map(it -> it.substring(0, it.indexOf(' '))).toList());
    for (var form : later) {
      assertTrue(form.contains(" from level %d, below {".formatted(Levels.TOLD)), form);
    }
  }

  @Test
  void noTwoConstantsHaveOneCode() throws IOException {
    for (var form : forms()) {
      var codes = form.lines().flatMap(it -> Stream.of(it.split(" ")).skip(1)).toList();
      if (form.contains("=") && !form.contains("{")) {
        var distinct = codes.stream().map(it -> it.replaceFirst(".*=", "")).distinct().count();
        assertEquals(codes.size(), distinct, form);
      }
    }
  }
}
