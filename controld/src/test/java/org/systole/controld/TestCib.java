package org.systole.controld;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The CIB manager that a part of the controller talks to: it makes the changes it is asked for and
/// tells of them, unless the test has it do otherwise.
public final class TestCib {
  private static final String EMPTY =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0">
        <configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/>
      </cib>
      """;

  public final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> peer;
  private final TestWorld world;
  private final List<String> written = new ArrayList<>();
  private final Map<Long, CibMessage.Request> kept = new LinkedHashMap<>();
  private Element cib = xml(EMPTY);
  private boolean keeps;
  private boolean tells = true;
  private Rc refusal = Rc.OK;

  /// The epoch of the last DC it has heard of.
  public long epoch;

  public TestCib(TestWorld world) {
    this.world = world;
    this.peer = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
    peer.script(
        (id, request) -> {
          if (keeps && !(request instanceof CibMessage.Subscribe)) {
            kept.put(id, request);
          } else {
            answer(id, request);
          }
        });
  }

  public static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  public Element cib() {
    return cib;
  }

  /// What it holds of a node.
  public Element state(int node) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", String.valueOf(node));
    return state == null ? Element.of("none") : state;
  }

  /// What it was asked to change, a line for each change, since this was asked last.
  public List<String> written() {
    var lines = List.copyOf(written);
    written.clear();
    return lines;
  }

  /// Somebody else changes the CIB.
  public void change(CibOp... operations) {
    cib = applied(List.of(operations));
    tell();
    world.settle();
  }

  /// Somebody else puts an element into the status.
  public void status(String element) {
    change(CibOp.put("status", xml(element)));
  }

  /// Another CIB takes the place of this one.
  public void replace(String text) {
    cib = xml(text);
    tell();
    world.settle();
  }

  /// Requests are kept unanswered until [#answerAll].
  public void keep() {
    keeps = true;
  }

  /// How many requests wait for their answers.
  public int kept() {
    return kept.size();
  }

  public void answerAll() {
    keeps = false;
    var now = new LinkedHashMap<>(kept);
    kept.clear();
    now.forEach(this::answer);
    world.settle();
  }

  /// What was kept is lost, as with the process.
  public void forgetKept() {
    keeps = false;
    kept.clear();
  }

  /// Whether changes are told to those who follow it; who is told later gets the whole.
  public void tells(boolean does) {
    tells = does;
    if (does) {
      tell();
      world.settle();
    }
  }

  /// Changes are answered with this from now on, and made if it is OK.
  public void refuse(Rc rc) {
    refusal = rc;
  }

  private void answer(long id, CibMessage.Request request) {
    switch (request) {
      case CibMessage.Subscribe _ -> peer.reply(id, new CibMessage.Copy(XmlWriter.compact(cib)));
      case CibMessage.Ping _ ->
          peer.reply(
              id,
              new CibMessage.Status(
                  CibVersion.of(cib), false, null, 0, true, epoch, "digest"));
      case CibMessage.Update update -> {
        written.addAll(update.operations().stream().map(TestCib::line).toList());
        if (refusal == Rc.OK) {
          cib = applied(update.operations());
        }
        done(id);
        tell();
      }
      case CibMessage.SetPrimary(var mine) -> {
        written.add("primary " + mine);
        done(id);
      }
      case CibMessage.RolesQuery _ -> done(id);
      case CibMessage.SetSecondary _ -> {
        written.add("secondary");
        done(id);
      }
      case CibMessage.Query _ -> throw new IllegalStateException("unexpected: " + request);
    }
  }

  private void done(long id) {
    peer.reply(id, new CibMessage.Answer(refusal, "", null, CibVersion.of(cib)));
  }

  private void tell() {
    if (tells) {
      peer.event(new CibMessage.Copy(XmlWriter.compact(cib)));
    }
  }

  private Element applied(List<CibOp> operations) {
    var result = CibUpdate.apply(cib, operations, null);
    if (!result.rc().isOk()) {
      throw new IllegalStateException(result.rc() + " " + result.problems() + " " + operations);
    }
    return result.cib();
  }

  private static String line(CibOp op) {
    var what = op.xml() == null ? "" : op.xml();
    return (op.kind().word() + " " + op.section() + " " + what).strip();
  }
}
