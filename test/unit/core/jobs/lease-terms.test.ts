/** The terms of leases with another duration. */
import { expect, it } from "vitest";
import { DEFAULT_LEASE_TERMS, termsOfLease } from "../../../../emulator/core/jobs/lease-terms.ts";

it("a lease of any length is renewed three times in its duration, as by default", () => {
  expect(termsOfLease(DEFAULT_LEASE_TERMS.leaseMs)).toEqual(DEFAULT_LEASE_TERMS);
  expect(termsOfLease(1_000)).toEqual({ leaseMs: 1_000, leaseRenewalMs: 334 });
});

it.each([0, 999, -15_000, 1_500.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "a lease of %d ms is refused",
  (leaseMs) => {
    expect(() => termsOfLease(leaseMs)).toThrow(
      `leaseMs must be a whole number of milliseconds, at least 1000, not ${leaseMs}`,
    );
  },
);
