package org.systole.roles.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.roles.document.RolePackages.PackageFile;

/// What packages may not say.
final class RolePackagesTest {
  private static List<PackageFile> file(String roles) {
    var text = "<role-package id=\"systole\">\n" + roles + "\n</role-package>";
    return List.of(new PackageFile("systole.xml", text.getBytes(StandardCharsets.UTF_8)));
  }

  /// It would pass for an order of a person, with who may change settings and not retry.
  @Test
  void noPackageAnswersAnEventWithARetryNorDoesASitesOwn() {
    var shipped = file("<role id=\"boots\" jig=\"script\"><on event=\"on_todo\">{\"seen\":1}</on></role>");
    var site = file("<role id=\"boots\"><on event=\"on_todo\">{\"boots\":{\"retried\":7}}</on></role>");
    var why = "role boots answers on_todo with boots/retried: that is set by a retry, and by nothing else";
    for (var own : List.of(List.<PackageFile>of(), shipped)) {
      var fault = assertThrows(DocumentFault.class, () -> RolePackages.roles(own, site));
      assertEquals(List.of("systole.xml: line 2: " + why), fault.faults());
    }
    var fault = assertThrows(DocumentFault.class, () -> RolePackages.roles(site, List.of()));
    assertEquals(List.of("systole.xml: line 2: " + why), fault.faults());
  }

  @Test
  void whatOnlyLooksLikeIt() throws DocumentFault {
    var roles =
        RolePackages.roles(
            file("<role id=\"boots\" jig=\"script\"><on event=\"on_todo\">{\"retried\":1,\"clock\":{\"retried\":1}}</on></role>"),
            List.of());
    assertEquals(1, roles.size());
  }
}
