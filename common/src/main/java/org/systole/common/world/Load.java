package org.systole.common.world;

/// How busy the machine is.
///
/// @param average how many tasks ran or wanted to run, averaged over the last minute; 0 where that
///     is not known
/// @param cores how many processors there are
public record Load(double average, int cores) {}
