package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Rc;
import org.systole.common.schema.CibSchemas;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// What each operation does to a CIB, by itself: versions and validity are [CibUpdate]'s concern.
final class CibOperations {
  /// @param cib the CIB afterwards; as before if `rc` is not OK
  /// @param output what could not be created, null if nothing
  /// @param problem one line for a person where `rc` alone says too little, else null
  record Outcome(Rc rc, Element cib, @Nullable Element output, @Nullable String problem) {
    Outcome(Rc rc, Element cib, @Nullable Element output) {
      this(rc, cib, output, null);
    }

    static Outcome of(Element cib) {
      return new Outcome(Rc.OK, cib, null);
    }
  }

  /// @param element what was found, null if nothing or only values
  record Found(Rc rc, @Nullable Element element, String why) {
    Found(Rc rc, @Nullable Element element) {
      this(rc, element, "");
    }
  }

  private final Element cib;
  private final CibOp op;

  private final XPathWork work;
  private final @Nullable CibAccess access;
  private final @Nullable SeenCib seen;

  private CibOperations(Element cib, CibOp op, XPathWork work, @Nullable CibAccess access) {
    this.cib = cib;
    this.op = op;
    this.work = work;
    this.access = access;
    this.seen = SeenCib.of(Draft.document(cib), access);
  }

  /// @param work what of it is left for the request
  /// @param access of the user; null for one who may see everything. Nothing else is found
  static Outcome apply(Element cib, CibOp op, XPathWork work, @Nullable CibAccess access) {
    Element input = null;
    if (op.xml() != null) {
      try {
        input = XmlReader.parse(op.xml());
      } catch (XmlException e) {
        return new Outcome(Rc.BAD_INPUT, cib, null);
      }
    }
    var run = new CibOperations(cib, op, work, access);
    if (run.seen != null && input != null && run.seen.isNamedIn(op.kind(), run.counting(input))) {
      return run.failed(Rc.EACCES);
    }
    try {
      return run.apply(input);
    } catch (CibXPath.XPathException e) {
      return new Outcome(Rc.E2BIG, cib, null, e.getMessage());
    }
  }

  private Outcome apply(@Nullable Element input) throws CibXPath.XPathException {
    return switch (op.kind()) {
      case BUMP -> Outcome.of(counted(cib, "epoch"));
      case ERASE -> Outcome.of(erased());
      case UPGRADE -> upgrade();
      case ROLES -> failed(Rc.EOPNOTSUPP); // they are in no CIB
      case PATCH -> patch(input);
      case CREATE -> create(input);
      case DELETE -> op.byXPath() ? deleteXPath() : delete(input);
      case MODIFY -> op.byXPath() ? modifyXPath(input) : modify(input);
      case REPLACE -> op.byXPath() ? replaceXPath(input) : replace(input);
    };
  }

  private Outcome failed(Rc rc) {
    return new Outcome(rc, cib, null);
  }

  private static Element counted(Element cib, String counter) {
    var version = CibVersion.of(cib);
    var old = counter.equals("epoch") ? version.epoch() : version.adminEpoch();
    return cib.with(counter, Integer.toString(old + 1));
  }

  /// What of the input is meant: of a whole CIB, the section.
  private @Nullable Element meant(@Nullable Element input) {
    return input != null && !op.section().isEmpty() && input.is("cib")
        ? CibSections.find(input, op.section())
        : input;
  }

  /// What of the input has any effect.
  private Element counting(Element input) {
    var section = op.byXPath() ? null : meant(input);
    return section == null ? input : section;
  }

  private Element erased() {
    var empty = CibSections.emptyCib(0, CibSections.SCHEMA);
    return counted(cib.withChildren(empty.children()), "admin_epoch");
  }

  private Outcome patch(@Nullable Element patch) {
    if (patch == null) {
      return Outcome.of(cib);
    }
    var applied = CibPatch.apply(cib, patch, true);
    return applied.rc().isOk() ? Outcome.of(applied.cib()) : failed(applied.rc());
  }

  private Outcome upgrade() {
    var before = cib.get("validate-with", "none");
    var result = SchemaUpgrade.upgrade(cib, op.schema());
    var upgraded = result.cib();
    if (CibSchemas.compare(upgraded.get("validate-with", "none"), before) <= 0) {
      return failed(result.rc().isOk() ? Rc.SCHEMA_UNCHANGED : result.rc());
    }
    return Outcome.of(counted(upgraded, "admin_epoch").with("epoch", "1").with("num_updates", "1"));
  }

