package org.systole.cibd.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibSize;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.cib.CibValidation;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.real.UserGroups;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// A CIB in a file: read once, written back after every change, as a whole or not at all.
final class FileCib implements CibTarget {
  private final Path file;
  private final boolean clusterFile;
  private final UserGroups groups = new UserGroups();
  private final String user;
  private Element cib;

  private FileCib(Path file, boolean clusterFile, String user, Element cib) {
    this.file = file;
    this.clusterFile = clusterFile;
    this.user = user;
    this.cib = cib;
  }

  /// @param clusterFile whether it is the CIB manager's own file, written with its digest
  /// @throws CibException if the file cannot be read or holds no valid CIB
  /// @param user whose rights count if a request names none; empty for an unrestricted user
  static FileCib open(Path file, boolean clusterFile, String user) throws CibException {
    try {
      var bytes = Files.readAllBytes(file);
      var cib = XmlReader.parse(bytes);
      if (cib.is("cib") && cib.first("status") == null) {
        cib = cib.plus(Element.of("status"));
      }
      if (!CibValidation.problems(cib).isEmpty()) {
        var problems = CibValidation.problems(bytes);
        throw new CibException(
            Rc.SCHEMA_VALIDATION, file + " holds no valid CIB: " + String.join("; ", problems));
      }
      return new FileCib(file, clusterFile, user, cib);
    } catch (NoSuchFileException e) {
      throw new CibException(Rc.ENXIO, "there is no file " + file);
    } catch (IOException e) {
      throw new CibException(Rc.ENXIO, "cannot read " + file + ": " + e.getMessage());
    } catch (XmlException e) {
      throw new CibException(
          Rc.SCHEMA_VALIDATION,
          "%s, line %d: %s%s"
              .formatted(file, e.line(), e.getMessage(), FileInPlace.hintAtCopy(file)));
    }
  }

  @Override
  public Element cib() throws CibException {
    var found = CibUpdate.query(cib, CibQuery.ALL, user(""));
    var visible = found.output();
    if (visible == null) {
      throw new CibException(found.rc(), found.rc().text());
    }
    return visible;
  }

  private CibUser user(String named) {
    var name = named.isEmpty() ? user : named;
    if (CibUser.isExempt(name)) {
      return CibUser.UNRESTRICTED;
    }
    return new CibUser(name, CibAccess.isEnforced(cib) ? groups.of(name) : List.of());
  }

  @Override
  public CibMessage.Answer query(CibQuery query) {
    return query(query, "");
  }

  @Override
  public CibMessage.Answer query(CibQuery query, String as) {
    var result = CibUpdate.query(cib, query, user(as));
    var output = result.output();
    var why = String.join("\n", result.problems());
    return answer(result.rc(), why, output == null ? null : XmlWriter.compact(output));
  }

  @Override
  public CibMessage.Answer update(List<CibOp> operations, boolean force, String as) {
    var result = CibUpdate.apply(cib, operations, null, user(as));
    var output = result.output();
    var xml = output == null ? null : XmlWriter.compact(output);
    if (result.rc().isOk() && result.cib() != cib) {
      var problem = CibSize.problem(cib, result.cib());
      if (problem != null) {
        return answer(Rc.E2BIG, problem, null);
      }
      var failure = write(result.cib());
      if (!failure.isEmpty()) {
        return answer(Rc.CIB_SAVE, failure, null);
      }
      cib = result.cib();
    }
    return answer(result.rc(), String.join("\n", result.problems()), xml);
  }

  private String write(Element changed) {
    try {
      if (clusterFile) {
        new ClusterFile(file).write(changed, Instant.now());
      } else {
        FileInPlace.write(file, XmlWriter.pretty(changed).getBytes(StandardCharsets.UTF_8));
      }
      return "";
    } catch (IOException e) {
      return "cannot write " + file + ": " + e.getMessage();
    }
  }

  private CibMessage.Answer answer(
      Rc rc, String why, @org.jspecify.annotations.Nullable String xml) {
    return new CibMessage.Answer(rc, why, xml, CibVersion.of(cib));
  }

  @Override
  public boolean isLive() {
    return false;
  }

  @Override
  public void close() {}
}
