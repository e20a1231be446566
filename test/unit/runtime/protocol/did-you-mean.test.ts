/** Unknown names, and the known names that were probably intended. */
import { expect, it } from "vitest";
import { closestName } from "../../../../runtime/protocol/did-you-mean.ts";

const KNOWN = ["executionTimeout", "lowPriority", "ttl"];

it.each([
  ["execution_timeout", "executionTimeout"],
  ["ExecutionTimeOut", "executionTimeout"],
  ["executionTimout", "executionTimeout"],
  ["exectionTimout", "executionTimeout"],
  ["lowPriorty", "lowPriority"],
  ["TTL", "ttl"],
  ["tll", "ttl"],
])("%s is taken for %s", (written, meant) => {
  expect(closestName(written, KNOWN)).toBe(meant);
});

it.each(["priority", "timeout", "a", "", "xyz", "__proto__", "executionTimeoutSeconds"])(
  "%j is taken for no known name",
  (written) => {
    expect(closestName(written, KNOWN)).toBeUndefined();
  },
);

it("the closest name wins", () => {
  expect(closestName("workerMax", ["workersMin", "workersMax"])).toBe("workersMax");
});