  private Outcome create(@Nullable Element given) throws CibXPath.XPathException {
    var input = meant(given);
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    if (op.section().isEmpty() || isWhole(op.section()) || input.is("cib")) {
      return op.byXPath() ? modifyXPath(given) : modify(given);
    }
    var section = CibSections.find(cib, op.section());
    var objects = input.is(op.section()) ? input.children() : List.of(input);
    for (var object : objects) {
      var rc = section == null ? Rc.EINVAL : exists(section, object) ? Rc.EEXIST : Rc.OK;
      if (!rc.isOk() || section == null) {
        return new Outcome(rc, cib, failedUpdate(object, rc));
      }
      section = section.plus(object);
    }
    return Outcome.of(section == null ? cib : withSection(section));
  }

  private boolean isSeen(Element element) {
    return seen == null || !seen.isHidden(element);
  }

  private static boolean isWhole(String section) {
    return section.equalsIgnoreCase("all") || section.equalsIgnoreCase("cib");
  }

  private static boolean exists(Element section, Element object) {
    var id = object.id();
    return id == null
        ? section.first(object.name()) != null
        : section.first(object.name(), id) != null;
  }

  private Element failedUpdate(Element object, Rc rc) {
    return Element.builder("failed")
        .add(
            Element.builder("failed_update")
                .attr("id", object.id())
                .attr("object-type", object.name())
                .attr("operation", op.kind().word())
                .attr("reason", rc.text())
                .add(object)
                .build())
        .build();
  }

  /// The CIB with the op's section replaced by `section`.
  private Element withSection(Element section) {
    var steps = CibSections.steps(op.section());
    return steps == null ? cib : put(cib, steps, 1, section);
  }

  private static Element put(Element at, List<String> steps, int step, Element section) {
    if (step == steps.size()) {
      return section;
    }
    var child = at.first(steps.get(step));
    if (child == null) {
      return step == steps.size() - 1 ? at.plus(section) : at;
    }
    return at.replace(at.indexOf(child), put(child, steps, step + 1, section));
  }

  private Outcome delete(@Nullable Element given) {
    var input = meant(given);
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    var section = CibSections.find(cib, op.section());
    if (section == null) {
      return Outcome.of(cib);
    }
    var objects = input.is(op.section()) ? input.children() : List.of(input);
    for (var object : objects) {
      var without =
          ElementMatch.changeFirst(
              section, false, it -> isSeen(it) && ElementMatch.hasAllOf(it, object), _ -> null);
      section = without != null ? without : section;
    }
    return Outcome.of(withSection(section));
  }

  private Outcome modify(@Nullable Element given) {
    var input = meant(given);
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    var section = CibSections.find(cib, op.section());
    if (section == null) {
      var steps = CibSections.steps(op.section());
      if (steps == null) {
        return failed(Rc.EINVAL);
      }
      section = Element.of(steps.getLast());
    }
    var changed =
        ElementMatch.changeById(
            section,
            true,
            input,
            it -> it == null ? null : ElementMatch.merge(it, input, op.score()));
    if (changed == null && !op.allowCreate()) {
      return failed(Rc.ENXIO);
    }
    return Outcome.of(withSection(changed != null ? changed : section.plus(input)));
  }

  private Outcome replace(@Nullable Element given) {
    var input = meant(given);
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    if (input.is("cib")) {
      return replaceAll(input);
    }
    var whole = op.section().equalsIgnoreCase("all") || input.is(op.section());
    var section = CibSections.find(cib, whole ? "" : op.section());
    if (section == null) {
      return failed(Rc.EINVAL);
    }
    var changed =
        ElementMatch.changeFirst(
            section,
            false,
            it ->
                it.is(input.name())
                    && (input.id() == null ? isSeen(it) : ElementMatch.sameId(it, input)),
            _ -> input);
    if (changed == null) {
      return failed(Rc.ENXIO);
    }
    return Outcome.of(whole ? changed : withSection(changed));
  }

  private Outcome replaceAll(Element input) {
    if (CibVersion.of(input).compareTo(CibVersion.of(cib)) < 0) {
      return failed(Rc.OLD_DATA);
    }
    if (input.equals(cib)) {
      return Outcome.of(cib);
    }
    var before = cib.first("configuration");
    var after = input.first("configuration");
    return Outcome.of(
        before != null && after != null && after.equals(before)
            ? input.replace(input.indexOf(after), before)
            : input);
  }

  // By XPath: what matches is edited in a draft.

