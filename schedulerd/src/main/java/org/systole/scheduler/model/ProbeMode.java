package org.systole.scheduler.model;

/// Whether a resource is looked for on a node before anything is decided (`resource-discovery`).
public enum ProbeMode {
  ALWAYS,
  NEVER,
  EXCLUSIVE
}
