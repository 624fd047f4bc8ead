package org.systole.common.output;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How an operation ended, in the terms users meet: the numbers and texts that commands print and
/// `crm_error` explains. Negative codes are the cluster's own, positive ones the system's errors.
public enum Rc {
  OK(0, "pcmk_rc_ok", "OK", 0, ExitStatus.OK),
  ERROR(-1001, "pcmk_rc_error", "Error", 201, ExitStatus.ERROR),
  UNKNOWN_FORMAT(-1002, "pcmk_rc_unknown_format", "Unknown output format", 217, ExitStatus.NOSUCH),
  BAD_NVPAIR(
      -1003, "pcmk_rc_bad_nvpair", "Bad name/value pair given", 216, ExitStatus.INVALID_PARAM),
  ALREADY(-1004, "pcmk_rc_already", "Already in requested state", 215, ExitStatus.EXISTS),
  NODE_UNKNOWN(-1005, "pcmk_rc_node_unknown", "Node not found", 214, ExitStatus.NOHOST),
  MULTIPLE(
      -1006, "pcmk_rc_multiple", "Resource active on multiple nodes", 213, ExitStatus.MULTIPLE),
  CIB_CORRUPT(
      -1007,
      "pcmk_rc_cib_corrupt",
      "Could not parse on-disk configuration",
      212,
      ExitStatus.CONFIG),
  CIB_SAVE(
      -1008, "pcmk_rc_cib_save", "Could not save new configuration to disk", 210, ExitStatus.ERROR),
  CIB_BACKUP(
      -1009,
      "pcmk_rc_cib_backup",
      "Could not archive previous configuration",
      209,
      ExitStatus.ERROR),
  CIB_MODIFIED(
      -1010,
      "pcmk_rc_cib_modified",
      "On-disk configuration was manually modified",
      208,
      ExitStatus.ERROR),
  DIFF_RESYNC(
      -1011,
      "pcmk_rc_diff_resync",
      "Application of update diff failed, requesting full refresh",
      207,
      ExitStatus.ERROR),
  DIFF_FAILED(
      -1012, "pcmk_rc_diff_failed", "Application of update diff failed", 206, ExitStatus.ERROR),
  OLD_DATA(
      -1013,
      "pcmk_rc_old_data",
      "Update was older than existing configuration",
      205,
      ExitStatus.OLD),
  TRANSFORM_FAILED(
      -1014, "pcmk_rc_transform_failed", "Schema transform failed", 204, ExitStatus.CONFIG),
  SCHEMA_UNCHANGED(
      -1015,
      "pcmk_rc_schema_unchanged",
      "Schema is already the latest available",
      211,
      ExitStatus.ERROR),
  SCHEMA_VALIDATION(
      -1016,
      "pcmk_rc_schema_validation",
      "Update does not conform to the configured schema",
      203,
      ExitStatus.CONFIG),
  NO_QUORUM(-1017, "pcmk_rc_no_quorum", "Operation requires quorum", 202, ExitStatus.QUORUM),
  IPC_UNAUTHORIZED(
      -1018,
      "pcmk_rc_ipc_unauthorized",
      "IPC server is blocked by unauthorized process",
      201,
      ExitStatus.ERROR),
  IPC_UNRESPONSIVE(
      -1019, "pcmk_rc_ipc_unresponsive", "IPC server is unresponsive", 201, ExitStatus.ERROR),
  IPC_PID_ONLY(
      -1020,
      "pcmk_rc_ipc_pid_only",
      "IPC server process is active but not accepting connections",
      201,
      ExitStatus.ERROR),
  OP_UNSATISFIED(
      -1021,
      "pcmk_rc_op_unsatisfied",
      "Not applicable under current conditions",
      201,
      ExitStatus.UNSATISFIED),
  UNDETERMINED(-1022, "pcmk_rc_undetermined", "Result undetermined", 201, ExitStatus.INDETERMINATE),
  BEFORE_RANGE(
      -1023,
      "pcmk_rc_before_range",
      "Result occurs before given range",
      201,
      ExitStatus.NOT_YET_IN_EFFECT),
  WITHIN_RANGE(
      -1024, "pcmk_rc_within_range", "Result occurs within given range", 201, ExitStatus.OK),
  AFTER_RANGE(
      -1025, "pcmk_rc_after_range", "Result occurs after given range", 201, ExitStatus.EXPIRED),
  NO_OUTPUT(-1026, "pcmk_rc_no_output", "Output message produced no output", 201, ExitStatus.OK),
  NO_INPUT(-1027, "pcmk_rc_no_input", "Input file not available", 201, ExitStatus.NOINPUT),
  UNDERFLOW(
      -1028,
      "pcmk_rc_underflow",
      "Value too small to be stored in data type",
      201,
      ExitStatus.SOFTWARE),
  DOT_ERROR(-1029, "pcmk_rc_dot_error", "Error writing dot(1) file", 201, ExitStatus.IOERR),
  GRAPH_ERROR(-1030, "pcmk_rc_graph_error", "Error writing graph file", 201, ExitStatus.IOERR),
  INVALID_TRANSITION(
      -1031,
      "pcmk_rc_invalid_transition",
      "Cluster simulation produced invalid transition",
      201,
      ExitStatus.ERROR),
  UNPACK_ERROR(-1032, "pcmk_rc_unpack_error", "Unable to parse CIB XML", 201, ExitStatus.CONFIG),
  DUPLICATE_ID(
      -1033,
      "pcmk_rc_duplicate_id",
      "Two or more XML elements have the same ID",
      201,
      ExitStatus.MULTIPLE),
  DISABLED(-1034, "pcmk_rc_disabled", "Disabled", 201, ExitStatus.ERROR),
  BAD_INPUT(-1035, "pcmk_rc_bad_input", "Bad input value provided", 201, ExitStatus.DATAERR),
  BAD_XML_PATCH(-1036, "pcmk_rc_bad_xml_patch", "Bad XML patch format", 201, ExitStatus.DATAERR),
  NO_TRANSACTION(
      -1037, "pcmk_rc_no_transaction", "No active transaction found", 201, ExitStatus.NOSUCH),
  NS_RESOLUTION(
      -1038, "pcmk_rc_ns_resolution", "Nameserver resolution error", 201, ExitStatus.NOHOST),
  COMPRESSION(
      -1039, "pcmk_rc_compression", "Compression/decompression error", 201, ExitStatus.SOFTWARE),
  NO_DC(-1040, "pcmk_rc_no_dc", "DC is not yet elected", 201, ExitStatus.NO_DC),
  IPC_MORE(-1041, "pcmk_rc_ipc_more", "More IPC message fragments to send", 201, ExitStatus.ERROR),
  CS_INTERNAL(-1042, "pcmk_rc_cs_internal", "Internal corosync error", 201, ExitStatus.SOFTWARE),
  DIGEST_MISMATCH(
      -1043,
      "pcmk_rc_digest_mismatch",
      "Digest does not match expected value",
      201,
      ExitStatus.DIGEST),
  EPERM(1, "EPERM", "Operation not permitted", 1, ExitStatus.ERROR),
  ENOENT(2, "ENOENT", "No such file or directory", 2, ExitStatus.NOSUCH),
  ESRCH(3, "ESRCH", "No such process", 3, ExitStatus.ERROR),
  EINTR(4, "EINTR", "Interrupted system call", 4, ExitStatus.ERROR),
  EIO(5, "EIO", "Input/output error", 5, ExitStatus.IOERR),
  ENXIO(6, "ENXIO", "No such device or address", 6, ExitStatus.NOSUCH),
  E2BIG(7, "E2BIG", "Argument list too long", 7, ExitStatus.ERROR),
  ENOEXEC(8, "ENOEXEC", "Exec format error", 8, ExitStatus.ERROR),
  EBADF(9, "EBADF", "Bad file descriptor", 9, ExitStatus.SOFTWARE),
  ECHILD(10, "ECHILD", "No child processes", 10, ExitStatus.ERROR),
  EAGAIN(11, "EAGAIN", "Resource temporarily unavailable", 11, ExitStatus.UNSATISFIED),
  ENOMEM(12, "ENOMEM", "Cannot allocate memory", 12, ExitStatus.OSERR),
  EACCES(13, "EACCES", "Permission denied", 13, ExitStatus.INSUFFICIENT_PRIV),
  EFAULT(14, "EFAULT", "Bad address", 14, ExitStatus.SOFTWARE),
  ENOTBLK(15, "ENOTBLK", "Block device required", 15, ExitStatus.ERROR),
  EBUSY(16, "EBUSY", "Device or resource busy", 16, ExitStatus.UNSATISFIED),
  EEXIST(17, "EEXIST", "File exists", 17, ExitStatus.EXISTS),
  EXDEV(18, "EXDEV", "Invalid cross-device link", 18, ExitStatus.ERROR),
  ENODEV(19, "ENODEV", "No such device", 19, ExitStatus.NOSUCH),
  ENOTDIR(20, "ENOTDIR", "Not a directory", 20, ExitStatus.ERROR),
  EISDIR(21, "EISDIR", "Is a directory", 21, ExitStatus.ERROR),
  EINVAL(22, "EINVAL", "Invalid argument", 22, ExitStatus.SOFTWARE),
  ENFILE(23, "ENFILE", "Too many open files in system", 23, ExitStatus.ERROR),
  EMFILE(24, "EMFILE", "Too many open files", 24, ExitStatus.ERROR),
  ENOTTY(25, "ENOTTY", "Inappropriate ioctl for device", 25, ExitStatus.ERROR),
  ETXTBSY(26, "ETXTBSY", "Text file busy", 26, ExitStatus.ERROR),
  EFBIG(27, "EFBIG", "File too large", 27, ExitStatus.ERROR),
  ENOSPC(28, "ENOSPC", "No space left on device", 28, ExitStatus.ERROR),
  ESPIPE(29, "ESPIPE", "Illegal seek", 29, ExitStatus.ERROR),
  EROFS(30, "EROFS", "Read-only file system", 30, ExitStatus.ERROR),
  EMLINK(31, "EMLINK", "Too many links", 31, ExitStatus.ERROR),
  EPIPE(32, "EPIPE", "Broken pipe", 32, ExitStatus.ERROR),
  EDOM(33, "EDOM", "Numerical argument out of domain", 33, ExitStatus.ERROR),
  ERANGE(34, "ERANGE", "Numerical result out of range", 34, ExitStatus.ERROR),
  EDEADLK(35, "EDEADLK", "Resource deadlock avoided", 35, ExitStatus.ERROR),
  ENAMETOOLONG(36, "ENAMETOOLONG", "File name too long", 36, ExitStatus.ERROR),
  ENOLCK(37, "ENOLCK", "No locks available", 37, ExitStatus.ERROR),
  ENOSYS(38, "ENOSYS", "Function not implemented", 38, ExitStatus.SOFTWARE),
  ENOTEMPTY(39, "ENOTEMPTY", "Directory not empty", 39, ExitStatus.ERROR),
  ELOOP(40, "ELOOP", "Too many levels of symbolic links", 40, ExitStatus.ERROR),
  ENOMSG(42, "ENOMSG", "No message of desired type", 42, ExitStatus.PROTOCOL),
  EIDRM(43, "EIDRM", "Identifier removed", 43, ExitStatus.ERROR),
  ECHRNG(44, "ECHRNG", "Channel number out of range", 44, ExitStatus.ERROR),
  EL2NSYNC(45, "EL2NSYNC", "Level 2 not synchronized", 45, ExitStatus.ERROR),
  EL3HLT(46, "EL3HLT", "Level 3 halted", 46, ExitStatus.ERROR),
  EL3RST(47, "EL3RST", "Level 3 reset", 47, ExitStatus.ERROR),
  EUNATCH(49, "EUNATCH", "Protocol driver not attached", 49, ExitStatus.ERROR),
  EL2HLT(51, "EL2HLT", "Level 2 halted", 51, ExitStatus.ERROR),
  EBADE(52, "EBADE", "Invalid exchange", 52, ExitStatus.ERROR),
  EBADR(53, "EBADR", "Invalid request descriptor", 53, ExitStatus.ERROR),
  EXFULL(54, "EXFULL", "Exchange full", 54, ExitStatus.ERROR),
  EBADRQC(56, "EBADRQC", "Invalid request code", 56, ExitStatus.ERROR),
  EBADSLT(57, "EBADSLT", "Invalid slot", 57, ExitStatus.ERROR),
  ENOSTR(60, "ENOSTR", "Device not a stream", 60, ExitStatus.ERROR),
  ENODATA(61, "ENODATA", "No data available", 61, ExitStatus.ERROR),
  ETIME(62, "ETIME", "Timer expired", 62, ExitStatus.TIMEOUT),
  ENOSR(63, "ENOSR", "Out of streams resources", 63, ExitStatus.ERROR),
  ENONET(64, "ENONET", "Machine is not on the network", 64, ExitStatus.ERROR),
  ENOPKG(65, "ENOPKG", "Package not installed", 65, ExitStatus.ERROR),
  EREMOTE(66, "EREMOTE", "Object is remote", 66, ExitStatus.ERROR),
  ENOLINK(67, "ENOLINK", "Link has been severed", 67, ExitStatus.ERROR),
  ECOMM(70, "ECOMM", "Communication error on send", 70, ExitStatus.OSERR),
  EPROTO(71, "EPROTO", "Protocol error", 71, ExitStatus.PROTOCOL),
  EMULTIHOP(72, "EMULTIHOP", "Multihop attempted", 72, ExitStatus.ERROR),
  EBADMSG(74, "EBADMSG", "Bad message", 74, ExitStatus.PROTOCOL),
  EOVERFLOW(75, "EOVERFLOW", "Value too large for defined data type", 75, ExitStatus.SOFTWARE),
  ENOTUNIQ(76, "ENOTUNIQ", "Name not unique on network", 76, ExitStatus.MULTIPLE),
  EBADFD(77, "EBADFD", "File descriptor in bad state", 77, ExitStatus.ERROR),
  EREMCHG(78, "EREMCHG", "Remote address changed", 78, ExitStatus.ERROR),
  ELIBACC(79, "ELIBACC", "Can not access a needed shared library", 79, ExitStatus.ERROR),
  ELIBBAD(80, "ELIBBAD", "Accessing a corrupted shared library", 80, ExitStatus.ERROR),
  ELIBSCN(81, "ELIBSCN", ".lib section in a.out corrupted", 81, ExitStatus.ERROR),
  ELIBMAX(82, "ELIBMAX", "Attempting to link in too many shared libraries", 82, ExitStatus.ERROR),
  ELIBEXEC(83, "ELIBEXEC", "Cannot exec a shared library directly", 83, ExitStatus.ERROR),
  EILSEQ(84, "EILSEQ", "Invalid or incomplete multibyte or wide character", 84, ExitStatus.ERROR),
  ERESTART(85, "ERESTART", "Interrupted system call should be restarted", 85, ExitStatus.ERROR),
  ESTRPIPE(86, "ESTRPIPE", "Streams pipe error", 86, ExitStatus.ERROR),
  EUSERS(87, "EUSERS", "Too many users", 87, ExitStatus.ERROR),
  ENOTSOCK(88, "ENOTSOCK", "Socket operation on non-socket", 88, ExitStatus.ERROR),
  EDESTADDRREQ(89, "EDESTADDRREQ", "Destination address required", 89, ExitStatus.ERROR),
  EMSGSIZE(90, "EMSGSIZE", "Message too long", 90, ExitStatus.PROTOCOL),
  EPROTOTYPE(91, "EPROTOTYPE", "Protocol wrong type for socket", 91, ExitStatus.PROTOCOL),
  ENOPROTOOPT(92, "ENOPROTOOPT", "Protocol not available", 92, ExitStatus.PROTOCOL),
  EPROTONOSUPPORT(93, "EPROTONOSUPPORT", "Protocol not supported", 93, ExitStatus.PROTOCOL),
  ESOCKTNOSUPPORT(94, "ESOCKTNOSUPPORT", "Socket type not supported", 94, ExitStatus.ERROR),
  EOPNOTSUPP(95, "EOPNOTSUPP", "Operation not supported", 95, ExitStatus.UNIMPLEMENT_FEATURE),
  EPFNOSUPPORT(96, "EPFNOSUPPORT", "Protocol family not supported", 96, ExitStatus.ERROR),
  EAFNOSUPPORT(
      97, "EAFNOSUPPORT", "Address family not supported by protocol", 97, ExitStatus.ERROR),
  EADDRINUSE(98, "EADDRINUSE", "Address already in use", 98, ExitStatus.ERROR),
  EADDRNOTAVAIL(99, "EADDRNOTAVAIL", "Cannot assign requested address", 99, ExitStatus.ERROR),
  ENETDOWN(100, "ENETDOWN", "Network is down", 100, ExitStatus.ERROR),
  ENETUNREACH(101, "ENETUNREACH", "Network is unreachable", 101, ExitStatus.ERROR),
  ENETRESET(102, "ENETRESET", "Network dropped connection on reset", 102, ExitStatus.ERROR),
  ECONNABORTED(103, "ECONNABORTED", "Software caused connection abort", 103, ExitStatus.DISCONNECT),
  ECONNRESET(104, "ECONNRESET", "Connection reset by peer", 104, ExitStatus.DISCONNECT),
  ENOBUFS(105, "ENOBUFS", "No buffer space available", 105, ExitStatus.ERROR),
  EISCONN(106, "EISCONN", "Transport endpoint is already connected", 106, ExitStatus.ERROR),
  ENOTCONN(107, "ENOTCONN", "Transport endpoint is not connected", 107, ExitStatus.DISCONNECT),
  ESHUTDOWN(
      108, "ESHUTDOWN", "Cannot send after transport endpoint shutdown", 108, ExitStatus.ERROR),
  ETIMEDOUT(110, "ETIMEDOUT", "Connection timed out", 110, ExitStatus.TIMEOUT),
  ECONNREFUSED(111, "ECONNREFUSED", "Connection refused", 111, ExitStatus.DISCONNECT),
  EHOSTDOWN(112, "EHOSTDOWN", "Host is down", 112, ExitStatus.ERROR),
  EHOSTUNREACH(113, "EHOSTUNREACH", "No route to host", 113, ExitStatus.ERROR),
  EALREADY(114, "EALREADY", "Operation already in progress", 114, ExitStatus.ERROR),
  EINPROGRESS(115, "EINPROGRESS", "Operation now in progress", 115, ExitStatus.ERROR),
  ESTALE(116, "ESTALE", "Stale file handle", 116, ExitStatus.ERROR),
  EUCLEAN(117, "EUCLEAN", "Structure needs cleaning", 117, ExitStatus.ERROR),
  EISNAM(120, "EISNAM", "Is a named type file", 120, ExitStatus.ERROR),
  EREMOTEIO(121, "EREMOTEIO", "Remote I/O error", 121, ExitStatus.ERROR),
  EDQUOT(122, "EDQUOT", "Disk quota exceeded", 122, ExitStatus.ERROR),
  ENOMEDIUM(123, "ENOMEDIUM", "No medium found", 123, ExitStatus.ERROR),
  EMEDIUMTYPE(124, "EMEDIUMTYPE", "Wrong medium type", 124, ExitStatus.ERROR),
  ECANCELED(125, "ECANCELED", "Operation canceled", 125, ExitStatus.ERROR),
  ENOKEY(126, "ENOKEY", "Required key not available", 126, ExitStatus.ERROR),
  EKEYEXPIRED(127, "EKEYEXPIRED", "Key has expired", 127, ExitStatus.ERROR),
  EKEYREVOKED(128, "EKEYREVOKED", "Key has been revoked", 128, ExitStatus.ERROR),
  EKEYREJECTED(129, "EKEYREJECTED", "Key was rejected by service", 129, ExitStatus.ERROR);

