/** Validity of nonces: once, and for a limited time. */
import { expect, it } from "vitest";
import { Nonces } from "../../../../../emulator/http/replicas/channel/nonces.ts";

it("a nonce is valid once", () => {
  const nonces = new Nonces(() => 0);
  const [one, other] = [nonces.give(), nonces.give()];
  expect(one).not.toBe(other);
  expect([nonces.use(one), nonces.use(one), nonces.use(other), nonces.use(other)]).toEqual([
    ...[true, false],
    ...[true, false],
  ]);
});

it("a nonce is valid for 10 s in its process, and never again after it was dropped", () => {
  let now = 5_000;
  const nonces = new Nonces(() => now);
  const [used, kept, late] = [nonces.give(), nonces.give(), nonces.give()];
  expect(nonces.use(used)).toBe(true);
  now += 10_000;
  expect([nonces.use(used), nonces.use(kept)]).toEqual([false, true]);
  now += 1;
  expect([nonces.use(used), nonces.use(kept), nonces.use(late)]).toEqual([false, false, false]);
  now += 60_000;
  expect(nonces.use(nonces.give())).toBe(true);
  expect([nonces.use(used), nonces.use(kept)]).toEqual([false, false]);
});

it("a nonce of another process, or a changed one, is invalid", () => {
  const nonces = new Nonces(() => 0);
  const given = nonces.give();
  expect(nonces.use(new Nonces(() => 0).give())).toBe(false);
  for (const other of [given.replace("0.", "9."), `${given}x`, given.slice(1), "", ".", "0..", "é"])
    expect(nonces.use(other), other).toBe(false);
  expect(nonces.use(given)).toBe(true);
});
