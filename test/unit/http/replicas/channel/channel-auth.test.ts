/** Proofs that a request, or an answer, comes from a replica. */
import { expect, it } from "vitest";
import {
  isProof,
  channelAuthKey,
  channelAuthOf,
  proofOf,
  readChannelAuth,
} from "../../../../../emulator/http/replicas/channel/channel-auth.ts";

const key = channelAuthKey(Buffer.alloc(32, 1));
const auth = {
  from: "replica-1",
  to: "replica-2",
  nonce: "12.abc.def",
  address: "::ffff:10.0.0.7",
  method: "GET",
  path: "/lb/web/?a=b;c",
};
const header = channelAuthOf(key, auth);

it("a replica's signature names the sender of a request and its client", () => {
  expect(readChannelAuth(key, header, auth)).toEqual(auth);
});

it.each([
  ["another key", channelAuthKey(Buffer.alloc(32, 2)), header, auth],
  ["another receiver", key, header, { ...auth, to: "replica-3" }],
  ["another method", key, header, { ...auth, method: "POST" }],
  ["another path", key, header, { ...auth, path: "/lb/other" }],
  ["another sender", key, header.replace("replica-1", "replica-2"), auth],
  ["another client", key, header.replace("10.0.0.7", "10.0.0.8"), auth],
  ["another nonce", key, header.replace("12.abc", "13.abc"), auth],
  ["its end cut off", key, header.slice(0, -4), auth],
  ["the proof of a replica", key, proofed(), auth],
  ["nothing at all", key, "", auth],
  ["extra text at its end", key, `${header};`, auth],
  ["an invalid percent-encoding", key, header.replace("replica-1", "%E0%A4%A"), auth],
])("a signature with %s is invalid", (_, with_, text, request) => {
  expect(readChannelAuth(with_, text, request)).toBeUndefined();
});

/** The header with the signature of an answer. */
function proofed(): string {
  const proof = proofOf(key, auth, auth.nonce, auth.nonce);
  return [...header.split(";").slice(0, -1), proof].join(";");
}

it("a proof is valid only for its question, its nonce and its two replicas", () => {
  const ends = { from: "replica-1", to: "replica-2" };
  const challenge = { nonce: "nonce", proof: proofOf(key, ends, "asked", "nonce") };
  expect(isProof(key, ends, "asked", challenge)).toBe(true);
  expect(isProof(key, ends, "again", challenge)).toBe(false);
  expect(isProof(key, ends, "asked", { ...challenge, nonce: "other" })).toBe(false);
  expect(isProof(key, { ...ends, to: "replica-3" }, "asked", challenge)).toBe(false);
  expect(isProof(key, { ...ends, from: "replica-3" }, "asked", challenge)).toBe(false);
  expect(isProof(channelAuthKey(Buffer.alloc(32, 2)), ends, "asked", challenge)).toBe(false);
});

it("the key of signatures differs from the secret key", () => {
  expect(Buffer.from(key).equals(Buffer.alloc(32, 1))).toBe(false);
});
