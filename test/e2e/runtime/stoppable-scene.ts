/** An emulator with one real worker that a test can freeze, and the state of its processes and its handler. */
import fs from "node:fs/promises";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually, type ObservedProcess, processesMarked } from "../jobs/observe.ts";
import { Stage } from "../jobs/stage.ts";

export interface Output {
  readonly marker: string;
  readonly attempt: number;
}

export interface StoppableScene extends AsyncDisposable {
  readonly stage: Stage;
  /** Resolves when the handler of the job "slow" has written this line, for example "started 1" (the attempt). */
  readonly happened: (fact: string) => Promise<void>;
  readonly history: () => Promise<string[]>;
  /** The processes of the endpoint's workers. */
  readonly processes: () => ObservedProcess[];
}

export const isSupervisor = ({ commandLine }: ObservedProcess) => commandLine.includes("sv-worker");

/** An emulator with one idle worker of the endpoint `slow`. */
export async function setStoppableScene(): Promise<StoppableScene> {
  const tree = await temporaryTree({ history: "" });
  const mark = { name: "STOPPED_WORKER", value: crypto.randomUUID() };
  const env = { [mark.name]: mark.value, TAP_FILE: tree.path("history") };
  const stage = await Stage.set({
    endpoints: { slow: { handler: "writes-its-history.ts", workersMin: 1, workersMax: 1, env } },
  });
  await eventually("the worker is idle", async () => {
    const { workers } = await stage.endpoint("slow").health();
    return workers.idle === 1 ? true : undefined;
  });
  const history = async () =>
    (await fs.readFile(tree.path("history"), "utf8")).split("\n").flatMap((line) => {
      if (line === "") return [];
      const { type, attempt, marker } = JSON.parse(line) as Record<string, unknown>;
      if (marker !== "slow") return [];
      return [`${String(type)} ${String(attempt)}`];
    });
  return {
    stage,
    history,
    happened: async (fact) =>
      void (await eventually(`the handler ${fact}`, async () =>
        (await history()).includes(fact) ? true : undefined,
      )),
    processes: () => processesMarked(`${mark.name}=${mark.value}`),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}
