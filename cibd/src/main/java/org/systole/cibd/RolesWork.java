package org.systole.cibd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.cluster.Levels;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.Rc;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.DcWork;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.RoleId;

/// The primary's work on the cluster's roles. Nothing of it is loaded before the first request.
final class RolesWork {
  /// What came of a request.
  ///
  /// @param roles the roles afterwards, as before if it was refused
  record Result(Rc rc, String why, @Nullable Element roles) {
    static Result of(@Nullable Element roles) {
      return new Result(Rc.OK, "", roles);
    }
  }

  private static final Instant ORIGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private @Nullable RolesDesk desk;
  private @Nullable Element laidOut; // what the desk stands on

  RolesWork(Node node) {
    this.world = node.world();
    this.peers = node.peers();
    this.copy = node.copy();
    this.durable = node.durable();
    this.outbox = node.outbox();
  }

  static boolean concerns(CibMessage.Update update) {
    return update.operations().stream().anyMatch(it -> it.kind() == CibOp.Kind.ROLES);
  }


  /// @param before the roles it is carried out on
  /// @param epoch of the present DC
  /// @param othersKeepIt whether the disks of the other nodes are enough without this one's
  Result carryOut(
      Writes.Forwarded asked, @Nullable Element before, long epoch, boolean othersKeepIt) {
    var update = asked.ask().update();
    var user = asked.ask().user();
    if (update.dcEpoch() != 0 && update.dcEpoch() < epoch) {
      return new Result(Rc.ECANCELED, "there is a later DC", before);
    }
    if (!outbox.speaks(Levels.ROLES)) {
      return new Result(
          Rc.EOPNOTSUPP, "a member of the cluster does not know roles yet: upgrade it first", before);
    }
    if (!RoleRights.mayAsk(copy.cib(), user)) {
      return new Result(Rc.EACCES, "", before);
    }
    if (!peers.isQuorate()) {
      return new Result(Rc.NO_QUORUM, "the cluster has no quorum, so its roles stay as they are", before);
    }
    if (durable.isFailing() && !othersKeepIt) {
      return new Result(
          Rc.CIB_SAVE, "the disk of " + peers.localName() + " takes no more; see its log", before);
    }
    if (update.operations().size() != 1) {
      return new Result(Rc.EINVAL, "a change of roles comes alone, without others", before);
    }
    return change(asked, before);
  }

  /// A number above those of all runs in a document that was lost: seconds, as a noderole has not one run each
  /// second, from a day before there were roles.
  private int above() {
    var seconds = Duration.between(ORIGIN, world.now()).toSeconds();
    return (int) Math.max(1 << 20, Math.min(seconds, Integer.MAX_VALUE / 2));
  }

  private static boolean saysHowOften(Element at) {
    return at.is("role") && (at.has("check-interval") || at.has("check-then"));
  }

  private Result change(Writes.Forwarded asked, @Nullable Element before) {
    var update = asked.ask().update();
    var xml = update.operations().getFirst().xml();
    try {
      var request = XmlReader.parse(xml == null ? "" : xml);
      var denied = RoleRights.denied(copy.cib(), asked.ask().user(), request);
      if (denied != null) {
        return new Result(Rc.EACCES, denied, before);
      }
      if (!outbox.speaks(Levels.ROLE_CHECKS) && request.find(RolesWork::saysHowOften) != null) {
        return new Result(
            Rc.EOPNOTSUPP,
            "a member of the cluster does not know check-interval yet: upgrade it first",
            before);
      }
      var anew = request.has(RolesDesk.ANEW);
      if (copy.rolesLost() && before == null && !anew) {
        return new Result(Rc.CIB_SAVE, RolesLost.WHY, before);
      }
      if (anew && !(copy.rolesLost() && before == null)) {
        return new Result(Rc.BAD_INPUT, "the cluster's roles are not lost: nothing has to begin anew", before);
      }
      var now = desk;
      if (now == null || laidOut != before || anew) {
        now = anew ? RolesDesk.anew(above(), world::nanoTime) : new RolesDesk(before, world::nanoTime);
      }
      desk = null;
      var who =
          new RolesDesk.Who(
              CibUpdate.written(world.now()),
              update.user(),
              peers.name(asked.from()),
              update.client(),
              update.dcEpoch() != 0 && !asked.ask().user().isRestricted(),
              peers.memberNames());
      return carryOut(now, request, who, before);
    } catch (XmlException e) {
      return new Result(Rc.BAD_INPUT, "what is asked of roles is not XML: " + e.getMessage(), before);
    } catch (DocumentFault e) {
      world.log().error("The cluster's roles cannot be read: " + e.getMessage());
      return new Result(Rc.EINVAL, "the cluster's roles cannot be read: " + e.getMessage(), before);
    } catch (RuntimeException | StackOverflowError e) {
      world.log().critical("A change of roles is refused because of a fault of this program: " + e);
      return new Result(Rc.EINVAL, "the CIB manager cannot carry it out; see its log", before);
    }
  }

  /// An answer of a jig that does not fit makes that run fail, instead of keeping the DC from writing
  /// anything at all.
  private Result carryOut(
      RolesDesk now, Element request, RolesDesk.Who who, @Nullable Element before)
      throws DocumentFault {
    if (who.dc()) {
      now.gate(gate());
    }
    var refused = now.carryOut(request, who);
    now.troubles().forEach(it -> world.log().warning("Roles: " + it));
    if (refused != null) {
      keep(now, before);
      return new Result(Rc.BAD_INPUT, refused, before);
    }
    if (now.roles().document().roles().size() > RoleGraph.ROLES_MAX_BEFORE
        && !who.dc()
        && !outbox.speaks(Levels.MANY_ROLES)) {
      return new Result(
          Rc.EOPNOTSUPP,
          "a member of the cluster takes at most %d roles: upgrade it first"
              .formatted(RoleGraph.ROLES_MAX_BEFORE),
          before);
    }
    var after = now.written();
    if (after.textLength() > ClusterRoles.SIZE_MAX) {
      var beyond = after.textLength() > ClusterRoles.SIZE_MAX + ClusterRoles.RESERVE;
      var smaller = who.dc() ? DcWork.withoutAnswers(request) : null;
      smaller = who.dc() && beyond && smaller == null ? DcWork.shorter(request) : smaller;
      if (smaller != null) {
        return carryOut(new RolesDesk(before, world::nanoTime), smaller, who, before);
      }
      if (!who.dc() || beyond) {
        return tooLarge(after, before);
      }
    }
    after = after.equals(before) ? before : after;
    keep(now, after);
    if (!who.dc()) {
      world
          .log()
          .notice(
              "Roles: %s@%s (%s): %s"
                  .formatted(who.user(), who.node(), who.client(), RolesDesk.what(request)));
    }
    return Result.of(after);
  }

  private List<RoleId> gate() {
    var options = ClusterOptions.read(copy.cib(), world.now(), world.zone());
    return RoleId.known(options.joinGateRoles());
  }

  private static Result tooLarge(Element after, @Nullable Element before) {
    return new Result(
        Rc.E2BIG,
        String.format(
            Locale.ROOT,
            "the cluster's roles would have %,d bytes of XML, at most %,d are taken",
            after.textLength(),
            ClusterRoles.SIZE_MAX),
        before);
  }

  private void keep(RolesDesk now, @Nullable Element standsOn) {
    desk = now;
    laidOut = standsOn;
  }
}
