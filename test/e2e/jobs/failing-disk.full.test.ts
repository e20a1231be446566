/** A data directory that disappears under a running emulator, and a disk that fails: requests are refused at once. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MachineStalls } from "../../machine-stalls.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { injectIntoSyncs, straceIsMissing } from "../../setup/strace.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";

const REFUSED = { status: 507, code: "storage_failed" };
const OUTAGE_MS = 5_000;
/** Maximum time of an immediate answer: a few times the time without failing syncs on a loaded machine. */
const PROMPT_MS = 2_000;
const PROMPT_TIMES = 4;

async function setScene() {
  const directory = temporaryDirectory();
  const dataDir = path.join(directory.path, "data");
  const stage = await Stage.set({ endpoints: { echo: { handler: "echo.ts" } }, dataDir });
  const submit = () => stage.endpoint("echo").run({ n: 1 });
  return {
    dataDir,
    stage,
    submit,
    failSyncs: () => injectIntoSyncs(stage.emulator.child.pid ?? 0, "error=EIO"),
    /** Traces syncs in the same way, but they succeed. */
    watchSyncs: () => injectIntoSyncs(stage.emulator.child.pid ?? 0, "delay_enter=1"),
    async jobIds(): Promise<string[]> {
      const { url, apiKey } = stage.emulator;
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${url}/emulator/jobs?limit=100`, { headers });
      const { jobs } = (await answer.json()) as { jobs: { id: string }[] };
      return jobs.map(({ id }) => id);
    },
    /**
     * Resolves when a submission is refused; returns the time from the call to the start of the last accepted
     * submission, ms.
     */
    async acceptedForMs(): Promise<number> {
      const startedAt = performance.now();
      let acceptedForMs = 0;
      const refused = async () => {
        const beganForMs = performance.now() - startedAt;
        try {
          await submit();
          acceptedForMs = beganForMs;
          return undefined;
        } catch (error) {
          return error;
        }
      };
      expect(await eventually("a submission is refused", refused)).toMatchObject(REFUSED);
      return acceptedForMs;
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

test("a second after the data directory was removed the emulator acknowledges nothing, and still answers reads", async () => {
  await using scene = await setScene();
  const { id } = await scene.submit();
  await scene.stage.endpoint("echo").wait(id);
  await using stalls = await MachineStalls.watch();
  fs.rmSync(scene.dataDir, { recursive: true });
  expect(await scene.acceptedForMs()).toBeLessThan(1_000 + stalls.ms);
  await scene.stage.emulator.stderrMatch(/store\.db is missing: nothing is stored/);
  expect(await scene.stage.endpoint("echo").status(id)).toMatchObject({ status: "COMPLETED" });
});

test("a data directory that reappears is used again; until then the service is not ready", async () => {
  await using scene = await setScene();
  const ready = async () => (await fetch(`${scene.stage.emulator.url}/readyz`)).status;
  const { id } = await scene.submit();
  expect(await ready()).toBe(200);
  fs.renameSync(scene.dataDir, `${scene.dataDir}-elsewhere`);
  await scene.acceptedForMs();
  expect(await ready()).toBe(503);
  fs.renameSync(`${scene.dataDir}-elsewhere`, scene.dataDir);
  await scene.stage.emulator.stderrMatch(/the data directory is back/);
  const next = await scene.submit();
  expect(await ready()).toBe(200);
  for (const each of [id, next.id]) {
    expect(await scene.stage.endpoint("echo").wait(each)).toMatchObject({ status: "COMPLETED" });
  }
});

describe.runIf(straceIsMissing === undefined)("while syncs fail", () => {
  test("each request is answered at once, and the service recovers without a restart", async () => {
    await using scene = await setScene();
    const endpoint = scene.stage.endpoint("echo");
    const submitMany = () => Promise.allSettled(Array.from({ length: 20 }, scene.submit));
    const stored: { readonly id: string }[] = [];
    let usualMs = 0;
    {
      await using _ = await scene.watchSyncs();
      for (let round = 0; round < 3; round += 1) {
        const startedAt = performance.now();
        for (const one of await submitMany())
          if (one.status === "fulfilled") stored.push(one.value);
        expect(await endpoint.status(stored[0]?.id ?? "")).toMatchObject({ id: stored[0]?.id });
        usualMs = Math.max(usualMs, performance.now() - startedAt);
      }
    }
    expect(stored).toHaveLength(60);
    for (const { id } of stored) await endpoint.wait(id);
    {
      await using _ = await scene.failSyncs();
      const end = performance.now() + OUTAGE_MS;
      while (performance.now() < end) {
        const startedAt = performance.now();
        for (const one of await submitMany())
          expect(one).toMatchObject({ status: "rejected", reason: REFUSED });
        expect(await endpoint.status(stored[0]?.id ?? "")).toMatchObject({ status: "COMPLETED" });
        const tookMs = performance.now() - startedAt;
        expect(tookMs).toBeLessThan(Math.max(PROMPT_MS, PROMPT_TIMES * usualMs));
      }
    }
    await scene.stage.emulator.stderrMatch(/the changes could not be stored/);
    const { id } = await scene.submit();
    expect(await endpoint.wait(id)).toMatchObject({ status: "COMPLETED" });
    const known = [...stored.map((job) => job.id), id];
    expect((await scene.jobIds()).toSorted()).toEqual(known.toSorted());
    await scene.stage.stop();
    await scene.stage.start();
    expect((await scene.jobIds()).toSorted()).toEqual(known.toSorted());
  });

  test("the emulator can be stopped, and the next one has exactly what was acknowledged", async () => {
    await using scene = await setScene();
    const { id } = await scene.submit();
    await scene.stage.endpoint("echo").wait(id);
    {
      await using _ = await scene.failSyncs();
      await scene.acceptedForMs();
      await scene.stage.stop();
    }
    await scene.stage.start();
    expect(await scene.jobIds()).toEqual([id]);
  });
});
