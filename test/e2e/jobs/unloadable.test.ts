/**
 * Handlers that cannot be initialized: the log says why, jobs wait, other endpoints work, no retry loop spins, and
 * a repair serves the jobs.
 */
import fs from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { eventually, processesMarked } from "./observe.ts";
import { Stage } from "./stage.ts";
import { sized } from "../../setup/size.ts";

const fixtures = path.resolve(import.meta.dirname, "../../fixtures/handlers");
const GOOD = "export default (job) => `served ${job.input.name}`;\n";

interface Unloadable {
  readonly what: string;
  /** A file of the tree, at first with the text of the fixture of this name, or with `text`. */
  readonly file: string;
  readonly text?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Reason in the log; `$` is the tree's root. */
  readonly reason: string;
}

const ALL: readonly Unloadable[] = [
  {
    what: "throws when it is imported",
    file: "import-fails.ts",
    reason: "import-fails.ts cannot be imported: the weights are not here",
  },
  {
    what: "has no default export",
    file: "no-default-export.ts",
    reason:
      "no-default-export.ts has no default export: add `export default async function (job, context) { … }`.",
  },
  {
    what: "throws in its setup",
    file: "setup-throws.ts",
    reason: "setup of setup-throws.ts failed: model.safetensors is cut off",
  },
  {
    what: "never finishes its setup",
    file: "setup-hangs.ts",
    env: { SV_INIT_LIMIT_MS: "2000" },
    reason: "The handler was not ready after 2 s: its module or its setup takes too long.",
  },
  {
    what: "has a syntax error",
    file: "broken.ts",
    text: "export default (job: unknown) => {\n  return job.;\n};\n",
    reason: 'broken.ts cannot be built:\n$/broken.ts:2:14: Expected identifier but found ";"',
  },
  {
    what: "has a syntax error and is JavaScript",
    file: "broken-too.mjs",
    text: "export default (job) => {\n  return job.;\n};\n",
    reason:
      'broken-too.mjs cannot be imported:\n$/broken-too.mjs:2:14: Expected identifier but found ";"',
  },
  {
    what: "is not there",
    file: "missing.js",
    text: GOOD,
    reason: "There is no file or directory $/missing.js.",
  },
];

/** `npm test` runs one for each place of the failure: its setup, its build, its file. */
const UNLOADABLE = sized(
  ALL.filter(({ file }) => ["setup-throws.ts", "broken.ts", "missing.js"].includes(file)),
  ALL,
);

const mark = (id: string): string => `CANNOT_BE_LOADED=${id}`;
let tree: TemporaryTree;
let stage: Stage;

beforeAll(async () => {
  const texts = await Promise.all(
    UNLOADABLE.map(async ({ file, text }): Promise<[string, string]> => [
      file,
      text ?? (await fs.readFile(path.join(fixtures, file), "utf8")),
    ]),
  );
  tree = await temporaryTree(Object.fromEntries(texts));
  const endpoints = UNLOADABLE.map(({ file, env }) => [
    idOf(file),
    {
      handler: path.relative(fixtures, tree.path(file)),
      // No worker reads the file before there is a job.
      workersMin: 0,
      workersMax: 1,
      env: { CANNOT_BE_LOADED: idOf(file), ...env },
    },
  ]);
  const works = { handler: "echo.ts", workersMax: 1 };
  stage = await Stage.set({ endpoints: { ...Object.fromEntries(endpoints), works } });
  await fs.rm(tree.path("missing.js"));
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await tree[Symbol.asyncDispose]();
});

function idOf(file: string): string {
  return path.parse(file).name;
}

/** Log lines about one endpoint's workers. */
function logOf(endpointId: string) {
  const entries = stage.emulator.stderrLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((entry) => entry["endpointId"] === endpointId);
  const timesOf = (message: string) =>
    entries
      .filter(({ msg }) => msg === message)
      .map(({ time }) => new Date(time as string | number).getTime());
  return {
    errors: entries.filter(({ level }) => level === "error").map(({ msg }) => String(msg)),
    startedAt: timesOf("worker started"),
  };
}

test.concurrent.each(UNLOADABLE)(
  "a handler that $what logs the reason, lets its job wait, and serves it after a repair",
  async ({ file, reason }) => {
    const id = idOf(file);
    const endpoint = stage.endpoint(id);
    const { id: jobId } = await endpoint.run({ name: id });
    const waits = [1_000, 2_000, 4_000].map(
      (waitMs) => `worker could not initialize; the next try is in ${waitMs} ms`,
    );
    await eventually(`${id} is left alone for 4 s`, async () => {
      // Requests and jobs do not trigger an earlier try, and other endpoints work.
      await endpoint.health();
      await stage.endpoint("works").runSync({ beside: id });
      return logOf(id).errors.some((error) => error === waits[2]) ? true : undefined;
    });
    const health = await eventually(`${id} is unhealthy`, async () => {
      const now = await endpoint.health();
      return now.workers["unhealthy"] === 1 ? now : undefined;
    });
    expect(health).toMatchObject({
      jobs: { inQueue: 1, inProgress: 0, failed: 0, completed: 0, retried: 0 },
      workers: { unhealthy: 1, idle: 0, running: 0 },
    });
    expect(await endpoint.status(jobId)).toEqual({ id: jobId, status: "IN_QUEUE" });
    const isGone = () => (processesMarked(mark(id)).length === 0 ? true : undefined);
    await eventually(`between two tries nothing of ${id} runs`, isGone);

    const { errors, startedAt } = logOf(id);
    expect(errors.filter((error) => waits.includes(error))).toEqual(waits);
    const told = errors
      .filter((error) => !waits.includes(error))
      // The log line is about a file that disappeared after it was first watched, which is not before the service
      // is ready.
      .filter(
        (error) =>
          !error.startsWith(`${file} cannot be built, the previous version stays in service`),
      )
      .map((error) => error.replace("the handler cannot be loaded: ", ""));
    expect([...new Set(told)]).toEqual([reason.replaceAll("$/", `${tree.root}/`)]);
    expect(startedAt).toHaveLength(3);
    const pausesMs = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    console.log(`figure: pauses between the starts of ${id}: ${pausesMs.join(", ")} ms`);
    // Counted from the end of the previous try; the log's clock is read a little later.
    for (const [index, pauseMs] of pausesMs.entries()) {
      expect(pauseMs).toBeGreaterThan(1_000 * 2 ** index - 50);
    }

    await fs.writeFile(tree.path(file), GOOD);
    expect(await endpoint.wait(jobId)).toMatchObject({ output: `served ${id}` });
    expect(await endpoint.health()).toMatchObject({
      jobs: { completed: 1, failed: 0, inQueue: 0, retried: 0 },
      workers: { unhealthy: 0, idle: 1 },
    });
    await stage.remove(id);
    await eventually(`nothing of ${id} is left`, isGone);
  },
);
