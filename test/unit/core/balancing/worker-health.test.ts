/** A server's health from its answers to health checks. */
import { describe, expect, it } from "vitest";
import {
  isGivenUp,
  judgeHealth,
  unknownHealth,
  type WorkerHealth,
} from "../../../../emulator/core/balancing/worker-health.ts";

const START = 1_000_000;
const START_LIMIT_MS = 480_000;

/** One answer per second from the start on. */
function after(...answers: readonly (number | undefined)[]): WorkerHealth {
  let health = unknownHealth(START);
  for (const [position, answer] of answers.entries()) {
    health = judgeHealth(health, answer, START + position * 1_000);
  }
  return health;
}

describe("a worker's server", () => {
  it("is in rotation after 200, and out of it after any other answer", () => {
    expect(after(200).state).toBe("ready");
    expect(after(200, 204).state).toBe("initializing");
    for (const answer of [201, 301, 404, 500, 503]) {
      expect(after(200, answer).state, String(answer)).toBe("unhealthy");
      expect(after(answer).state, String(answer)).toBe("unhealthy");
      expect(after(200, answer, 200).state, String(answer)).toBe("ready");
    }
  });

  it("is initializing until its first answer, and after 204", () => {
    expect(after().state).toBe("initializing");
    expect(after(undefined, undefined, undefined, undefined).state).toBe("initializing");
    expect(after(undefined, 204).state).toBe("initializing");
  });

  it("can leave two health checks in a row unanswered when it is healthy, not three", () => {
    const none = undefined;
    expect(after(200, none, none).state).toBe("ready");
    expect(after(200, none, none, none).state).toBe("unhealthy");
    expect(after(200, none, none, 200, none, none).state).toBe("ready");
  });

  it("is given up after 8 minutes without health, or one minute if it was healthy before", () => {
    const minute = 60_000;
    expect(isGivenUp(after(undefined), START + 8 * minute - 1, START_LIMIT_MS)).toBe(false);
    expect(isGivenUp(after(undefined), START + 8 * minute, START_LIMIT_MS)).toBe(true);
    expect(isGivenUp(after(500), START + 8 * minute - 1, START_LIMIT_MS)).toBe(false);
    expect(isGivenUp(after(200, 500), START + minute - 1, START_LIMIT_MS)).toBe(false);
    expect(isGivenUp(after(200, 500), START + minute, START_LIMIT_MS)).toBe(true);
    expect(isGivenUp(after(200, 204), START + 8 * minute - 1, START_LIMIT_MS)).toBe(false);
    expect(isGivenUp(after(200), START + 100 * minute, START_LIMIT_MS)).toBe(false);
  });
});