  /// The elements an XPath finds; an attribute stands for its element. Nothing if it is no XPath.
  ///
  /// @throws CibXPath.XPathException if it goes beyond a limit
  private List<Draft> matches(Draft document, String xpath) throws CibXPath.XPathException {
    var found = new ArrayList<Draft>();
    try {
      var visible = SeenCib.of(document, access);
      for (var node : CibXPath.evaluate(document, xpath, work, visible)) {
        if (node instanceof Draft draft && !draft.isDocument()) {
          found.add(draft);
        } else if (node instanceof CibXPath.Attribute attribute) {
          found.add(attribute.owner());
        }
      }
    } catch (CibXPath.XPathException e) {
      if (e.isLimit()) {
        throw e;
      }
      return List.of();
    }
    return found;
  }

  private Outcome deleteXPath() throws CibXPath.XPathException {
    var document = Draft.document(cib);
    var found = matches(document, op.section());
    if (found.isEmpty()) {
      return Outcome.of(cib);
    }
    for (var match : op.multiple() ? found.reversed() : List.of(found.getFirst())) {
      if (match == document.root()) {
        return failed(Rc.EINVAL);
      }
      match.remove();
    }
    return Outcome.of(document.root().build());
  }

  private Outcome modifyXPath(@Nullable Element input) throws CibXPath.XPathException {
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    var document = Draft.document(cib);
    var rc = Rc.ENXIO;
    for (var match : matches(document, op.section().isEmpty() ? "/cib" : op.section())) {
      var changed =
          ElementMatch.changeById(
              match.build(),
              true,
              input,
              it -> it == null ? null : ElementMatch.merge(it, input, op.score()));
      if (changed == null) {
        return failed(Rc.ENXIO);
      }
      rc = Rc.OK;
      if (changed != match.self()) {
        match.replace(changed);
      }
      if (!op.multiple()) {
        break;
      }
    }
    return rc.isOk() ? Outcome.of(document.root().build()) : failed(rc);
  }

  private Outcome replaceXPath(@Nullable Element input) throws CibXPath.XPathException {
    if (input == null) {
      return failed(Rc.EINVAL);
    }
    var document = Draft.document(cib);
    var found = matches(document, op.section());
    if (found.isEmpty()) {
      return failed(Rc.ENXIO);
    }
    for (var match : op.multiple() ? found : List.of(found.getFirst())) {
      if (match == document.root()) {
        return replaceAll(input);
      }
      var parent = match.parent();
      if (parent != null) {
        match.remove();
        parent.insert(Integer.MAX_VALUE, input);
      }
    }
    return Outcome.of(document.root().build());
  }

  // Queries

  static Found query(Element cib, CibQuery query) {
    if (query.byXPath()) {
      return queryXPath(cib, query);
    }
    var name = query.section().equalsIgnoreCase("all") ? "" : query.section();
    var section = CibSections.find(cib, name);
    if (section == null) {
      return new Found(Rc.ENXIO, null);
    }
    return new Found(Rc.OK, query.noChildren() ? section.withChildren(List.of()) : section);
  }

  private static Found queryXPath(Element cib, CibQuery query) {
    List<?> nodes;
    try {
      nodes = CibXPath.evaluate(Draft.document(cib), query.section());
    } catch (CibXPath.XPathException e) {
      // that something was not looked for to the end is not that it is not there
      return e.isLimit() ? new Found(Rc.E2BIG, null, e.getMessage()) : new Found(Rc.ENXIO, null);
    }
    if (nodes.isEmpty()) {
      return new Found(Rc.ENXIO, null);
    }
    var several = Element.builder("xpath-query");
    Element single = null;
    for (var node : nodes) {
      switch (node) {
        case Draft draft when query.paths() -> several.add(path(draft));
        case CibXPath.Attribute attribute when query.paths() ->
            several.add(path(attribute.owner()));
        case CibXPath.Attribute attribute -> several.attr(attribute.name(), attribute.value());
        case Draft draft -> {
          single = query.noChildren() ? draft.self().withChildren(List.of()) : draft.self();
          several.add(single);
        }
        default -> {}
      }
    }
    return new Found(Rc.OK, nodes.size() == 1 && single != null ? single : several.build());
  }

  private static Element path(Draft draft) {
    var steps = new ArrayList<Element>();
    for (var at = draft; at != null && !at.isDocument(); at = at.parent()) {
      steps.addFirst(at.self());
    }
    var path = new StringBuilder();
    steps.forEach(step -> CibXPath.step(step, path));
    return Element.of("xpath-query-path", "id", path.toString());
  }
}
