/** The terms of leases that are not as long as usual. */
import { expect, it } from "vitest";
import { DEFAULT_LEASE_TERMS, termsOfLease } from "../../../../emulator/core/jobs/lease-terms.ts";

it("has a lease of any length renewed three times as often, as by default", () => {
  expect(termsOfLease(DEFAULT_LEASE_TERMS.leaseMs)).toEqual(DEFAULT_LEASE_TERMS);
  expect(termsOfLease(1_000)).toEqual({ leaseMs: 1_000, leaseRenewalMs: 334 });
});

it.each([0, 999, -15_000, 1_500.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "refuses a lease of %d ms",
  (leaseMs) => {
    expect(() => termsOfLease(leaseMs)).toThrow(
      `leaseMs must be a whole number of milliseconds, at least 1000, not ${leaseMs}`,
    );
  },
);
