/**
 * A data directory that fills up under a running emulator: submissions are refused, and no acknowledged job is
 * lost.
 */
import { describe, expect, test } from "vitest";
import { ServiceError, type JobState } from "../../../runtime/client/index.ts";
import { tmpfsIsMissing } from "../../setup/tmpfs.ts";
import { Gate } from "./gate.ts";
import { makeSmallDisk } from "./small-disk.ts";
import { Stage } from "./stage.ts";
import { testInFull } from "../../setup/size.ts";

/** Small enough that a few submissions use up the remaining room. */
const PADDING = "x".repeat(50_000);

/** One running job with the others behind it; all arrive at the gate by number. */
async function setScene(dataDir: string) {
  const endpoints = { gated: { handler: "waits-at-a-gate.ts", workersMin: 1, workersMax: 1 } };
  const stage = await Stage.set({ endpoints, dataDir });
  const gate = await Gate.build();
  const jobs: JobState[] = [];
  const submit = async (): Promise<void> => {
    const input = { ...gate.input(String(jobs.length)), padding: PADDING };
    jobs.push(await stage.endpoint("gated").run(input));
  };
  for (let job = 0; job < 5; job++) await submit();
  await gate.arrival("0");
  return {
    stage,
    gate,
    jobs,
    submit,
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof setScene>>;

/** Submits until the disk is full; returns the refusal. */
async function submitUntilFull({ submit }: Scene): Promise<ServiceError> {
  for (;;) {
    try {
      await submit();
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }
}

/** Finishes all but the first, one after the other; none was started twice. */
async function expectTheOthersComplete({ stage, gate, jobs }: Scene): Promise<void> {
  const gated = stage.endpoint("gated");
  for (const [index, { id }] of jobs.entries()) {
    if (index === 0) continue;
    await gate.open(String(index));
    expect(await gated.wait(id)).toMatchObject({ status: "COMPLETED", output: "through" });
  }
  expect(gate.names).toEqual(jobs.map((_, index) => String(index)));
  expect((await gated.health()).jobs).toMatchObject({ completed: jobs.length, inQueue: 0 });
}

describe.runIf(tmpfsIsMissing === undefined)("a full data directory", () => {
  test("refuses submissions with 507, keeps acknowledged jobs, and accepts jobs again when there is room", async () => {
    using disk = makeSmallDisk();
    await using scene = await setScene(disk.dataDir);
    const { stage, gate, jobs, submit } = scene;
    const gated = stage.endpoint("gated");
    disk.fill();
    const refusal = await submitUntilFull(scene);
    expect(refusal).toMatchObject({ status: 507, code: "storage_full" });
    expect(refusal.message).toContain(disk.dataDir);
    console.log(`figure: jobs taken after the disk was full: ${jobs.length - 5}`);

    const statuses = await Promise.all(jobs.map(async ({ id }) => (await gated.status(id)).status));
    expect(statuses).toEqual(["IN_PROGRESS", ...jobs.slice(1).map(() => "IN_QUEUE")]);
    expect((await gated.health()).jobs).toMatchObject({ inProgress: 1, inQueue: jobs.length - 1 });
    await expect(submit()).rejects.toMatchObject({ status: 507, code: "storage_full" });

    disk.makeRoom();
    await submit();
    await gate.open("0");
    expect(await gated.wait(jobs[0]?.id ?? "")).toMatchObject({ output: "through" });
    await expectTheOthersComplete(scene);

    await stage.stop();
    await stage.start();
    for (const { id } of jobs) {
      expect(await stage.endpoint("gated").status(id)).toMatchObject({ output: "through" });
    }
  });

  testInFull(
    "lets a worker keep a result until there is room, and the job does not run twice",
    async () => {
      using disk = makeSmallDisk();
      await using scene = await setScene(disk.dataDir);
      const { stage, gate, jobs } = scene;
      disk.fill();
      await submitUntilFull(scene);
      // This input is too large for the remaining room.
      await gate.open("0", PADDING);
      await stage.emulator.stderrMatch(/a worker's report could not be taken/);
      const id = jobs[0]?.id ?? "";
      expect((await stage.endpoint("gated").status(id)).status).toBe("IN_PROGRESS");

      disk.makeRoom();
      const roomAt = performance.now();
      expect(await stage.endpoint("gated").wait(id)).toMatchObject({ output: PADDING });
      const tookMs = performance.now() - roomAt;
      console.log(`figure: result stored after there was room: ${tookMs.toFixed(0)} ms`);
      await expectTheOthersComplete(scene);
    },
  );
});
