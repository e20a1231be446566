/** All misbehaviours of a running handler: outcome, failure report, log, the next job, and leftovers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { JobError, type EndpointClient, type Job } from "../../../runtime/client/index.ts";
import { ENDINGS, GRACE_MS, type Ending } from "./endings.ts";
import { eventually, type ObservedProcess, peakBytes, processesMarked } from "./observe.ts";
import { Stage } from "./stage.ts";
import { sized } from "../../setup/size.ts";

/** Maximum memory of a supervisor, whatever its handler does. */
const SUPERVISOR_MAX_BYTES = 250_000_000;
/** Timeout of jobs that end by another cause: a loaded machine takes long to fill a heap. */
const AMPLE_MS = 60_000;
/** Kinds of ends that a worker's own tests do not show through the service; `npm test` runs one of each. */
const SHOWN = sized(
  ["forks-a-child", "ignores-sigterm", "exits-7", "rejects-later", "cyclic-output", "yields-3-mb"],
  ENDINGS.map(({ fixture }) => fixture),
);
const endings = ENDINGS.filter(({ fixture }) => SHOWN.includes(fixture));
let stage: Stage;
const mark = (fixture: string): string => `FIXTURE_AT_WORK=${fixture}`;

beforeAll(async () => {
  const endpoints = endings.map(({ fixture, status, env }) => [
    fixture,
    {
      handler: `${fixture}.ts`,
      workersMax: 1,
      executionTimeoutMs: status === "TIMED_OUT" ? 5_000 : AMPLE_MS,
      env: { FIXTURE_AT_WORK: fixture, SV_GRACE_MS: String(GRACE_MS), ...env },
    },
  ]);
  stage = await Stage.set({ endpoints: Object.fromEntries(endpoints) });
});

// This fails if any process of them is left.
afterAll(async () => stage[Symbol.asyncDispose]());

/** The processes of the fixture's endpoint: supervisors, handler processes, and their descendants. */
function processesOf(fixture: string) {
  const all = processesMarked(mark(fixture)).toSorted((a, b) => a.startedAt - b.startedAt);
  const isOf = (program: string) => (observed: ObservedProcess) =>
    observed.commandLine.includes(program);
  const supervisors = all.filter(isOf("sv-worker"));
  const handlers = all.filter(isOf("handler-process"));
  const others = all.filter((each) => !supervisors.includes(each) && !handlers.includes(each));
  return { supervisors, handlers, others };
}

/** The job after its end, in any final status. */
async function ended(endpoint: EndpointClient, jobId: string): Promise<Job> {
  try {
    return await endpoint.wait(jobId);
  } catch (error) {
    if (error instanceof JobError) return error.job;
    throw error;
  }
}

/** The log lines of a job by level; the handler process's own output has no job. */
function saidOf(jobId: string): string[] {
  return (
    stage.emulator.stderrLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      // The service, not the handler, logs the ends of its attempts.
      .filter((entry) => entry["jobId"] === jobId && entry["outcome"] === undefined)
      .map((entry) => `${String(entry["level"])}: ${String(entry["msg"])}`)
  );
}

test.concurrent.each<Ending>(endings)(
  "$fixture: $what",
  async ({ fixture, input = {}, status, output, retries, failure, says, losesProcess }) => {
    const endpoint = stage.endpoint(fixture);
    const { workerId } = await endpoint.runSync({ quick: true });
    const [first] = processesOf(fixture).handlers;

    const { id } = await endpoint.run(input);
    const job = await ended(endpoint, id);
    expect(job).toEqual({
      id,
      status,
      workerId,
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
      ...(output === undefined ? {} : { output }),
      ...(retries === undefined ? {} : { retries }),
      ...(failure && { error: failure.message, failure: { ...failure, workerId } }),
    });

    const next = await endpoint.runSync({ quick: true });
    expect(next).toMatchObject({ status: "COMPLETED", workerId });
    expect(JSON.stringify(next.output ?? "quick")).toMatch(/quick|from \d+/);
    if (says !== undefined) {
      await eventually(`the log says all of ${fixture}`, () => {
        return saidOf(id).length >= says.length ? true : undefined;
      }).catch(() => undefined);
      expect(saidOf(id)).toEqual(says);
    }

    // The worker continues with one handler process, the same or a new one, perhaps with one in reserve.
    const left = processesOf(fixture);
    expect(left.others).toEqual([]);
    expect(left.supervisors).toHaveLength(1);
    const [peak = 0] = left.supervisors.map(peakBytes);
    console.log(
      `figure: ${fixture}: the supervisor's memory was ${Math.round(peak / 1e6)} MB at most`,
    );
    expect(peak).toBeLessThan(SUPERVISOR_MAX_BYTES);
    expect(left.handlers.some(({ pid }) => pid === first?.pid)).toBe(!losesProcess);
    expect(await endpoint.status(id)).toEqual(job);

    await stage.remove(fixture);
    await eventually(`nothing of ${fixture} is left`, () => {
      return processesMarked(mark(fixture)).length === 0 ? true : undefined;
    });
  },
);
