/** Valid keys, and their expiry. */
import { expect, it } from "vitest";
import type { ApiKey } from "../../../../emulator/core/access/api-key.ts";
import { digestOf, KeyRing } from "../../../../emulator/core/access/key-ring.ts";

const at = { now: Date.parse("2026-01-01T00:00:00Z") };
const clock = { now: () => at.now };

const key = (id: string, text: string): ApiKey => ({
  id,
  name: id,
  scope: "user",
  digest: digestOf(text),
  createdAt: "2026-01-01T00:00:00Z",
});

it("the ring finds the record of each key by its text, and no record for any other text", () => {
  const ring = new KeyRing([key("one", "first"), key("two", "sécond")], clock);
  expect(ring.find("first")?.id).toBe("one");
  expect(ring.find("sécond")?.id).toBe("two");
  for (const text of ["", "First", "first ", "fir", digestOf("first")]) {
    expect(ring.find(text)).toBeUndefined();
    expect(ring.findGood(text)).toBeUndefined();
  }
});

it("the ring has no key if it got none, or a record with an invalid digest", () => {
  expect(new KeyRing([], clock).find("")).toBeUndefined();
  expect(new KeyRing([{ ...key("x", "x"), digest: "" }], clock).find("")).toBeUndefined();
});

it("the ring has a key until it expires, and then reports it as expired", () => {
  const expiresAt = new Date(at.now + 1_000).toISOString();
  const ring = new KeyRing([{ ...key("one", "first"), expiresAt }], clock);
  at.now += 999;
  expect([ring.find("first")?.id, ring.findById("one")?.id]).toEqual(["one", "one"]);
  expect([ring.findGood("first")?.id, ring.isGood("one")]).toEqual(["one", true]);
  expect(ring.nextExpiryAt()).toBe(at.now + 1);
  at.now += 1;
  expect([ring.find("first"), ring.findById("one")]).toEqual([undefined, undefined]);
  expect(() => ring.findGood("first")).toThrow('the API key "one" has expired at');
  expect([ring.isGood("one"), ring.nextExpiryAt()]).toEqual([false, undefined]);
  expect(ring.usedAt("one")).toBe(at.now - 1);
});

it("the ring drops a removed key, and keeps another one with an equal text", () => {
  const ring = new KeyRing([key("made", "same"), key("given", "same")], clock);
  ring.remove("made");
  expect(ring.find("same")?.id).toBe("given");
  ring.remove("given");
  ring.remove("given");
  expect([ring.find("same"), ring.findById("given"), ring.usedAt("given")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
