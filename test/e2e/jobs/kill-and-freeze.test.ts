/**
 * Workers that are killed and frozen on demand, with real processes: the ends of their jobs, and the operator's
 * view.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../../emulator/index.ts";
import { createClient } from "../../../runtime/client/index.ts";
import { Gate } from "./gate.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";
import { PROC } from "../../setup/proc.ts";
import { testInFull } from "../../setup/size.ts";

const LEASE_MS = 3_000;
const ADMIN = "operators-key";
const handler = path.resolve(import.meta.dirname, "../../fixtures/handlers/waits-at-a-gate.ts");

interface SeenWorker {
  readonly id: string;
  readonly state: string;
  readonly pid: number;
  readonly frozen: boolean;
  readonly exit?: { readonly message: string };
  readonly memory?: { readonly bytes: readonly number[] };
  readonly jobs: readonly { readonly jobId: string }[];
  readonly past: readonly { readonly jobId: string; readonly outcome: string }[];
}

class Scene implements AsyncDisposable {
  readonly emulator: Emulator;
  readonly gate: Gate;

  private constructor(emulator: Emulator, gate: Gate) {
    this.emulator = emulator;
    this.gate = gate;
  }

  static async set(): Promise<Scene> {
    const settings = { workersMax: 1, retries: { workerLost: 2, handlerError: 0 } };
    const emulator = await startEmulator({
      ...{ port: 0, apiKey: ADMIN, leaseMs: LEASE_MS, limits: "off" },
      handlers: [{ id: "gated", path: handler, settings }],
    });
    return new Scene(emulator, await Gate.build());
  }

  get endpoint() {
    const { url: baseUrl } = this.emulator;
    return createClient({ baseUrl, apiKey: ADMIN }).endpoint("gated");
  }

  async workers(): Promise<readonly SeenWorker[]> {
    const { workers } = (await this.#ask("workers")) as { workers: readonly SeenWorker[] };
    return workers;
  }

  /** The worker that has the job. */
  holder(jobId: string): Promise<SeenWorker> {
    return eventually(`a worker has ${jobId}`, async () =>
      (await this.workers()).find(({ jobs }) => jobs.some((job) => job.jobId === jobId)),
    );
  }

  async attempts(jobId: string): Promise<readonly { outcome: string; workerId: string }[]> {
    const job = await this.#ask(`jobs/${jobId}`);
    return (job as { attempts: readonly { outcome: string; workerId: string }[] }).attempts;
  }

  kill = async (id: string) => this.#ask(`workers/${id}/kill`, "{}");
  freeze = async (id: string, frozen: boolean) =>
    this.#ask(`workers/${id}/freeze`, JSON.stringify({ frozen }));

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.stop("kill");
    await this.gate[Symbol.asyncDispose]();
  }

  async #ask(what: string, body?: string): Promise<unknown> {
    const answer = await fetch(`${this.emulator.url}/emulator/${what}`, {
      headers: { authorization: `Bearer ${ADMIN}` },
      ...(body !== undefined && { method: "POST", body }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, text);
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  }
}

/** Process state of Linux: `T` is stopped. */
function stateOf(pid: number): string | undefined {
  return fs.readFileSync(`${PROC}/${pid}/stat`, "latin1").split(") ").at(-1)?.[0];
}

function isThere(pid: number): boolean {
  return fs.existsSync(`${PROC}/${pid}`);
}

/** The handler process and its standby. The shell that ends them after a kill is not frozen, and has no environment. */
function handlerProcessesOf(pid: number): readonly number[] {
  const children = fs.readFileSync(`${PROC}/${pid}/task/${pid}/children`, "latin1");
  const pids = children.split(" ").filter(Boolean).map(Number);
  return pids.filter((child) => fs.readFileSync(`${PROC}/${child}/environ`).length > 0);
}

