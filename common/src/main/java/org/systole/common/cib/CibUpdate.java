package org.systole.common.cib;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.output.Rc;
import org.systole.common.schema.CibSchemas;
import org.systole.common.values.CalendarText;
import org.systole.common.values.NodeName;
import org.systole.common.values.Version;
import org.systole.common.xml.Element;

/// Carries out changes of a CIB whole or not at all: operations, then versions, origin and
/// validity.
public final class CibUpdate {
  /// Who changes a cluster's configuration, and when.
  ///
  /// @param node the node the change was asked for on
  public record Origin(NodeName node, String client, String user, Instant now) {}

  /// @param problems what is wrong where `rc` alone says too little
  /// @param cib the CIB afterwards; the very same as before if `rc` is not OK or nothing changed
  /// @param configuration whether the configuration changed
  /// @param output what could not be created, or the CIB that was refused as invalid; else null
  public record Result(
      Rc rc, List<String> problems, Element cib, boolean configuration, @Nullable Element output) {}

  /// Attributes of the CIB that change with every update.
  private static final Set<String> OWN = Set.of("epoch", "num_updates");

  private static final int OPERATIONS_OF_USER_MAX = 200;

  private CibUpdate() {}

  /// @param origin null for a CIB in a file: nothing is noted then, and any feature set is accepted
  public static Result apply(Element before, List<CibOp> operations, @Nullable Origin origin) {
    return apply(before, operations, origin, CibUser.UNRESTRICTED);
  }

  /// As [#apply(Element, List, Origin)], with the rights of a user. What the CIB's access
  /// control lists do not allow is refused with EACCES, whole.
  public static Result apply(
      Element before, List<CibOp> operations, @Nullable Origin origin, CibUser user) {
    return apply(before, operations, origin, user, new CibValidation());
  }

  /// As [#apply(Element, List, Origin, CibUser)], for one change after the other.
  ///
  /// @param validation the same for all of them
  public static Result apply(
      Element before,
      List<CibOp> operations,
      @Nullable Origin origin,
      CibUser user,
      CibValidation validation) {
    var access = CibAccess.of(before, user);
    if (access != null && access.refuses(operations)) { // before any work is done for it
      return new Result(Rc.EACCES, List.of(), before, false, null);
    }
    if (user.isRestricted() && operations.size() > OPERATIONS_OF_USER_MAX) {
      var most = "a request has at most " + OPERATIONS_OF_USER_MAX + " operations; divide it";
      return new Result(Rc.E2BIG, List.of(most), before, false, null);
    }
    var after = before;
    var work = new XPathWork();
    for (var operation : operations) {
      if (access != null && !access.allows(before, after)) { // the next one could tell what it saw
        return new Result(Rc.EACCES, List.of(), before, false, null);
      }
      var outcome = CibOperations.apply(after, operation, work, access);
      if (!outcome.rc().isOk()) {
        var problems = outcome.problem() == null ? List.<String>of() : List.of(outcome.problem());
        return new Result(outcome.rc(), problems, before, false, outcome.output());
      }
      after = outcome.cib();
    }
    if (access != null && !access.allows(before, after)) {
      return new Result(Rc.EACCES, List.of(), before, false, null);
    }
    var rc = acceptable(before, after, origin != null);
    if (!rc.isOk()) {
      return new Result(rc, List.of(), before, false, null);
    }
    if (after == before) { // being replaced, even by an equal, counts as a change
      return new Result(Rc.OK, List.of(), before, false, null);
    }
    if (origin != null && after.is("cib") && after.first("status") == null) {
      after = after.plus(Element.of("status")); // daemons put what happens there at any time
    }
    var configuration = before.first("configuration") != after.first("configuration");
    after = counted(after, configuration);
    if (configuration && origin != null) {
      after = signed(after, origin);
    }
    if (mustValidate(before, after, operations)) {
      var problems = validation.problemsNow(after);
      if (!problems.isEmpty()) {
        var shown = access == null ? after : access.visible(after);
        return new Result(Rc.SCHEMA_VALIDATION, problems, before, false, shown);
      }
    }
    return new Result(Rc.OK, List.of(), after, configuration, null);
  }

  /// What a query finds with the rights of a user; EACCES if the user may see nothing.
  public static Result query(Element cib, CibQuery query, CibUser user) {
    var access = CibAccess.of(cib, user);
    if (access == null) {
      return query(cib, query);
    }
    var visible = access.visible(cib);
    return visible == null
        ? new Result(Rc.EACCES, List.of(), cib, false, null)
        : query(visible, query);
  }

  /// What a query finds; E2BIG with words if it asks for too much work.
  public static Result query(Element cib, CibQuery query) {
    var found = CibOperations.query(cib, query);
    var problems = found.why().isEmpty() ? List.<String>of() : List.of(found.why());
    return new Result(found.rc(), problems, cib, false, found.element());
  }

  /// Status changes are accepted as they are, and what is as it was needs no second look.
  private static boolean mustValidate(Element before, Element after, List<CibOp> operations) {
    return (before.first("configuration") != after.first("configuration")
            || isOtherRoot(before, after)
            || after.childCount() != before.childCount())
        && !operations.stream().allMatch(it -> it.section().equals("status"));
  }

  /// Whether attributes changed that this class does not set itself.
  private static boolean isOtherRoot(Element before, Element after) {
    if (!after.is("cib")) {
      return true;
    }
    for (var at = 0; at < after.attributeCount(); at++) {
      var name = after.attributeName(at);
      var old = before.get(name);
      if (!OWN.contains(name) && !after.attributeValue(at).equals(old)) {
        return true;
      }
    }
    return !before.get("validate-with", "").equals(after.get("validate-with"));
  }

  private static Rc acceptable(Element before, Element after, boolean live) {
    if (live && Version.compare(after.get("crm_feature_set", "0"), Product.FEATURE_SET) > 0) {
      return Rc.EPROTONOSUPPORT;
    }
    var old = CibVersion.of(before);
    var now = CibVersion.of(after);
    return now.adminEpoch() < old.adminEpoch()
            || now.adminEpoch() == old.adminEpoch() && now.epoch() < old.epoch()
        ? Rc.OLD_DATA
        : Rc.OK;
  }

  private static Element counted(Element cib, boolean configuration) {
    var version = CibVersion.of(cib);
    return configuration
        ? cib.with("num_updates", "0").with("epoch", Integer.toString(version.epoch() + 1))
        : cib.with("num_updates", Integer.toString(version.numUpdates() + 1));
  }

  private static Element signed(Element cib, Origin origin) {
    var signed = cib.with("cib-last-written", written(origin.now()));
    if (CibSchemas.compare(cib.get("validate-with", ""), "pacemaker-1.2") < 0) {
      return signed;
    }
    signed = noted(signed, "update-origin", origin.node().text());
    signed = noted(signed, "update-client", origin.client());
    return noted(signed, "update-user", origin.user());
  }

  private static Element noted(Element cib, String name, String value) {
    return value.isEmpty() ? cib.without(name) : cib.with(name, value);
  }

  /// A moment as the CIB writes it, in UTC.
  public static String written(Instant moment) {
    return CalendarText.withDayOfWeek(LocalDateTime.ofInstant(moment, ZoneOffset.UTC));
  }
}
