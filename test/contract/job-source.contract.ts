/** Duties of every job source, whatever its protocol. */
import { describe } from "vitest";
import { greets } from "./job-source/connecting.ts";
import { leaves } from "./job-source/leaving.ts";
import { reconnects } from "./job-source/reconnecting.ts";
import type { ScriptedService } from "./job-source/scripted-service.ts";
import { works } from "./job-source/working.ts";

/** Runs the suite. `start` creates a service for one test. */
export function jobSourceContract(name: string, start: () => Promise<ScriptedService>): void {
  describe(`a job source over ${name}`, () => {
    describe("connecting", () => greets(start));
    describe("jobs", () => works(start));
    describe("after a lost connection", () => reconnects(start));
    describe("leaving", () => leaves(start));
  });
}
