package org.systole.tools.resource;

/// What `crm_resource` is to do.
enum ResourceMode {
  LIST,
  LIST_RAW,
  LIST_CTS,
  LOCATE,
  BAN,
  MOVE,
  CLEAR,
  CLEANUP,
  REFRESH,
  SET,
  GET,
  DELETE_PARAMETER,
  DELETE,
  QUERY_XML,
  QUERY_XML_RAW,
  WHY,
  CONSTRAINTS,
  DIGESTS,
  FAIL,
  RESTART,
  WAIT,
  EXECUTE,
  OPERATIONS,
  ALL_OPERATIONS,
  LIST_STANDARDS,
  LIST_PROVIDERS,
  LIST_ALTERNATIVES,
  LIST_AGENTS,
  METADATA,
  LIST_OPTIONS;

  /// Whether more than the CIB is asked, or something is run.
  boolean needsDaemons() {
    return switch (this) {
      case CLEANUP, REFRESH, FAIL, RESTART, WAIT, EXECUTE -> true;
      default -> false;
    };
  }

  boolean needsResource() {
    return switch (this) {
      case LOCATE,
          BAN,
          MOVE,
          CLEAR,
          SET,
          GET,
          DELETE_PARAMETER,
          DELETE,
          QUERY_XML,
          QUERY_XML_RAW,
          CONSTRAINTS,
          DIGESTS,
          FAIL,
          RESTART,
          EXECUTE ->
          true;
      case LIST,
          LIST_RAW,
          LIST_CTS,
          CLEANUP,
          REFRESH,
          WHY,
          WAIT,
          OPERATIONS,
          ALL_OPERATIONS,
          LIST_STANDARDS,
          LIST_PROVIDERS,
          LIST_ALTERNATIVES,
          LIST_AGENTS,
          METADATA,
          LIST_OPTIONS ->
          false;
    };
  }

  boolean needsNode() {
    return this == FAIL || this == DIGESTS;
  }

  /// Whether it is about this machine or the product alone, not about the cluster.
  boolean isLocal() {
    return switch (this) {
      case LIST_STANDARDS, LIST_PROVIDERS, LIST_ALTERNATIVES, LIST_AGENTS, METADATA, LIST_OPTIONS ->
          true;
      case LIST,
          LIST_RAW,
          LIST_CTS,
          LOCATE,
          BAN,
          MOVE,
          CLEAR,
          CLEANUP,
          REFRESH,
          SET,
          GET,
          DELETE_PARAMETER,
          DELETE,
          QUERY_XML,
          QUERY_XML_RAW,
          WHY,
          CONSTRAINTS,
          DIGESTS,
          FAIL,
          RESTART,
          WAIT,
          EXECUTE,
          OPERATIONS,
          ALL_OPERATIONS ->
          false;
    };
  }

  /// Whether the resource is taken by its name alone, be there one or not.
  boolean takesAnyName() {
    return switch (this) {
      case DELETE, OPERATIONS, ALL_OPERATIONS, LIST, LIST_RAW, LIST_CTS, WAIT -> true;
      case LOCATE,
          BAN,
          MOVE,
          CLEAR,
          CLEANUP,
          REFRESH,
          SET,
          GET,
          DELETE_PARAMETER,
          QUERY_XML,
          QUERY_XML_RAW,
          WHY,
          CONSTRAINTS,
          DIGESTS,
          FAIL,
          RESTART,
          EXECUTE,
          LIST_STANDARDS,
          LIST_PROVIDERS,
          LIST_ALTERNATIVES,
          LIST_AGENTS,
          METADATA,
          LIST_OPTIONS ->
          false;
    };
  }

  boolean rejectsInstance() {
    return this == BAN || this == MOVE || this == CLEAR || this == RESTART;
  }
}
