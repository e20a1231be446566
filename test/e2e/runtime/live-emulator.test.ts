/** The built `sv-worker` and the built `sv-emulate`, two programs that have nothing in common but the live protocol. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type EndpointClient } from "../../../runtime/client/index.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { Gate } from "../jobs/gate.ts";
import { LiveWorker } from "./live-worker.ts";
import { testInFull } from "../../setup/size.ts";

const fixtures = `${import.meta.dirname}/../../fixtures/handlers`;

/** Files of the stage: handlers that are no fixtures. */
const handlers = {
  "three.ts": `export { default } from "${fixtures}/waits-at-a-gate.ts";
export const concurrency = 3;
`,
  "counts.ts": `import { setTimeout } from "node:timers/promises";
export default async function* ({ input: { count } }) {
  for (let n = 0; n < count; n++) {
    yield n;
    await setTimeout(30);
  }
}
`,
};

type EndpointId = "gate" | "counts";

/** An emulator that starts no workers: the test starts the worker. */
class LiveStage implements AsyncDisposable {
  readonly #tree: TemporaryTree;
  readonly gate: Gate;
  #emulator: EmulatorProcess | undefined;

  private constructor(tree: TemporaryTree, gate: Gate) {
    this.#tree = tree;
    this.gate = gate;
  }

  static async set(): Promise<LiveStage> {
    // The emulator never loads this handler: the test starts the workers, with other handlers.
    const endpoint = { handler: `${fixtures}/echo.ts`, workersMin: 0, workersMax: 0 };
    const config = { endpoints: { gate: endpoint, counts: endpoint } };
    const tree = await temporaryTree({ "sv.config.json": JSON.stringify(config), ...handlers });
    const stage = new LiveStage(tree, await Gate.build());
    await stage.start();
    return stage;
  }

