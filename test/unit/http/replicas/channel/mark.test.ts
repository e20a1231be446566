/** Who can say that a request comes from a replica, and who can answer as one. */
import { expect, it } from "vitest";
import {
  isProof,
  markKey,
  markOf,
  proofOf,
  readMark,
} from "../../../../../emulator/http/replicas/channel/mark.ts";

const key = markKey(Buffer.alloc(32, 1));
const marked = {
  from: "replica-1",
  to: "replica-2",
  nonce: "12.abc.def",
  address: "::ffff:10.0.0.7",
  method: "GET",
  path: "/lb/web/?a=b;c",
};
const header = markOf(key, marked);

it("a mark says who sends a request and whose it is", () => {
  expect(readMark(key, header, marked)).toEqual(marked);
});

it.each([
  ["another key", markKey(Buffer.alloc(32, 2)), header, marked],
  ["another replica that is called", key, header, { ...marked, to: "replica-3" }],
  ["another method", key, header, { ...marked, method: "POST" }],
  ["another path", key, header, { ...marked, path: "/lb/other" }],
  ["another sender", key, header.replace("replica-1", "replica-2"), marked],
  ["another client", key, header.replace("10.0.0.7", "10.0.0.8"), marked],
  ["another nonce", key, header.replace("12.abc", "13.abc"), marked],
  ["a signature that was cut off", key, header.slice(0, -4), marked],
  ["the proof of a replica", key, proofed(), marked],
  ["nothing at all", key, "", marked],
  ["more than belongs there", key, `${header};`, marked],
  ["what is no percent-encoding", key, header.replace("replica-1", "%E0%A4%A"), marked],
])("a mark with %s is none", (_, with_, text, request) => {
  expect(readMark(with_, text, request)).toBeUndefined();
});

/** The same header, signed as an answer is. */
function proofed(): string {
  const proof = proofOf(key, marked, marked.nonce, marked.nonce);
  return [...header.split(";").slice(0, -1), proof].join(";");
}

it("a proof is good for the question, the nonce and both replicas that it was made for", () => {
  const ends = { from: "replica-1", to: "replica-2" };
  const challenge = { nonce: "nonce", proof: proofOf(key, ends, "asked", "nonce") };
  expect(isProof(key, ends, "asked", challenge)).toBe(true);
  expect(isProof(key, ends, "again", challenge)).toBe(false);
  expect(isProof(key, ends, "asked", { ...challenge, nonce: "other" })).toBe(false);
  expect(isProof(key, { ...ends, to: "replica-3" }, "asked", challenge)).toBe(false);
  expect(isProof(key, { ...ends, from: "replica-3" }, "asked", challenge)).toBe(false);
  expect(isProof(markKey(Buffer.alloc(32, 2)), ends, "asked", challenge)).toBe(false);
});

it("the key of marks is another one than the secret key", () => {
  expect(Buffer.from(key).equals(Buffer.alloc(32, 1))).toBe(false);
});