test("the job of a killed worker runs on another one, and the killed one is shown as ended", async () => {
  await using scene = await Scene.set();
  const { id } = await scene.endpoint.run(scene.gate.input("once"));
  await scene.gate.arrival("once");
  const first = await scene.holder(id);
  expect(first).toMatchObject({ state: "ready", frozen: false, past: [] });
  expect(stateOf(first.pid)).toMatch(/[RS]/u);
  await scene.kill(first.id);
  const second = await eventually("another worker has the job", async () => {
    const holder = await scene.holder(id);
    return holder.id === first.id ? undefined : holder;
  });
  await eventually("it has come again", () => (scene.gate.names.length > 1 ? true : undefined));
  await scene.gate.open("once", "done");
  expect(await scene.endpoint.wait(id)).toMatchObject({ output: "done" });
  expect(await scene.attempts(id)).toMatchObject([
    { outcome: "lost", workerId: first.id },
    { outcome: "completed", workerId: second.id },
  ]);
  const [ended] = (await scene.workers()).filter((worker) => worker.id === first.id);
  expect(ended).toMatchObject({
    ...{ state: "ended", end: "unasked", exit: { message: "was ended by SIGKILL" } },
    past: [{ jobId: id, outcome: "lost" }],
  });
});

/** SIGSTOP reaches a running process on another core a moment after it was sent. */
const standStill = (processes: readonly number[]) =>
  eventually(`${processes.join(" and ")} are stopped`, () =>
    processes.every((pid) => stateOf(pid) === "T") ? true : undefined,
  );

test("a frozen worker stops with its handler; one that is thawed in time keeps its job, another loses it", async () => {
  await using scene = await Scene.set();
  const { id } = await scene.endpoint.run(scene.gate.input("twice"));
  await scene.gate.arrival("twice");
  const first = await scene.holder(id);
  const processes = [first.pid, ...handlerProcessesOf(first.pid)];
  expect(processes.length).toBeGreaterThan(1);
  await scene.freeze(first.id, true);
  await standStill(processes);
  expect(await scene.holder(id)).toMatchObject({ id: first.id, frozen: true });
  await scene.freeze(first.id, false);
  for (const pid of processes) expect(stateOf(pid)).not.toBe("T");
  expect(await scene.attempts(id)).toMatchObject([{ outcome: "running", workerId: first.id }]);

  await scene.freeze(first.id, true);
  await eventually("it is lost, and ended", async () => {
    const [ended] = (await scene.workers()).filter(({ state }) => state === "ended");
    return ended?.id === first.id ? true : undefined;
  });
  await eventually("it has come again", () => (scene.gate.names.length > 1 ? true : undefined));
  await scene.gate.open("twice", "done");
  expect(await scene.endpoint.wait(id)).toMatchObject({ output: "done" });
  expect(await scene.attempts(id)).toMatchObject([
    { outcome: "lost", workerId: first.id },
    { outcome: "completed" },
  ]);
});

testInFull("a frozen worker ends with an emulator that is killed", async () => {
  await using stage = await Stage.set({ endpoints: { gated: { handler: "waits-at-a-gate.ts" } } });
  await using gate = await Gate.build();
  await stage.endpoint("gated").run(gate.input("never"));
  await gate.arrival("never");
  const { url, apiKey } = stage.emulator;
  const ask = async (what: string, body?: string) =>
    fetch(`${url}/emulator/workers${what}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { method: "POST", body }),
    });
  const { workers } = (await (await ask("")).json()) as { workers: readonly SeenWorker[] };
  const [{ id, pid } = { id: "", pid: 0 }] = workers;
  const processes = [pid, ...handlerProcessesOf(pid)];
  expect((await ask(`/${id}/freeze`, '{"frozen":true}')).status).toBe(200);
  await standStill(processes);
  await stage.kill();
  await eventually("all have ended", () => (processes.some(isThere) ? undefined : true));
});

testInFull("the memory of a worker and its handler process is sampled", async () => {
  await using scene = await Scene.set();
  const { id } = await scene.endpoint.run(scene.gate.input("long"));
  await scene.gate.arrival("long");
  const bytes = await eventually("a sample", async () => (await scene.holder(id)).memory?.bytes);
  // Two Node processes.
  expect(bytes.at(-1)).toBeGreaterThan(50_000_000);
  expect(bytes.at(-1)).toBeLessThan(1_000_000_000);
});