  /** Starts on the present data directory and the same port. */
  async start(): Promise<void> {
    const port = this.#emulator === undefined ? "0" : new URL(this.emulator.url).port;
    this.#emulator = await startEmulatorProcess({
      args: ["sv.config.json", "--port", port],
      cwd: this.#tree.root,
      env: { SV_LIMITS: "off" },
    });
  }

  get emulator(): EmulatorProcess {
    if (this.#emulator === undefined) throw new Error("it was not started");
    return this.#emulator;
  }

  /** The endpoint `gate` with jobs that wait for the test. */
  get jobs(): EndpointClient<unknown, string> {
    return this.endpoint("gate");
  }

  endpoint<Output>(id: EndpointId): EndpointClient<unknown, Output> {
    const { url, apiKey } = this.emulator;
    return createClient({ baseUrl: url, apiKey }).endpoint<unknown, Output>(id);
  }

  /** Submits a job that arrives at the gate when it runs. */
  async submit(name: string): Promise<string> {
    const { id } = await this.jobs.run(this.gate.input(name));
    return id;
  }

  /** Starts a worker with only the environment of the live service. */
  worker(workerId: string, endpointId: EndpointId = "gate"): LiveWorker {
    const base = `${this.emulator.url}/live/v2/${endpointId}`;
    const own = { gate: this.#tree.path("three.ts"), counts: this.#tree.path("counts.ts") };
    return LiveWorker.start(own[endpointId], {
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?gpu=none`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?gpu=none`,
      RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?gpu=none`,
      RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID`,
      RUNPOD_PING_INTERVAL: "1000",
      RUNPOD_AI_API_KEY: this.emulator.apiKey ?? "",
      RUNPOD_POD_ID: workerId,
      RUNPOD_ENDPOINT_ID: endpointId,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator?.[Symbol.asyncDispose]();
    await this.gate[Symbol.asyncDispose]();
    await this.#tree[Symbol.asyncDispose]();
  }
}

/** Opens the gate for every call with that name. */
async function letThrough(gate: Gate, name: string): Promise<never> {
  for (;;) await gate.open(name);
}

describe("sv-worker on an emulator, over the live protocol", () => {
  let stage: LiveStage;
  beforeAll(async () => {
    stage = await LiveStage.set();
  });
  afterAll(async () => stage[Symbol.asyncDispose]());

  test("takes as many jobs at once as it can, delivers values and errors, and stops cancelled jobs", async () => {
    const { jobs, gate } = stage;
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => stage.submit(name)));
    await using worker = stage.worker("three");
    const [first = "", second = "", third = "", fourth = ""] = ids;
    expect([await gate.arrival("a"), await gate.arrival("b"), await gate.arrival("c")]).toEqual([
      first,
      second,
      third,
    ]);
    expect((await jobs.status(fourth)).status).toBe("IN_QUEUE");
    await gate.open("a", "größer");
    expect(await jobs.wait(first)).toMatchObject({ output: "größer", workerId: "three" });
    expect(await gate.arrival("d")).toBe(fourth);
    await gate.turnAway("b");
    await expect(jobs.wait(second)).rejects.toThrow("turned away");
    expect((await jobs.status(second)).failure?.stack).toContain("waits-at-a-gate.ts");
    await jobs.cancel(third);
    await worker.says(`told to stop: ${third}`);
    await gate.open("d");
    expect((await jobs.wait(fourth)).output).toBe("through");
    expect((await jobs.status(third)).status).toBe("CANCELLED");
    expect((await jobs.health()).workers).toMatchObject({ ready: 1 });
  });

  test("finishes its jobs after SIGTERM, and leaves other jobs to other workers", async () => {
    const { jobs, gate } = stage;
    await using leaving = stage.worker("leaving");
    const last = await stage.submit("last");
    await gate.arrival("last");
    leaving.child.kill("SIGTERM");
    await leaving.says("draining: no further jobs are taken");
    const next = await stage.submit("next");
    await gate.open("last");
    expect(await leaving.exit()).toEqual([0, null]);
    expect(await jobs.wait(last)).toMatchObject({ output: "through", workerId: "leaving" });
    await using _ = stage.worker("staying");
    await gate.open("next");
    expect(await jobs.wait(next)).toMatchObject({ output: "through", workerId: "staying" });
    expect((await jobs.status(next)).retries ?? 0).toBe(0);
  });

  testInFull(
    "delivers results to an emulator that was killed and restarted, and no job is lost",
    async () => {
      const { gate } = stage;
      await using worker = stage.worker("outliving");
      const done = await stage.submit("done");
      const running = await stage.submit("running");
      await gate.arrival("done");
      await gate.arrival("running");
      const waiting = await stage.submit("waiting");
      stage.emulator.child.kill("SIGKILL");
      await stage.emulator.exited;
      await gate.open("done");
      await worker.says("the queue has not taken the result of a job");
      await stage.start();
      // A result counts only after the worker has requested jobs again: its job runs again.
      for (const name of ["done", "running", "waiting"]) void letThrough(gate, name);
      for (const id of [done, running, waiting]) {
        expect(await stage.jobs.wait(id)).toMatchObject({ output: "through" });
        expect((await stage.jobs.status(id)).retries ?? 0).toBe(0);
      }
    },
  );

  testInFull(
    "repeats a stream for an emulator that was killed in the middle, and no chunk is missing",
    async () => {
      await using _ = stage.worker("streaming", "counts");
      const { id } = await stage.endpoint("counts").run({ count: 50 });
      for await (const { output } of stage.endpoint("counts").stream(id)) if (output === 5) break;
      stage.emulator.child.kill("SIGKILL");
      await stage.emulator.exited;
      await stage.start();
      await stage.endpoint("counts").wait(id);
      const { url, apiKey } = stage.emulator;
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${url}/v2/counts/stream/${id}?from=0`, { headers });
      const chunks = (await answer.json()) as readonly { readonly output: number }[];
      expect(chunks.map(({ output }) => output)).toEqual([...Array(50).keys()]);
    },
  );
});
