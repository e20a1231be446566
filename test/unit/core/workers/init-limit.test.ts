/** Maximum time until a worker is ready. */
import { expect, it } from "vitest";
import { initLimitMs, initLimitProblem } from "../../../../emulator/core/workers/init-limit.ts";

it.each([
  [{}, 420_000],
  [{ SV_INIT_TIMEOUT: "60" }, 60_000],
  [{ SV_INIT_TIMEOUT: "604800" }, 604_800_000],
  [{ SV_INIT_TIMEOUT: "0" }, 420_000],
  [{ SV_INIT_TIMEOUT: "604801" }, 420_000],
  [{ SV_INIT_TIMEOUT: "1.5" }, 420_000],
  [{ SV_INIT_LIMIT_MS: "2000" }, 420_000],
  [{ SV_INIT_LIMIT_MS: "900000" }, 900_000],
  [{ SV_INIT_TIMEOUT: "60", SV_INIT_LIMIT_MS: "900000" }, 60_000],
  [{ SV_INIT_TIMEOUT: "60", SV_INSPECT: "9229" }, Number.POSITIVE_INFINITY],
  [{ SV_INSPECT: "" }, 420_000],
  [{ RUNPOD_INIT_TIMEOUT: "900" }, 900_000],
  [{ RUNPOD_INIT_TIMEOUT: "900", SV_INIT_TIMEOUT: "60" }, 60_000],
  [{ RUNPOD_INIT_TIMEOUT: "long" }, 420_000],
])("a worker with %o has %i ms", (env, limitMs) => {
  expect(initLimitMs({ env })).toBe(limitMs);
});

it("the message about an invalid limit has the name of its variable", () => {
  expect(initLimitProblem({ env: { RUNPOD_INIT_TIMEOUT: "long" } })).toMatch(
    /^RUNPOD_INIT_TIMEOUT must be a whole number .* got "long"/,
  );
  expect(initLimitProblem({ env: { RUNPOD_INIT_TIMEOUT: "900" } })).toBeUndefined();
});
