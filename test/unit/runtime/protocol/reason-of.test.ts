/** Reasons of failed connections, which HTTP clients leave to the causes of their errors. */
import { expect, test } from "vitest";
import { reasonOf } from "../../../../runtime/protocol/reason-of.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), {
  code: "ECONNREFUSED",
});
const addresses = new AggregateError([new Error("connect ECONNREFUSED ::1:9"), refused], "");
const fetchFailed = new TypeError("fetch failed", { cause: refused });

test.each([
  ["of fetch", fetchFailed, "fetch failed: connect ECONNREFUSED 127.0.0.1:9"],
  [
    "of fetch, for several addresses",
    new TypeError("fetch failed", { cause: addresses }),
    "fetch failed: connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9",
  ],
  [
    "of a body",
    new TypeError("terminated", { cause: new Error("other side closed") }),
    "terminated: other side closed",
  ],
  [
    "of an API's client",
    new Error("Connection error.", { cause: fetchFailed }),
    "Connection error: fetch failed: connect ECONNREFUSED 127.0.0.1:9",
  ],
  ["with a message of its own", new Error("no model", { cause: refused }), "no model"],
  ["without a cause", new TypeError("fetch failed"), "fetch failed"],
  ["with a code alone", Object.assign(new Error(), { code: "ECONNRESET" }), "ECONNRESET"],
  ["that is no error", "broken", "broken"],
])("an error %s", (_, error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

test("an error that causes itself", () => {
  const itself = new TypeError("fetch failed");
  itself.cause = itself;
  expect(reasonOf(itself)).toMatch(/^fetch failed(?:: fetch failed){4}$/u);
});
