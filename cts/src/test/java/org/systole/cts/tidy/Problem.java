package org.systole.cts.tidy;

/// A place that breaks a rule.
///
/// @param rule the rule's word in the list of exceptions
/// @param what what breaks it, as the list of exceptions names it
/// @param amount by how much: lines of something too long, else 1
/// @param text where it is, and what to do instead
record Problem(String rule, String what, int amount, String text) {}
