/** The first worker of a handler file gets the supervisor that was started ahead, if it would have started one like it. */
import { once } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import {
  endSpareSupervisor,
  startSpareSupervisor,
  startSupervisor,
  type Supervisor,
} from "../../../emulator/launch/processes/supervisor.ts";
import { inheritedEnvironment } from "../../../emulator/launch/processes/worker-process.ts";
import { temporaryTree } from "../../temporary-tree.ts";

/** Says its variables once it has all of them, and ends with its standard input. */
const PROGRAM = `
  const say = (told) => console.log(JSON.stringify({ ...process.env, ...told }));
  let text = "";
  const take = (piece) => (text += piece).endsWith("\\n") && say(JSON.parse(text));
  if (process.env.SV_SPARE === "1") process.stdin.setEncoding("utf8").on("data", take);
  else say({});
  process.stdin.on("end", () => process.exit(7)).resume();
`;

const ROOM = { availableBytes: 1_000_000_000 };

const madeTree = () => temporaryTree({ "worker.cjs": PROGRAM, "broken.cjs": "process.exit(1);" });

const envOf = (own: NodeJS.ProcessEnv = {}) => ({ ...inheritedEnvironment(), ...own });

afterEach(async () => {
  await endSpareSupervisor();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** The variables of a supervisor, which is ended then. */
async function variablesOf({ child }: Supervisor): Promise<NodeJS.ProcessEnv> {
  const closed = once(child, "close");
  const [line] = (await once(child.stdout ?? child, "data")) as [Buffer];
  child.stdin?.end();
  await closed;
  return JSON.parse(line.toString()) as NodeJS.ProcessEnv;
}

it("the first worker gets the spare supervisor with all its variables, and the second one another", async () => {
  await using tree = await madeTree();
  const program = tree.path("worker.cjs");
  const spare = startSpareSupervisor(program, ROOM);
  const workers = ["a", "b"].map((id) =>
    startSupervisor(program, envOf({ SV_WORKER_ID: id, SV_S3_SECRET_ACCESS_KEY: "s" }), true),
  );
  expect(workers.map(({ child }) => child === spare)).toEqual([true, false]);
  const [first = {}, second = {}] = await Promise.all(workers.map(variablesOf));
  const { SV_SPARE, SV_LOG_FORMAT, SV_EXIT_ON_STDIN_END, SV_SUPERVISOR_PROCESS, ...told } = first;
  expect({ SV_SPARE, SV_LOG_FORMAT, SV_EXIT_ON_STDIN_END }).toEqual({
    SV_SPARE: "1",
    SV_LOG_FORMAT: "json",
    SV_EXIT_ON_STDIN_END: "1",
  });
  const { SV_SUPERVISOR_PROCESS: other, ...normal } = second;
  expect({ ...told, SV_WORKER_ID: "b" }).toEqual(normal);
  expect(workers.map(({ mark }) => mark[1])).toEqual([SV_SUPERVISOR_PROCESS, other]);
  expect(other).not.toBe(SV_SUPERVISOR_PROCESS);
});

it("a worker with variables that a process reads at its start gets a supervisor of its own", async () => {
  await using tree = await madeTree();
  const program = tree.path("worker.cjs");
  vi.stubEnv("SINCE_REMOVED", "1");
  const spare = startSpareSupervisor(program, ROOM);
  const refused = [
    startSupervisor(program, envOf(), false),
    startSupervisor(program, envOf({ CUDA_VISIBLE_DEVICES: "GPU-a" }), true),
  ];
  vi.stubEnv("SINCE_REMOVED", undefined);
  refused.push(startSupervisor(program, envOf(), true));
  vi.stubEnv("SINCE_REMOVED", "1");
  const taken = startSupervisor(program, envOf(), true);
  expect(taken.child).toBe(spare);
  for (const worker of refused) {
    expect(worker.child).not.toBe(spare);
    expect(await variablesOf(worker)).not.toHaveProperty("SV_SPARE");
  }
  await variablesOf(taken);
});

it("a spare supervisor that no worker needs leaves after ten seconds", async () => {
  await using tree = await madeTree();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const spare = startSpareSupervisor(tree.path("worker.cjs"), ROOM);
  const exited = once(spare ?? process, "exit");
  vi.advanceTimersByTime(9_999);
  expect(spare?.stdin?.writableEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await exited).toEqual([7, null]);
});

it("a worker gets a supervisor of its own if the spare one has ended, or could not start", async () => {
  await using tree = await madeTree();
  const program = tree.path("worker.cjs");
  const broken = startSpareSupervisor(tree.path("broken.cjs"), ROOM);
  await once(broken ?? process, "exit");
  const { execPath } = process;
  expect(await variablesOf(startSupervisor(program, envOf(), true))).not.toHaveProperty("SV_SPARE");
  await endSpareSupervisor();
  process.execPath = tree.path("no-node");
  const failed = startSpareSupervisor(program, ROOM);
  process.execPath = execPath;
  await once(failed ?? process, "error");
  expect(await variablesOf(startSupervisor(program, envOf(), true))).not.toHaveProperty("SV_SPARE");
});

it("an ended spare supervisor is gone, also one that does not leave by itself", async () => {
  await using tree = await temporaryTree({ "stays.cjs": "setInterval(() => 1, 1_000);" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const spare = startSpareSupervisor(tree.path("stays.cjs"), ROOM);
  const ended = endSpareSupervisor();
  vi.advanceTimersByTime(2_000);
  await ended;
  expect(spare?.signalCode).toBe("SIGKILL");
});

it("no supervisor is started ahead where memory is short", () => {
  expect(startSpareSupervisor("/none", { availableBytes: 511_999_999 })).toBeUndefined();
});
