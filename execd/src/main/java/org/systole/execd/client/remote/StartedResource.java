package org.systole.execd.client.remote;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What may run on a remote node, with the parameters it was started with. The executor that has started it
/// says so to each member that connects: the cluster may have lost what it knew of it, or have it from another
/// member, and its configuration may have other parameters since.
///
/// It stands in the reply to [RemoteRequest.Register], where Pacemaker's controllers overlook it, and in a file of
/// the executor.
///
/// @param parameters its own, without those that the cluster adds
/// @param source the node that is about to move it here live, and may not have done so yet; null if it was started, or found
public record StartedResource(ResourceId resource, AgentName agent, Map<String, String> parameters, @Nullable NodeName source) {
  /// How many are told.
  static final int MANY_MAX = 10_000;

  /// How many characters of all of them: a message has its limit.
  static final long LENGTH_MAX = 4 << 20;

  private static final String LIST = "systole_started";

  public StartedResource(ResourceId resource, AgentName agent, Map<String, String> parameters) {
    this(resource, agent, parameters, null);
  }

  /// Whether it is the same, on its way or not.
  public boolean isAs(StartedResource other) {
    return resource.equals(other.resource) && agent.equals(other.agent) && parameters.equals(other.parameters);
  }

  /// A reply that also tells what was started; as much of it as may be told.
  public static Element in(Element reply, List<StartedResource> started) {
    var list = Element.builder(LIST);
    within(started).forEach(it -> list.add(it.xml()));
    return started.isEmpty() ? reply : reply.plus(list.build());
  }

  /// What a reply tells; empty if it tells nothing, as that of an executor that does not know of this.
  public static List<StartedResource> of(Element reply) {
    var list = reply.first(LIST);
    var all = new ArrayList<StartedResource>();
    for (var xml : list == null ? List.<Element>of() : list.children("lrmd_rsc")) {
      var resource = ResourceId.of(xml.get(RemoteXml.RESOURCE));
      var agent = RemoteXml.agentIn(xml);
      if (resource != null && agent != null) {
        all.add(new StartedResource(resource, agent, RemoteXml.parameters(xml), NodeName.of(xml.get(RemoteXml.ARRIVES))));
      }
    }
    return within(all);
  }

  /// So many of them as may be told.
  public static List<StartedResource> within(List<StartedResource> all) {
    var some = new ArrayList<StartedResource>();
    var length = 0L;
    for (var each : all) {
      length += each.length();
      if (length > LENGTH_MAX || some.size() == MANY_MAX) {
        break;
      }
      some.add(each);
    }
    return some;
  }

  /// In characters.
  public long length() {
    var length = (long) resource.text().length() + agent.toString().length();
    for (var each : parameters.entrySet()) {
      length += each.getKey().length() + each.getValue().length();
    }
    return length;
  }

  private Element xml() {
    return Element.builder("lrmd_rsc")
        .attr(RemoteXml.RESOURCE, resource.text())
        .attr("lrmd_class", agent.standard())
        .attr("lrmd_provider", agent.provider().isEmpty() ? null : agent.provider())
        .attr("lrmd_type", agent.type())
        .attr(RemoteXml.ARRIVES, source == null ? null : source.text())
        .add(RemoteXml.attributes(parameters))
        .build();
  }
}
