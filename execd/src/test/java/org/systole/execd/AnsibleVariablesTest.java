package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// What Ansible is given as variables: no text of it is a template.
final class AnsibleVariablesTest {
  private static String line(String json) throws JsonFault {
    return AnsibleVariables.line("systole", JsonText.readObject(json));
  }

  @Test
  void eachTextIsUnsafe() throws JsonFault {
    assertEquals(
        "{? \"systole\" : {? !unsafe \"a\" : !unsafe \"{{ lookup('pipe','id') }}\","
            + " ? !unsafe \"{{ b }}\" : [!unsafe \"c\", {? !unsafe \"d\" : !unsafe \"\"}]}}",
        line("{\"a\":\"{{ lookup('pipe','id') }}\",\"{{ b }}\":[\"c\",{\"d\":\"\"}]}"));
  }

  /// YAML reads less than JSON has: it knows no number without a dot that has an exponent.
  @Test
  void otherValuesAreWhatTheyWere() throws JsonFault {
    assertEquals(
        "{? \"systole\" : {? !unsafe \"n\" : [!!int \"-10\", !!float \"1.5\", !!float \"1E+40\", true, null, {}, []]}}",
        line("{\"n\":[-10,1.5,1e40,true,null,{},[]]}"));
    assertEquals(
        "{? \"systole\" : {? !unsafe \"t\" : !unsafe \"\\\"\\\\\\u000a\\u007f\\u00e4\\U0001f600\"}}",
        line("{\"t\":\"\\\"\\\\\\n\u007f\u00e4\ud83d\ude00\"}"));
  }
}
