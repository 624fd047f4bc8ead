package org.systole.tools.cib;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibDigest;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `cibadmin`: queries and changes the CIB.
@picocli.CommandLine.Command(description = "query and edit the Pacemaker configuration")
public final class Cibadmin extends Command {
  private static final int TIMEOUT_DEFAULT = 30;
  private static final List<String> SCOPES =
      List.of(
          "configuration",
          "nodes",
          "resources",
          "constraints",
          "crm_config",
          "rsc_defaults",
          "op_defaults",
          "acls",
          "fencing-topology",
          "tags",
          "alerts",
          "status");

  private enum Task {
    QUERY(false, false, false),
    UPGRADE(false, true, false),
    ERASE(false, true, false),
    BUMP(false, false, false),
    CREATE(true, false, false),
    MODIFY(true, false, false),
    PATCH(true, false, false),
    REPLACE(true, false, false),
    DELETE(true, false, true),
    DELETE_ALL(true, true, true),
    EMPTY(false, false, false),
    MD5_SUM(true, false, false),
    MD5_SUM_VERSIONED(true, false, false);

    final boolean needsInput;
    final boolean dangerous;
    final boolean takesXPath;

    Task(boolean needsInput, boolean dangerous, boolean takesXPath) {
      this.needsInput = needsInput;
      this.dangerous = dangerous;
      this.takesXPath = takesXPath;
    }
  }

  private Task task = Task.QUERY;
  private String schema = "";
  private String section = "";
  private boolean byXPath;
  private boolean byScope;

  @Option(
      names = {"-x", "--xml-file"},
      paramLabel = "FILE",
      description = "Retrieve XML from the named file; takes precedence over -X and -p")
  private @Nullable String inputFile;

  @Option(
      names = {"-X", "--xml-text"},
      paramLabel = "STRING",
      description = "Retrieve XML from the supplied string; takes precedence over -p")
  private @Nullable String inputText;

  @Option(
      names = {"-p", "--xml-pipe"},
      description = "Retrieve XML from stdin")
  private boolean inputPipe;

  @Option(
      names = {"-f", "--force"},
      description = "Force the action to be performed")
  private boolean force;

  @Option(
      names = {"-t", "--timeout"},
      paramLabel = "value",
      description = "Time (in seconds) to wait before declaring the operation failed")
  private String timeout = Integer.toString(TIMEOUT_DEFAULT);

  @Option(
      names = {"-U", "--user"},
      paramLabel = "value",
      description =
          "Run the command with permissions of the named user (valid only for the root and"
              + " hacluster accounts)")
  private @Nullable String user;

  @Option(
      names = {"-S", "--show-access"},
      arity = "0..1",
      fallbackValue = "auto",
      paramLabel = "value",
      description = "Whether to use syntax highlighting for ACLs (with -Q/--query and -U/--user)")
  private @Nullable String showAccess;

  @Option(
      names = "--score",
      description =
          "Treat new attribute values as atomic score updates where possible (with --modify/-M)")
  private boolean score;

  @Option(
      names = {"-c", "--allow-create"},
      description = "(Advanced) Allow target of --modify/-M to be created if it does not exist")
  private boolean allowCreate;

  @Option(
      names = {"-n", "--no-children"},
      description = "(Advanced) When querying an object, do not include its children in the result")
  private boolean noChildren;

  @Option(
      names = {"-l", "--local"},
      hidden = true)
  private boolean local;

  @Option(
      names = {"-N", "--node"},
      hidden = true)
  private @Nullable String node;

  @Option(
      names = {"-e", "--node-path"},
      hidden = true)
  private boolean paths;

  @Option(
      names = {"-s", "--sync-call"},
      hidden = true)
  private boolean syncCall;

  public Cibadmin() {
    super("cibadmin");
  }

  @Option(
      names = {"-u", "--upgrade"},
      description = "Upgrade the configuration to the latest syntax")
  private void setUpgrade(boolean given) {
    task = Task.UPGRADE;
  }

  @Option(
      names = {"-Q", "--query"},
      description = "Query the contents of the CIB")
  private void setQuery(boolean given) {
    task = Task.QUERY;
  }

  @Option(
      names = {"-E", "--erase"},
      description = "Erase the contents of the whole CIB")
  private void setErase(boolean given) {
    task = Task.ERASE;
  }

  @Option(
      names = {"-B", "--bump"},
      description = "Increase the CIB's epoch value by 1")
  private void setBump(boolean given) {
    task = Task.BUMP;
  }

