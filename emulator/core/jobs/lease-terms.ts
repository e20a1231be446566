/** The terms on which workers hold jobs: how long they may be silent, and how often they renew. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";

export interface LeaseTerms {
  /** A lease that is not renewed for this long is lost, and so is a worker that says nothing for this long. */
  readonly leaseMs: number;
  /** How often a worker renews its leases, or just says that it is there. */
  readonly leaseRenewalMs: number;
}

export const DEFAULT_LEASE_TERMS: LeaseTerms = {
  leaseMs: LIMITS.leaseMs,
  leaseRenewalMs: LIMITS.leaseRenewalMs,
};

/**
 * Terms for leases of another length: two renewals in a row may go astray, as by default.
 *
 * @throws RangeError for a length that is no whole number of ms, or too short to be renewed in time
 */
export function termsOfLease(leaseMs: number): LeaseTerms {
  if (!Number.isSafeInteger(leaseMs) || leaseMs < LIMITS.leaseMinMs) {
    const bound = `a whole number of milliseconds, at least ${LIMITS.leaseMinMs}`;
    throw new RangeError(`leaseMs must be ${bound}, not ${leaseMs}`);
  }
  return { leaseMs, leaseRenewalMs: Math.ceil(leaseMs / 3) };
}