  private static final Map<Integer, Rc> BY_CODE = new HashMap<>();

  static {
    for (var rc : values()) {
      BY_CODE.put(rc.code, rc);
    }
  }

  private final int code;
  private final String constant;
  private final String text;
  private final int legacy;
  private final ExitStatus exit;

  Rc(int code, String constant, String text, int legacy, ExitStatus exit) {
    this.code = code;
    this.constant = constant;
    this.text = text;
    this.legacy = legacy;
    this.exit = exit;
  }

  /// The code of that number, null if it stands for nothing.
  public static @Nullable Rc of(int code) {
    return BY_CODE.get(code);
  }

  /// The code of a number of the older family, null if it stands for nothing; the first where several
  /// share it.
  public static @Nullable Rc ofLegacy(int legacy) {
    for (var rc : values()) {
      if (rc.legacy == legacy) {
        return rc;
      }
    }
    return null;
  }

  public boolean isOk() {
    return this == OK;
  }

  public int code() {
    return code;
  }

  /// The name as `crm_error -r -n` prints it.
  public String constant() {
    return constant;
  }

  /// What it means, one line without a full stop.
  public String text() {
    return text;
  }

  /// The positive number in the older family of codes that `crm_error` explains by default.
  public int legacy() {
    return legacy;
  }

  /// What a command that ends this way exits with.
  public ExitStatus exit() {
    return exit;
  }
}
