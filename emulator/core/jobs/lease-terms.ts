/** The terms of leases: how long a worker may be silent, and how often it renews. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export interface LeaseTerms {
  /** Time without renewal after which a lease is lost. A worker is lost after the same time without a message. */
  readonly leaseMs: number;
  /** Interval at which a worker renews its leases, or reports that it is alive. */
  readonly leaseRenewalMs: number;
}

export const DEFAULT_LEASE_TERMS: LeaseTerms = {
  leaseMs: LIMITS.leaseMs,
  leaseRenewalMs: LIMITS.leaseRenewalMs,
};

/**
 * Terms for leases of another length. As with the default, two renewals in a row may be lost.
 * @throws RangeError for a length that is not a whole number of ms, or too short to be renewed in time
 */
export function termsOfLease(leaseMs: number): LeaseTerms {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < LIMITS.leaseMinMs) {
    const bound = `a whole number of milliseconds, at least ${LIMITS.leaseMinMs}`;
    throw new RangeError(`leaseMs must be ${bound}, not ${leaseMs}`);
  }
  return { leaseMs, leaseRenewalMs: Math.ceil(leaseMs / 3) };
}
