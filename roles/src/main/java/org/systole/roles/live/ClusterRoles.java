package org.systole.roles.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.model.JigId;
import org.systole.roles.model.RolesDocument;

/// What a cluster replicates of its roles: the document, who changed it, and in which stay each node
/// was seen last.
///
/// @param audit the last changes by people, oldest first
/// @param stays the number of the membership in which a node's stay began, by its name. A node with
///     another one has been away, whoever was DC meanwhile
public record ClusterRoles(
    RolesDocument document, List<Did> audit, SortedMap<NodeName, Long> stays) {
  /// The most bytes of XML it may have.
  public static final int SIZE_MAX = 16 << 20;

  /// What the DC's own notes may take beyond that: a document that is full must not keep it from
  /// writing that something began or failed.
  public static final int RESERVE = 1 << 20;

  // these stand where builds before them look for nothing
  private static final String SPENT = "spent";
  private static final String ANEW = "anew";
  private static final String GONE = "gone";

  static final int AUDIT_MAX = 200;
  private static final String NAME = "cluster-roles";
  private static final List<String> JIGS = List.of("ansible", "script", "test");

  /// A change that somebody made.
  ///
  /// @param when as ISO 8601, by the clock of the primary
  public record Did(String when, String user, NodeName node, String client, String what) {}

  public ClusterRoles {
    audit = List.copyOf(audit);
    stays = Collections.unmodifiableSortedMap(new TreeMap<>(stays));
  }

  /// What a cluster has before anybody has said anything: the jigs that every node knows. The names
  /// of nodes are the cluster's own then.
  public static ClusterRoles fresh() {
    var none = RolesDocument.empty("");
    var jigs = new TreeMap<JigId, Boolean>();
    JIGS.forEach(it -> jigs.put(new JigId(it), true));
    return new ClusterRoles(
        new RolesDocument(
            "", jigs, none.roles(), none.nodes(), none.deployments(), none.snapshots()),
        List.of(),
        new TreeMap<>());
  }

  /// @throws DocumentFault if it is not what [#write] makes
  public static ClusterRoles read(Element root) throws DocumentFault {
    return read(root, null, null);
  }

  /// @param was what was read before; null for nothing
  /// @param before what it was read as, see [RolesReader#readOn]
  /// @throws DocumentFault if it is not what [#write] makes
  public static ClusterRoles read(
      Element root, @Nullable Element was, @Nullable ClusterRoles before) throws DocumentFault {
    var document = root.first("roles-document");
    if (!root.is(NAME) || document == null) {
      throw RolesReader.fault("it is no <" + NAME + "> with a <roles-document>");
    }
    var audit = new ArrayList<Did>();
    var stays = new TreeMap<NodeName, Long>();
    for (var part : root.children()) {
      for (var it : part.children()) {
        var node = NodeName.of(it.get("node"));
        if (node != null && it.is("did")) {
          audit.add(
              new Did(
                  it.get("when", ""),
                  it.get("user", ""),
                  node,
                  it.get("client", ""),
                  it.get("what", "")));
        } else if (node != null && it.is("stay")) {
          stays.put(node, Numbers.parse(it.get("since", ""), 0));
        }
      }
    }
    var whole = root.has(SPENT) ? document.with(SPENT, root.get(SPENT, "")) : document;
    whole = root.has(ANEW) ? whole.with(ANEW, root.get(ANEW, "")) : whole;
    var gone = root.first(GONE);
    whole = gone == null ? whole : whole.plus(gone);
    var then = was == null ? null : was.first("roles-document");
    return new ClusterRoles(
        then == null || before == null
            ? RolesReader.read(whole, Map.of())
            : RolesReader.readOn(whole, then, before.document()),
        audit,
        stays);
  }

  /// Who changed what, oldest first.
  public Element audited() {
    var did = Element.builder("audit");
    for (var it : audit) {
      did.add(
          Element.of(
              "did",
              "when",
              it.when(),
              "user",
              it.user(),
              "node",
              it.node().text(),
              "client",
              it.client(),
              "what",
              it.what()));
    }
    return did.build();
  }

  public Element write() {
    return write(null, null);
  }

  /// @param before what was written before, null for nothing: what is the same in both is not written
  ///     again
  /// @param known what [#write] made of it
  public Element write(@Nullable ClusterRoles before, @Nullable Element known) {
    var was = known == null ? null : known.first("roles-document");
    var written = before == null || was == null ? null : new RolesWriter.Written(before.document(), was);
    var audited = known == null || before == null || before.audit != audit ? null : known.first("audit");
    var seen = Element.builder("stays");
    stays.forEach((node, since) -> seen.add(Element.of("stay", "node", node.text(), "since", "" + since)));
    var whole = RolesWriter.write(document, written);
    var gone = whole.first(GONE);
    var rest = gone == null ? whole : whole.remove(whole.indexOf(gone));
    return Element.builder(NAME)
        .attr("version", 1)
        .attr(SPENT, whole.get(SPENT))
        .attr(ANEW, whole.get(ANEW))
        .add(rest.without(SPENT).without(ANEW))
        .add(audited == null ? audited() : audited)
        .add(seen)
        .add(gone)
        .build();
  }
}
