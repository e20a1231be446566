/** Who can say that a request comes from a replica, and for how long. */
import { expect, it } from "vitest";
import { markKey, markOf, readMark } from "../../../../../emulator/http/forwarding/channel/mark.ts";

const key = markKey(Buffer.alloc(32, 1));
const marked = {
  from: "replica-1",
  at: 1_000_000,
  address: "::ffff:10.0.0.7",
  method: "GET",
  path: "/lb/web/?a=b;c",
};
const header = markOf(key, marked);

it("a mark says who sends a request and whose it is", () => {
  expect(readMark(key, header, marked, marked.at)).toEqual(marked);
});

it.each([
  ["another key", markKey(Buffer.alloc(32, 2)), header, marked],
  ["another method", key, header, { ...marked, method: "POST" }],
  ["another path", key, header, { ...marked, path: "/lb/other" }],
  ["another sender", key, header.replace("replica-1", "replica-2"), marked],
  ["another client", key, header.replace("10.0.0.7", "10.0.0.8"), marked],
  ["another moment", key, header.replace("1000000", "1000001"), marked],
  ["a signature that was cut off", key, header.slice(0, -4), marked],
  ["nothing at all", key, "", marked],
  ["more than belongs there", key, `${header};`, marked],
  ["what is no percent-encoding", key, header.replace("replica-1", "%E0%A4%A"), marked],
])("a mark with %s is none", (_, with_, text, request) => {
  expect(readMark(with_, text, request, marked.at)).toBeUndefined();
});

it("a mark is good for half a minute, on either side of this machine's clock", () => {
  for (const apart of [-30_000, 30_000])
    expect(readMark(key, header, marked, marked.at + apart)).toBeDefined();
  for (const apart of [-30_001, 30_001])
    expect(readMark(key, header, marked, marked.at + apart)).toBeUndefined();
});

it("the key of marks is another one than the secret key", () => {
  expect(Buffer.from(key).equals(Buffer.alloc(32, 1))).toBe(false);
});
