/** A start on a full disk: reads work, no job is accepted, and with room again the service continues by itself. */
import { describe, expect, test } from "vitest";
import { tmpfsIsMissing } from "../../setup/tmpfs.ts";
import { Gate } from "./gate.ts";
import { makeSmallDisk } from "./small-disk.ts";
import { Stage } from "./stage.ts";

const GATED = { handler: "waits-at-a-gate.ts", workersMin: 1, workersMax: 1 };
const NO_ROOM = { status: 507, code: "storage_full" };

/** A finished job, a running one, and a waiting one. */
async function setScene(dataDir: string) {
  const stage = await Stage.set({ endpoints: { gated: GATED }, dataDir });
  const gate = await Gate.build();
  const done = await stage.endpoint("gated").run(gate.input("done"));
  await gate.open("done");
  await stage.endpoint("gated").wait(done.id);
  const running = await stage.endpoint("gated").run(gate.input("running"));
  const waiting = await stage.endpoint("gated").run(gate.input("waiting"));
  await gate.arrival("running");
  return {
    stage,
    gate,
    ids: { done: done.id, running: running.id, waiting: waiting.id },
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof setScene>>;

/** The running job stays at the gate until its second attempt arrives there. */
async function kill({ stage, gate }: Scene): Promise<void> {
  await stage.kill();
  await gate.turnAway("running");
}

async function expectReads({ stage, ids }: Scene, statuses: readonly string[]): Promise<void> {
  const gated = stage.endpoint("gated");
  const found = await Promise.all(Object.values(ids).map(async (id) => gated.status(id)));
  expect(found.map(({ status }) => status)).toEqual(statuses);
  expect(found[0]).toMatchObject({ output: "through" });
  const { url, apiKey } = stage.emulator;
  for (const path of [
    "/v2/gated/health",
    "/v2/gated/requests",
    `/v2/gated/stream/${ids.done}`,
    "/v1/endpoints",
    "/v1/endpoints/gated",
    "/v1/templates",
    "/emulator/jobs",
  ]) {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.text();
  }
}

async function expectRefusal({ stage, gate }: Scene): Promise<void> {
  const input = { ...gate.input("refused"), padding: "x".repeat(50_000) };
  await expect(stage.endpoint("gated").run(input)).rejects.toMatchObject(NO_ROOM);
}

describe.runIf(tmpfsIsMissing === undefined)("a start on a full disk", () => {
  test("after a kill serves reads, and with room again does the job that ran and the one that waited", async () => {
    using disk = makeSmallDisk();
    await using scene = await setScene(disk.dataDir);
    const { stage, gate, ids } = scene;
    await kill(scene);
    disk.fill();
    await stage.start();
    await stage.emulator.stderrMatch(/no room left .*nothing is stored and no worker starts/);
    await expectReads(scene, ["COMPLETED", "IN_PROGRESS", "IN_QUEUE"]);
    await expectRefusal(scene);
    disk.makeRoom();
    await stage.emulator.stderrMatch(/there is room again/);
    for (const name of ["running", "waiting"] as const) {
      await gate.open(name);
      expect(await stage.endpoint("gated").wait(ids[name])).toMatchObject({ output: "through" });
    }
  });

  test("can be stopped before there is room, and the next start continues", async () => {
    using disk = makeSmallDisk();
    await using scene = await setScene(disk.dataDir);
    const { stage, gate, ids } = scene;
    await kill(scene);
    disk.fill();
    await stage.start();
    await stage.stop();
    disk.makeRoom();
    await stage.start();
    await gate.open("running");
    expect(await stage.endpoint("gated").wait(ids.running)).toMatchObject({ output: "through" });
  });

  test("after SIGTERM serves reads, and with room again does the job that waited", async () => {
    using disk = makeSmallDisk();
    await using scene = await setScene(disk.dataDir);
    const { stage, gate, ids } = scene;
    const { emulator } = stage;
    const stopped = stage.stop();
    // Until it knows of the stop, it would hand over the next job.
    await emulator.stderrMatch(/stopping: running jobs finish first/);
    await gate.open("running");
    await stopped;
    disk.fill();
    await stage.start();
    await stage.emulator.stderrMatch(/the disk of the data directory .* is full/);
    await expectReads(scene, ["COMPLETED", "COMPLETED", "IN_QUEUE"]);
    await expectRefusal(scene);
    disk.makeRoom();
    await gate.open("waiting");
    expect(await stage.endpoint("gated").wait(ids.waiting)).toMatchObject({ output: "through" });
  });
});
