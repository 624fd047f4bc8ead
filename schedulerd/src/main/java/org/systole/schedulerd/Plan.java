package org.systole.schedulerd;

import java.util.List;
import org.systole.common.xml.Element;

/// What a run of the scheduler hands to the controller.
///
/// @param graph the transition graph
/// @param warnings what an administrator should know
/// @param errors mistakes in the configuration
/// @param actions what is going to change, for people
record Plan(Element graph, List<String> warnings, List<String> errors, List<String> actions) {}