  @Option(
      names = {"-C", "--create"},
      description = "Create an object in the CIB (will fail if object already exists)")
  private void setCreate(boolean given) {
    task = Task.CREATE;
  }

  @Option(
      names = {"-M", "--modify"},
      description =
          "Find object somewhere in CIB's XML tree and update it (fails if object does not exist"
              + " unless -c is also specified)")
  private void setModify(boolean given) {
    task = Task.MODIFY;
  }

  @Option(
      names = {"-P", "--patch"},
      description = "Supply an update in the form of an XML diff (see crm_diff(8))")
  private void setPatch(boolean given) {
    task = Task.PATCH;
  }

  @Option(
      names = {"-R", "--replace"},
      description = "Recursively replace an object in the CIB")
  private void setReplace(boolean given) {
    task = Task.REPLACE;
  }

  @Option(
      names = {"-D", "--delete"},
      description =
          "Delete first object matching supplied criteria (for example, <op id=\"rsc1_op1\""
              + " name=\"monitor\"/>). The XML element name and all attributes must match in order"
              + " for the element to be deleted.")
  private void setDelete(boolean given) {
    task = Task.DELETE;
  }

  @Option(
      names = {"-d", "--delete-all"},
      description =
          "When used with --xpath, remove all matching objects in the configuration instead of"
              + " just the first one")
  private void setDeleteAll(boolean given) {
    task = Task.DELETE_ALL;
  }

  @Option(
      names = {"-a", "--empty"},
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "schema",
      description =
          "Output an empty CIB. Accepts an optional schema name argument to use as the"
              + " validate-with value. If no schema is given, the latest will be used.")
  private void setEmpty(String name) {
    task = Task.EMPTY;
    schema = name;
  }

  @Option(
      names = {"-5", "--md5-sum"},
      description = "Calculate the on-disk CIB digest")
  private void setMd5Sum(boolean given) {
    task = Task.MD5_SUM;
  }

  @Option(
      names = {"-6", "--md5-sum-versioned"},
      description = "Calculate an on-the-wire versioned CIB digest")
  private void setMd5SumVersioned(boolean given) {
    task = Task.MD5_SUM_VERSIONED;
  }

  @Option(
      names = {"-o", "--scope"},
      paramLabel = "value",
      description = "Limit scope of operation to specific section of CIB")
  private void setScope(String scope) {
    section = scope;
    byScope = true;
    byXPath = false;
  }

  @Option(
      names = {"-A", "--xpath"},
      paramLabel = "value",
      description = "A valid XPath to use instead of --scope/-o")
  private void setXPath(String xpath) {
    section = xpath;
    byXPath = true;
    byScope = false;
  }

  @Override
  protected void setUp(Output output) {}

  @Override
  protected ExitStatus execute() throws CommandException {
    if (!arguments().isEmpty()) {
      throw CommandException.usage("non-option ARGV-elements: " + String.join(" ", arguments()));
    }
    if (task.dangerous && !force) {
      throw new CommandException(
          ExitStatus.UNSAFE,
          "The supplied command is considered dangerous. To prevent accidental destruction of the"
              + " cluster, the --force flag is required in order to proceed.");
    }
    checkShowAccess();
    var input = task.needsInput && !(task.takesXPath && byXPath) ? input() : null;
    switch (task) {
      case EMPTY -> show(NewCib.of(terminal(), 1, schema));
      case MD5_SUM -> digest(CibDigest.onDisk(given(input)));
      case MD5_SUM_VERSIONED -> digest(CibDigest.versioned(given(input)));
      case QUERY, UPGRADE, ERASE, BUMP, CREATE, MODIFY, PATCH, REPLACE, DELETE, DELETE_ALL -> {
        return ask(input);
      }
    }
    return ExitStatus.OK;
  }

  private void checkShowAccess() throws CommandException {
    if (showAccess == null) {
      return;
    }
    if (!List.of("auto", "namespace", "text", "color").contains(showAccess)) {
      throw CommandException.usage("Invalid value '" + showAccess + "' for option '--show-access'");
    }
    if (task == Task.QUERY) {
      if (user == null) {
        throw CommandException.usage("-U/--user is required with -S/--show-access");
      }
    } else {
      showAccess = null; // nothing else has an output to show rights in
    }
  }

  private static Element given(@Nullable Element input) {
    if (input == null) {
      throw new IllegalStateException("no input");
    }
    return input;
  }

