package org.systole.roles.model;

/// A snapshot of a deployment. Its text is `DEPLOYMENT/NUMBER`.
///
/// @param number from 1; the next snapshot of the deployment has the next one
public record SnapshotId(DeploymentId deployment, int number) implements Comparable<SnapshotId> {
  public SnapshotId {
    if (number < 1) {
      throw new IllegalArgumentException("no snapshot's number: " + number);
    }
  }

  @Override
  public int compareTo(SnapshotId other) {
    var byDeployment = deployment.compareTo(other.deployment);
    return byDeployment != 0 ? byDeployment : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return deployment + "/" + number;
  }
}
