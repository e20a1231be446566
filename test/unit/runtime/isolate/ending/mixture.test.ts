/** Good and bad jobs side by side in one worker: the end of each follows from its own behaviour alone. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { STANDBY_MODES, type StandbyMode } from "../../../../../runtime/isolate/standby.ts";
import type { Outcome } from "../../../../../runtime/protocol/outcome.ts";
import { WorkerRun } from "../../worker-run.ts";
import { sized } from "../../../../setup/size.ts";

const WAYS = ["throws", "exits", "is-killed", "rejects", "blocks", "hangs", "behaves"] as const;
type Way = (typeof WAYS)[number];

const expected: Readonly<Record<Way, { kind: Outcome["kind"]; type?: string }>> = {
  behaves: { kind: "completed" },
  throws: { kind: "failed", type: "handler_error" },
  rejects: { kind: "failed", type: "unhandled_error" },
  exits: { kind: "lost", type: "process_exited" },
  "is-killed": { kind: "lost", type: "process_exited" },
  blocks: { kind: "timed-out", type: "execution_timeout" },
  hangs: { kind: "timed-out", type: "execution_timeout" },
};

/** Half of all jobs behave. */
const way = fc.oneof(fc.constant<Way>("behaves"), fc.constantFrom<Way>(...WAYS));

/** Acts like the service: a job that is handed back goes to the head of the queue again. */
async function end(run: WorkerRun, asked: { way: Way; afterMs: number }): Promise<Outcome> {
  const executionTimeoutMs = asked.way === "blocks" || asked.way === "hangs" ? 300 : 60_000;
  for (let first = true; ; first = false) {
    const outcome = await run.source.submit({ input: asked, executionTimeoutMs, first: !first })
      .outcome;
    if (outcome.kind !== "handed-back") return outcome;
  }
}

test.each(sized<readonly StandbyMode[]>(["idle"], STANDBY_MODES))(
  "every job's end follows from its behaviour, and other jobs lose no attempt; standby: %s",
  async (standby) => {
    const job = fc.record({ way, afterMs: fc.integer({ min: 0, max: 20 }) });
    const mixtures = fc.array(job, { minLength: 24, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(mixtures, async (jobs) => {
        await using run = new WorkerRun("misbehaves-as-told", {
          graceMs: 50,
          standby,
          standbyDelayMs: 0,
        });
        const outcomes = await Promise.all(jobs.map((asked) => end(run, asked)));
        const ends = outcomes.map((outcome) => ({
          kind: outcome.kind,
          ...("failure" in outcome ? { type: outcome.failure.type } : {}),
        }));
        expect(ends).toEqual(jobs.map((asked) => expected[asked.way]));
      }),
      { numRuns: 2, endOnFailure: true },
    );
  },
);
