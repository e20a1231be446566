/** The contract of the port of the key that encrypts secrets. Run against each adapter by `secret-key.test.ts`. */
import { describe, expect, it } from "vitest";
import type { SecretKey } from "../../emulator/secrets/secret-key.ts";

export function secretKeyContract(name: string, open: () => SecretKey & Disposable): void {
  describe(`the secret key, ${name}`, () => {
    it("has 32 bytes", () => {
      using key = open();
      expect(key.findOrMake()).toHaveLength(32);
    });

    it("is the same on every call", () => {
      using key = open();
      const made = Uint8Array.from(key.findOrMake());
      expect(Uint8Array.from(key.findOrMake())).toEqual(made);
      expect(Uint8Array.from(key.find() ?? [])).toEqual(made);
    });

    it("is not created by find", () => {
      using key = open();
      const found = key.find();
      if (found !== undefined) expect(key.findOrMake()).toEqual(found);
      else expect(key.find()).toBeUndefined();
    });
  });
}
