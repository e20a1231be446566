/** Which texts are keys. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { ApiKey } from "../../../../emulator/core/access/api-key.ts";
import { KeyRing } from "../../../../emulator/core/access/key-ring.ts";

const key = (id: string, text: string): ApiKey => ({
  id,
  scope: "user",
  digest: createHash("sha256").update(text).digest("hex"),
  createdAt: "2026-01-01T00:00:00Z",
});

it("finds the record of each key by its text, and of nothing else", () => {
  const ring = new KeyRing([key("one", "first"), key("two", "sécond")]);
  expect(ring.find("first")?.id).toBe("one");
  expect(ring.find("sécond")?.id).toBe("two");
  for (const text of ["", "First", "first ", "fir", key("one", "first").digest]) {
    expect(ring.find(text)).toBeUndefined();
  }
});

it("has no key when it was given none, or a record whose digest is none", () => {
  expect(new KeyRing([]).find("")).toBeUndefined();
  expect(new KeyRing([{ ...key("x", "x"), digest: "" }]).find("")).toBeUndefined();
});
