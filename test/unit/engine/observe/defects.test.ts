/** Callbacks that throw or reject in the engine: they have no other effect. */
import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { createSignals, Signal } from "../../../../emulator/engine/parts/engine-signals.ts";
import { Defects } from "../../../../emulator/engine/observe/defects.ts";
import { EventFeed } from "../../../../emulator/engine/observe/event-feed.ts";
import { LogFeed } from "../../../../emulator/engine/observe/log-feed.ts";
import { OwnedMemory } from "../../../../emulator/engine/steps/state/owned-memory.ts";
import { OwnedPartitions } from "../../../../emulator/engine/steps/state/owned-partitions.ts";
import { JobWatchers } from "../../../../emulator/engine/steps/job-watchers.ts";
import type { StepReleases } from "../../../../emulator/engine/steps/step-releases.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { jobOf, openWriter, outcomeOf, submit as insert, turn } from "../steps/writer-scene.ts";

const JOB = jobOf(1, "echo");

const fail = () => {
  throw new Error("a defect");
};
const reject = async () => fail();
/** A function with a result is assignable to one without. */
const failing: readonly (readonly [string, () => void])[] = [
  ["throws", fail],
  ["rejects", reject],
];

interface Port {
  readonly name: string;
  readonly listen: (listener: () => void) => void;
  readonly call: () => void;
}

/** Every place at which the engine calls a given callback, with a way to trigger the call. */
function portsOf(onDefect: (error: unknown) => void): readonly Port[] {
  const feed = new EventFeed(new FakeClock(), { shortId: () => "run" }, onDefect);
  const logs = new LogFeed(() => 0, onDefect);
  const watchers = new JobWatchers(onDefect);
  const moved = new JobWatchers(onDefect);
  const job = { endpointId: "echo", jobId: JOB.id };
  return [
    ...Object.entries<unknown>({ ...createSignals(onDefect) }).map(([name, signal]) => {
      assert(signal instanceof Signal);
      const listen = (listener: () => void) => signal.on(listener);
      return { name: `the signal ${name}`, listen, call: () => signal.raise(undefined) };
    }),
    {
      name: "a follower of events",
      listen: (listener) => feed.follow(listener),
      call: () => feed.publish({ type: "clock", offsetMs: 1 }),
    },
    {
      name: "a follower of the log",
      listen: (listener) => logs.follow(undefined, listener),
      call: () => logs.workerLine({ endpointId: "echo", workerId: "w", line: "text" }),
    },
    {
      name: "a watcher of a job",
      listen: (listener) => watchers.watch(job, listener),
      call: () => watchers.publish(JOB.id, { type: "restarted", job: JOB }),
    },
    {
      name: "a watcher of a job that moves",
      listen: (listener) => moved.watch(job, listener),
      call: () => moved.endpointsMoved(() => true),
    },
  ];
}

describe.each(failing)("a function that %s", (_, defect) => {
  test("at a port of the engine is logged, and the others are still called", async () => {
    const told: unknown[] = [];
    for (const { name, listen, call } of portsOf((error) => told.push(error))) {
      told.length = 0;
      const called: string[] = [];
      listen(() => called.push("before"));
      listen(defect);
      listen(() => called.push("after"));
      call();
      await turn();
      expect([name, called, told.map(String)]).toEqual([
        name,
        ["before", "after"],
        ["Error: a defect"],
      ]);
    }
  });

  test("as a follower of an engine blocks no job's end, and is logged once with its stack", async () => {
    await using scene = await createTestEngine();
    scene.engine.events.follow(defect);
    const worker = await scene.connectWorker();
    for (let job = 0; job < 2; job += 1) {
      const { id } = await scene.submit();
      scene.engine.watchers.watch({ endpointId: "echo", jobId: id }, defect);
      await worker.complete(await worker.nextJob());
      await worker.grant();
      const read = await scene.job(id);
      expect(read?.status).toBe("COMPLETED");
    }
    const told = scene.logged.filter(({ level }) => level === "error");
    expect(told.map(({ message }) => message)).toEqual([
      "a follower of events failed",
      "a listener of a job failed",
    ]);
    const stack: unknown = expect.stringContaining("defects.test.ts");
    expect(told[0]?.fields["err"]).toMatchObject({ stack });
  });
});

test("a defect is logged once for each place in the code, also with different messages", () => {
  const told: string[] = [];
  const all = new Defects({
    error: ({ err }, sentence) => void told.push(`${sentence}: ${String(err)}`),
  });
  const here = (n: number) => new Error(`number ${n}`);
  const first = all.of("a first one failed");
  for (let n = 1; n <= 3; n += 1) first(here(n));
  first("no error");
  first("no error at all");
  first(new Error("elsewhere"));
  all.of("a second one failed")(here(4));
  expect(told).toEqual([
    "a first one failed: Error: number 1",
    "a first one failed: no error",
    "a first one failed: Error: elsewhere",
    "a second one failed: Error: number 4",
  ]);
});

describe("a callback after a batch", () => {
  test.each(["release", "failed", "learned", "lost"] as const)(
    "that throws in %s leaves no step without an answer, and the engine can end",
    async (what) => {
      const scene = openWriter({ [what]: fail });
      const { store, writer, jobs } = scene;
      const good = outcomeOf(writer.run((step) => insert(step)));
      await turn();
      const next = outcomeOf(writer.run((step) => insert(step)));
      const look = outcomeOf(writer.durable());
      writer.recordsChanged({ version: 5, records: [] });
      store.flushes[0]?.succeed();
      await turn();
      store.flushes[1]?.fail(new Error("disk full"));
      await turn();
      const closed = outcomeOf(writer.close());
      await turn();
      expect([good.state, next.state, look.state, closed.state]).toEqual([
        "resolved",
        "Error: disk full",
        "Error: disk full",
        "resolved",
      ]);
      expect(jobs.endpoint("hello").counts.inQueue).toBe(1);
      if (what !== "lost") expect(scene.defects.map(String)).toContain("Error: a defect");
    },
  );

  test("that throws during the undo of a step leaves the other undos intact", async () => {
    const { store, writer, jobs, defects } = openWriter();
    const first = outcomeOf(writer.run((step) => insert(step)));
    const second = outcomeOf(
      writer.run((step) => {
        step.onFailure(fail);
        insert(step);
      }),
    );
    await turn();
    store.flushes[0]?.fail(new Error("disk full"));
    await turn();
    expect([first.state, second.state]).toEqual(["Error: disk full", "Error: disk full"]);
    expect(jobs.endpoint("hello").counts.inQueue).toBe(0);
    expect(defects.map(String)).toEqual(["Error: a defect"]);
    await writer.close();
  });

  test("that throws does not keep callers that wait for other replicas' changes in a loop", async () => {
    const { writer, store, memory } = sharedMemory({ learned: fail, release: fail });
    void writer.run((step) => step.putRecord("account", "account", { sshKeys: [] }));
    await turn();
    memory.recordsChanged({ version: 5, records: [] });
    const known = outcomeOf(memory.refreshRecords());
    await turn();
    expect(known.state).toBe("open");
    store.flushes[0]?.succeed();
    await turn();
    expect(known.state).toBe("resolved");
    await memory.refreshRecords();
  });
});

function sharedMemory(releases: Partial<StepReleases>) {
  const scene = openWriter(releases);
  const ownership = new OwnedPartitions();
  return { ...scene, memory: new OwnedMemory({ ...scene, ownership }) };
}
