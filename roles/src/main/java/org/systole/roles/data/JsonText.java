package org.systole.roles.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.xml.XmlWriter;

/// Reads and writes [Json]. What is read has a limit in length and depth: it comes from programs.
public final class JsonText {
  /// The longest text that is read, in characters.
  public static final int LENGTH_MAX = 1024 * 1024;

  private static final int DEPTH_MAX = 50;
  private static final int PLAIN_SCALE_MAX = 30;

  /// So that what is taken can be counted with, and what is written of it can be read again: the
  /// library takes 1,000 characters of a number.
  private static final int DIGITS_MAX = 800;

  private static final int SCALE_MAX = 1_000_000;

  /// How the library goes on with what could stand there; it says little to who reads it.
  private static final String EXPECTED = ": (was expecting|expected close marker) .*";

  // Apart, because a document without data does not need it.
  private static final class Factory {
    static final JsonFactory IT =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(
                StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();
  }

  private JsonText() {}

  /// Reads one object and nothing else.
  ///
  /// @throws JsonFault if the text is anything else, too long or too deep
  public static Json.Obj readObject(String text) throws JsonFault {
    if (text.length() > LENGTH_MAX) {
      throw new JsonFault(text.length() + " characters, at most " + LENGTH_MAX + " are taken");
    }
    if (text.equals("{}")) {
      return Json.Obj.EMPTY;
    }
    try (var in = Factory.IT.createParser(text)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new JsonFault("no JSON object");
      }
      var read = object(in);
      if (in.nextToken() != null) {
        throw new JsonFault("something follows the JSON object");
      }
      return read;
    } catch (JsonProcessingException e) {
      var at = e.getLocation();
      var where = at == null ? "" : " (line " + at.getLineNr() + ")";
      var what = e.getOriginalMessage().lines().findFirst().orElse("").replaceFirst(EXPECTED, "");
      throw new JsonFault("no JSON: " + what + where);
    } catch (IOException e) {
      throw new JsonFault("no JSON: " + e.getMessage());
    }
  }

  private static Json.Obj object(JsonParser in) throws IOException {
    SortedMap<String, Json> entries = new TreeMap<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      var name = in.currentName();
      in.nextToken();
      entries.put(name, value(in));
    }
    return entries.isEmpty() ? Json.Obj.EMPTY : new Json.Obj(entries);
  }

  private static Json value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> object(in);
      case START_ARRAY -> {
        var items = new ArrayList<Json>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(in));
        }
        yield new Json.Arr(items);
      }
      case VALUE_STRING -> new Json.Text(in.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(in);
      case VALUE_TRUE -> new Json.Bool(true);
      case VALUE_FALSE -> new Json.Bool(false);
      case VALUE_NULL -> Json.Null.IT;
      default -> throw new IOException("unexpected " + in.currentToken());
    };
  }

  private static Json.Num number(JsonParser in) throws IOException {
    try {
      var read = new BigDecimal(in.getText());
      if (isInRange(read)) {
        var number = new Json.Num(read);
        if (isInRange(number.value()) && number.value().precision() <= DIGITS_MAX) {
          return number;
        }
      }
    } catch (NumberFormatException e) {
      // its exponent is no int
    }
    throw new IOException(
        "a number has more than %d digits, or an exponent beyond %d"
            .formatted(DIGITS_MAX, SCALE_MAX));
  }

  private static boolean isInRange(BigDecimal number) {
    return Math.abs((long) number.scale()) <= SCALE_MAX;
  }

  /// The value on one line, without white space.
  public static String write(Json value) {
    var out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Json value, StringBuilder out) {
    switch (value) {
      case Json.Obj(var entries) -> {
        var before = '{';
        for (var member : entries.entrySet()) {
          out.append(before);
          before = ',';
          quote(member.getKey(), out);
          out.append(':');
          write(member.getValue(), out);
        }
        out.append(entries.isEmpty() ? "{}" : "}");
      }
      case Json.Arr(var items) -> {
        out.append('[');
        for (var at = 0; at < items.size(); at++) {
          out.append(at == 0 ? "" : ",");
          write(items.get(at), out);
        }
        out.append(']');
      }
      case Json.Text(var text) -> quote(text, out);
      case Json.Num(var number) ->
          out.append(
              Math.abs(number.scale()) <= PLAIN_SCALE_MAX
                  ? number.toPlainString()
                  : number.toString());
      case Json.Bool it -> out.append(it.value());
      case Json.Null.IT -> out.append("null");
    }
  }

  /// What XML cannot say is written as JSON can: this goes into documents, and has to be the same where they
  /// are read.
  private static void quote(String text, StringBuilder out) {
    out.append('"');
    var from = out.length();
    JsonStringEncoder.getInstance().quoteAsString(text, out);
    for (var at = out.length() - 1; at >= from; at--) {
      var c = out.charAt(at);
      if (c >= Character.MIN_SURROGATE && !XmlWriter.isSayable(out, at)) {
        out.replace(at, at + 1, String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    out.append('"');
  }
}