  private Element input() throws CommandException {
    try {
      if (inputFile != null) {
        return XmlInput.read(terminal(), inputFile);
      }
      if (inputText != null) {
        return XmlReader.parse(inputText);
      }
      if (inputPipe) {
        return XmlInput.read(terminal(), "-");
      }
    } catch (XmlException e) {
      var from = inputFile != null ? inputFile : inputText != null ? "input string" : "stdin";
      XmlInput.explain(terminal(), from, e);
      throw new CommandException(ExitStatus.DATAERR, "Couldn't parse input from " + from);
    }
    throw CommandException.usage(
        "The supplied command requires "
            + (task.takesXPath ? "either --xpath or " : "")
            + "input via --xml-file, --xml-text, or --xml-pipe");
  }

  private void digest(String digest) {
    if (out() instanceof XmlOutput xml) {
      xml.add("md5-sum", "digest", digest);
    } else {
      out().info(digest);
    }
  }

  private void show(Element xml) {
    out().xml("output", XmlWriter.pretty(xml));
  }

  @Override
  protected String askedAs() {
    return user == null ? "" : user;
  }

  private ExitStatus ask(@Nullable Element input) throws CommandException {
    if (byScope && !SCOPES.contains(section)) {
      out()
          .error(
              "Invalid value '"
                  + section
                  + "' for '--scope'. Operation will apply to the entire CIB");
    }
    var seconds = Numbers.parseInt(timeout, -1);
    if (seconds < 1) {
      out().error("Timeout must be positive, defaulting to " + TIMEOUT_DEFAULT);
      seconds = TIMEOUT_DEFAULT;
    }
    var environment = terminal().environment();
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, name(), Duration.ofSeconds(seconds))) {
      return finish(ask(cib, input), cib.isLive());
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(), "Could not connect to the CIB API: " + e.rc().text());
    }
  }

  private CibMessage.Answer ask(CibTarget cib, @Nullable Element input) {
    if (task == Task.QUERY) {
      var rights = showAccess == null && user != null ? user : "";
      return cib.query(new CibQuery(section, byXPath, noChildren, paths && byXPath), rights);
    }
    return cib.update(List.of(operation(input)), force, askedAs());
  }

  private CibOp operation(@Nullable Element input) {
    var kind =
        switch (task) {
          case CREATE -> CibOp.Kind.CREATE;
          case MODIFY -> CibOp.Kind.MODIFY;
          case REPLACE -> CibOp.Kind.REPLACE;
          case DELETE, DELETE_ALL -> CibOp.Kind.DELETE;
          case ERASE -> CibOp.Kind.ERASE;
          case BUMP -> CibOp.Kind.BUMP;
          case PATCH -> CibOp.Kind.PATCH;
          case UPGRADE -> CibOp.Kind.UPGRADE;
          case QUERY, EMPTY, MD5_SUM, MD5_SUM_VERSIONED ->
              throw new IllegalStateException(task + " changes nothing");
        };
    var whole = input;
    if (task == Task.REPLACE && whole != null && whole.is("cib") && whole.first("status") == null) {
      whole = whole.plus(Element.of("status"));
    }
    return new CibOp(
        kind,
        section,
        byXPath,
        whole == null ? null : XmlWriter.compact(whole),
        task == Task.MODIFY && allowCreate,
        task == Task.MODIFY,
        task == Task.DELETE_ALL,
        "");
  }

  private ExitStatus finish(CibMessage.Answer answer, boolean live) throws CommandException {
    var rc = answer.rc();
    if (task == Task.UPGRADE && rc == Rc.SCHEMA_UNCHANGED) {
      if (live) {
        out().info("Upgrade unnecessary: " + rc.text());
      }
      return ExitStatus.OK;
    }
    var xml = answer.xml();
    if (xml != null) {
      show(xml, answer);
    }
    if (!rc.isOk()) {
      if (!answer.why().isEmpty()) {
        answer.why().lines().forEach(terminal().err()::println);
      }
      throw new CommandException(rc.exit(), "CIB API call failed: " + rc.text());
    }
    return rc.exit();
  }

  private void show(String xml, CibMessage.Answer answer) throws CommandException {
    try {
      var element = XmlReader.parse(xml);
      if (paths && byXPath && element.is("xpath-query") && !(out() instanceof XmlOutput)) {
        element.children("xpath-query-path").forEach(it -> out().info(it.get("id", "")));
      } else if (showAccess != null && user != null && answer.rc().isOk() && element.is("cib")) {
        AccessView.show(out(), element, showAccess, user);
      } else if (answer.rc() != Rc.SCHEMA_VALIDATION) {
        show(element);
      }
    } catch (XmlException e) {
      throw new CommandException(ExitStatus.PROTOCOL, "The answer is not XML: " + e.getMessage());
    }
  }
}
