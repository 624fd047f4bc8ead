package org.systole.tools.cib;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import picocli.CommandLine.Option;

/// `crm_diff`: compares two CIBs, or applies a patchset to one.
@picocli.CommandLine.Command(
    description =
        "Compare two Pacemaker configurations (in XML format) to produce a custom "
            + "diff-like output, or apply such an output as a patch")
public final class CrmDiff extends Command {
  @Option(
      names = {"-o", "--original"},
      paramLabel = "FILE",
      description = "XML is contained in the named file")
  private @Nullable String originalFile;

  @Option(
      names = {"-O", "--original-string"},
      paramLabel = "STRING",
      description = "XML is contained in the supplied string; takes precedence over --original")
  private @Nullable String originalText;

  @Option(
      names = {"-N", "--new-string"},
      paramLabel = "STRING",
      description =
          "Compare the original XML with the contents of the supplied string; takes precedence"
              + " over --patch and --new")
  private @Nullable String newText;

  @Option(
      names = {"-c", "--cib"},
      description = "Compare/patch the inputs as a CIB (includes version details)")
  private boolean asCib;

  @Option(
      names = {"-u", "--no-version"},
      description = "Generate the difference without version details")
  private boolean noVersion;

  @Option(
      names = {"-s", "--stdin"},
      hidden = true)
  private boolean fromInput;

  private @Nullable String newFile;
  private boolean patch;

  public CrmDiff() {
    super("crm_diff");
  }

  @Option(
      names = {"-n", "--new"},
      paramLabel = "FILE",
      description = "Compare the original XML to the contents of the named file")
  private void setNew(String file) {
    newFile = file;
  }

  @Option(
      names = {"-p", "--patch"},
      paramLabel = "FILE",
      description = "Patch the original XML with the contents of the named file")
  private void setPatch(String file) {
    newFile = file;
    patch = true;
  }

  @Override
  protected void setUp(Output output) {}

  @Override
  protected ExitStatus execute() throws CommandException {
    if (noVersion && asCib) {
      throw CommandException.usage("-u/--no-version incompatible with -c/--cib");
    }
    if (noVersion && patch) {
      out().error("Warning: -u/--no-version ignored with -p/--patch");
    }
    if (originalText == null && !fromInput && originalFile == null) {
      throw CommandException.usage("Either --original or --original-string must be specified");
    }
    if (newText == null && !fromInput && newFile == null) {
      throw CommandException.usage("Either --new, --new-string, or --patch must be specified");
    }
    var original = read(originalText, originalFile, "original");
    var other = read(newText, newFile, patch ? "patch" : "new");
    return patch ? apply(original, other) : compare(original, other);
  }

  private Element read(@Nullable String text, @Nullable String file, String what)
      throws CommandException {
    try {
      if (text != null) {
        return XmlReader.parse(text);
      }
      return XmlInput.read(terminal(), fromInput || file == null ? "-" : file);
    } catch (XmlException e) {
      XmlInput.explain(terminal(), text != null ? "input string" : fromInput || file == null ? "stdin" : file, e);
      throw new CommandException(ExitStatus.DATAERR, "Failed to parse " + what + " XML");
    }
  }

  private ExitStatus apply(Element original, Element patchset) throws CommandException {
    var applied = CibPatch.apply(original, patchset, asCib);
    if (!applied.rc().isOk()) {
      throw new CommandException(
          applied.rc().exit(), "Could not apply patch: " + applied.rc().text());
    }
    out().xml("updated", XmlWriter.pretty(applied.cib()));
    return ExitStatus.OK;
  }

  private ExitStatus compare(Element original, Element other) {
    var target = noVersion ? sameVersion(original, other) : other;
    var diff = CibPatch.between(original, target, !asCib);
    if (diff == null) {
      return ExitStatus.OK;
    }
    if (asCib) {
      diff = diff.with("digest", CibDigest.versioned(target));
    } else if (noVersion) {
      diff = diff.remove(0);
    }
    out().xml("patchset", XmlWriter.pretty(diff));
    return ExitStatus.ERROR;
  }

  private static Element sameVersion(Element original, Element other) {
    return original.has("admin_epoch") || original.has("epoch") || original.has("num_updates")
        ? CibVersion.of(original).on(other)
        : other;
  }
}
