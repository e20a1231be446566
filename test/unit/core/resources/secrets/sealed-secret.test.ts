/** Encrypted texts can be read only with their key, in their record, and unchanged. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import {
  readSecretKey,
  seal,
  unseal,
} from "../../../../../emulator/core/resources/secrets/sealed-secret.ts";

const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);
const recordId = "cl1";
const sealed = seal("a secret, ü", nonce, { key, recordId });

it("an encrypted text can be decrypted, and shows nothing of the secret", () => {
  expect(unseal(sealed, { key, recordId })).toBe("a secret, ü");
  expect(Buffer.from(sealed.box, "base64").toString("latin1")).not.toContain("secret");
  expect(unseal(seal("", nonce, { key, recordId }), { key, recordId })).toBe("");
});

it("an encrypted text is AES-256-GCM, as test case 14 of the specification shows", () => {
  const zeros = { key: Buffer.alloc(32), recordId: "" };
  const { box } = seal("\0".repeat(16), Buffer.alloc(12), zeros);
  expect(Buffer.from(box, "base64").toString("hex")).toBe(
    "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
  );
});

it("an encrypted text cannot be read with another key or in another record", () => {
  expect(unseal(sealed, { key: Buffer.alloc(32, 3), recordId })).toBeUndefined();
  expect(unseal(sealed, { key, recordId: "cl2" })).toBeUndefined();
});

it("an encrypted text cannot be read with any bit flipped, or cut short", () => {
  const { box } = sealed;
  const bytes = Buffer.from(box, "base64");
  for (let at = 0; at < bytes.length; at += 1) {
    const turned = Buffer.from(bytes);
    turned.writeUInt8(turned.readUInt8(at) ^ 1, at);
    const tampered = { ...sealed, box: turned.toString("base64") };
    expect(unseal(tampered, { key, recordId }), `byte ${at}`).toBeUndefined();
    const cut = { ...sealed, box: bytes.subarray(0, at).toString("base64") };
    expect(unseal(cut, { key, recordId }), `${at} bytes`).toBeUndefined();
  }
  for (const other of [Buffer.alloc(12, 9), Buffer.alloc(11, 2), Buffer.alloc(0)]) {
    const tampered = { ...sealed, nonce: other.toString("base64") };
    expect(unseal(tampered, { key, recordId })).toBeUndefined();
  }
});

it.each([
  ["base64", Buffer.alloc(32, 0xfb).toString("base64")],
  ["base64url, which has no padding", Buffer.alloc(32, 0xfb).toString("base64url")],
])("a key may be written in %s", (_form, text) => {
  expect(readSecretKey(text)).toEqual(Buffer.alloc(32, 0xfb));
});

it.each([
  "",
  "secret",
  Buffer.alloc(31).toString("base64"),
  Buffer.alloc(33).toString("base64"),
  Buffer.alloc(32).toString("hex"),
  `${Buffer.alloc(32).toString("base64")}\n`,
])("%j is no key", (text) => {
  expect(readSecretKey(text)).toBeUndefined();
});
