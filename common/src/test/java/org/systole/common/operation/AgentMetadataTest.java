package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlException;

final class AgentMetadataTest {
  private static AgentMetadata.Reload reload(String standard, String version, String action)
      throws XmlException {
    return AgentMetadata.parse(
            standard,
            "<resource-agent><version>%s</version><actions><action name=\"%s\"/></actions></resource-agent>"
                .formatted(version, action))
        .reload();
  }

  @Test
  void howAnAgentReloadsDependsOnTheVersionOfItsStandard() throws XmlException {
    assertEquals(AgentMetadata.Reload.AGENT, reload("ocf", "1.1", "reload-agent"));
    assertEquals(AgentMetadata.Reload.NONE, reload("ocf", "1.1", "reload"));
    assertEquals(AgentMetadata.Reload.LEGACY, reload("ocf", "1.0", "reload"));
    assertEquals(AgentMetadata.Reload.NONE, reload("ocf", "1.0", "reload-agent"));
    assertEquals(AgentMetadata.Reload.LEGACY, reload("stonith", "1.1", "reload"));
  }

  @Test
  void wellKnownNamesAreSecretUnlessTheAgentSaysWhatIs() throws XmlException {
    var silent =
        AgentMetadata.parse(
            "ocf",
            "<r><parameters><parameter name='a'/><parameter name='passwd'/></parameters></r>");
    var outspoken =
        AgentMetadata.parse(
            "ocf",
            "<r><parameters><parameter name='a' private='1'/><parameter name='passwd'/>"
                + "</parameters></r>");

    assertEquals(List.of("passwd"), secrets(silent));
    assertEquals(List.of("a"), secrets(outspoken));
  }

  private static List<String> secrets(AgentMetadata metadata) {
    return metadata.parameters().stream()
        .filter(AgentMetadata.Parameter::secret)
        .map(AgentMetadata.Parameter::name)
        .toList();
  }

  @Test
  void aFenceAgentSaysWhoCarriesOutWhatAndHowItsTargetIsGiven() throws XmlException {
    var metadata =
        AgentMetadata.parse(
            "stonith",
            "<r><parameters><parameter name='port'/><parameter name='plug'"
                + " required='1'/></parameters><actions><action name='on' automatic='1'"
                + " on_target='1'/><action name='off'/></actions></r>");

    assertTrue(metadata.isUnfencing());
    assertTrue(metadata.isOnTarget("on"));
    assertFalse(metadata.isOnTarget("off"));
    assertEquals("plug", metadata.hostArgument());
    assertTrue(metadata.has(Task.OFF));
    assertFalse(metadata.has(Task.REBOOT));
    assertTrue(metadata.forClients().contains("name=\"plug\" required=\"0\""));
    assertTrue(metadata.forClients().contains("<action name=\"stop\" timeout=\"20s\"/>"));
  }

  @Test
  void aFenceAgentThatSaysNothingCanDoTheUsual() {
    var metadata = AgentMetadata.silentFenceAgent();

    assertTrue(metadata.has(Task.REBOOT) && metadata.has(Task.OFF) && metadata.has(Task.ON));
    assertFalse(metadata.isUnfencing());
    assertNull(metadata.hostArgument());
    assertEquals("", metadata.forClients());
  }

  @Test
  void whatIsNoXmlIsRefused() {
    assertThrows(XmlException.class, () -> AgentMetadata.parse("ocf", "usage: agent start|stop"));
  }
}
