/** Limits of containers and pods that their programs meet: the reason of a failure names the setting. */
import { describe, expect, it } from "vitest";
import { describeExit } from "../../../../emulator/engine/workers/describe-exit.ts";
import { readPodInput } from "../../../../emulator/core/pods/pod-input.ts";
import { makePod } from "../../../../emulator/core/pods/pod-life.ts";
import { orderOf } from "../../../contract/launcher/subject.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { open } from "../docker/open-scripted.ts";
import { containerOrder } from "../docker/order.ts";
import { nodeTemplate, openCluster } from "../kubernetes/open-launcher.ts";

type Env = Readonly<Record<string, string>>;

/** The end of a worker that wrote the lines and failed, and the messages about limits in the log. */
type Fail = (
  env: Env,
  lines: readonly string[],
) => Promise<{ readonly end: string; readonly log: readonly string[] }>;

const MET = "the program met a limit of its container: ";

const inContainer: Fail = async (env, lines) => {
  const { engine, launcher, made, said } = open();
  const worker = launcher.launch(containerOrder({ env }));
  await made(1);
  await worker.running;
  for (const line of lines) engine.at(0).writes(`${line}\n`);
  engine.at(0).exits(1);
  return { end: describeExit(await worker.exited), log: said.filter((each) => each.includes(MET)) };
};

const inPod: Fail = async (env, lines) => {
  await using cluster = await openCluster();
  const writes = lines.map((line) => `console.log(${JSON.stringify(line)});`).join("");
  const template = { ...nodeTemplate(`${writes} process.exitCode = 1;`), env };
  const { exited } = cluster.launcher.launch(orderOf(template));
  return {
    end: describeExit(await exited),
    log: cluster.said.filter((each) => each.includes(MET)),
  };
};

const AT = "2026-01-01T00:00:00.000Z";
const READ_ONLY = "OSError: [Errno 30] Read-only file system: '/models'";
const NO_EXEC = "ImportError: /tmp/x/kernel.so: failed to map segment from shared object";
const NO_THREAD = "RuntimeError: can't start new thread";
const FORK = "sh: 1: Cannot fork: Resource temporarily unavailable";
const BUS = "DataLoader worker (pid 7) is killed by signal: Bus error.";
const SHM_FULL = "OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'";
const TMP_FULL = "OSError: [Errno 28] No space left on device: '/tmp/model.bin'";
const LOCKED = "Failed to lock memory: RLIMIT_MEMLOCK is 65536";
const FOREIGN = "exec /app/program: exec format error";

const SAME = [
  [READ_ONLY, "SV_CONTAINER_PRIVILEGES=image"],
  ["Error: EROFS: read-only file system, mkdir '/data'", "its root is read-only"],
  [BUS, "/dev/shm holds 2 GB: set SV_CONTAINER_SHM=SIZE in the env of its template"],
  [SHM_FULL, "/dev/shm holds 2 GB"],
  [TMP_FULL, "SV_CONTAINER_TMP"],
  [FOREIGN, "SV_CONTAINER_PLATFORM"],
  ["CUDA driver version is insufficient for CUDA runtime version", "update the driver"],
] as const;

describe.each([
  ["a container", inContainer],
  ["a pod", inPod],
] as const)(
  "the failure of %s ends with the limit that its program met, and so does the log",
  (_, fail) => {
    it.each(SAME)("after %j: %s", async (line, setting) => {
      const { end, log } = await fail({ SV_CONTAINER_SHM: "2g" }, ["before", line, line, "after"]);
      expect(end).toMatch(/^ended with code 1; /u);
      expect(end).toContain(setting);
      expect(log).toEqual([`${MET}${end.replace("ended with code 1; ", "")}`]);
    });
  },
);

it.each([
  [NO_EXEC, "SV_CONTAINER_TMP_EXEC=on"],
  ["Error: spawn /tmp/tool EACCES", "SV_CONTAINER_TMP_EXEC=on"],
  ["sh: 1: /tmp/tool: Permission denied", "SV_CONTAINER_TMP_EXEC=on"],
  [NO_THREAD, "it may have 4096 processes and threads: set SV_CONTAINER_PIDS=NUMBER"],
  [FORK, "SV_CONTAINER_PIDS"],
  [LOCKED, "SV_CONTAINER_MEMLOCK"],
])("a container has further limits of its own: %j", async (line, setting) => {
  expect((await inContainer({}, [line])).end).toContain(setting);
});

it.each([
  [NO_THREAD, "podPidsLimit of the kubelet"],
  [LOCKED, "the container runtime of its node"],
])("a pod has these limits from its node: %j", async (line, setting) => {
  expect((await inPod({}, [line])).end).toContain(setting);
});

it.each([
  [{ SV_CONTAINER_PRIVILEGES: "image" }, READ_ONLY],
  [{ SV_CONTAINER_PRIVILEGES: "image" }, TMP_FULL],
  [{ SV_CONTAINER_TMP_EXEC: "on" }, NO_EXEC],
  [{}, "everything is fine"],
])("with %o nothing is said about %j", async (env, line) => {
  expect(await inContainer(env, [line])).toEqual({ end: "ended with code 1", log: [] });
});

it("nothing is said about a root that a container of the management interface can write", async () => {
  const { engine, launcher, made, said } = open();
  const pod = makePod("p1", readPodInput({ imageName: "me/box:1" }), undefined, AT);
  const { exited, running } = launcher.launchPod({ pod, runId: "r1", gpus: [] });
  await made(1);
  await running;
  engine.at(0).writes(`${READ_ONLY}\n`);
  engine.at(0).exits(1);
  expect(describeExit(await exited)).toBe("ended with code 1");
  expect(said.join()).not.toContain(MET);
});

it("a container that SIGBUS ended without a line has met the limit of /dev/shm", async () => {
  const { engine, launcher, made } = open();
  const worker = launcher.launch(containerOrder());
  await made(1);
  await worker.running;
  engine.at(0).exits(135);
  expect(describeExit(await worker.exited)).toContain("was ended by SIGBUS; /dev/shm holds 1 GB");
});

it("a limit that a living worker meets is logged at once, and is no reason of a later end on request", async () => {
  const { engine, launcher, made, said } = open();
  const worker = launcher.launch(containerOrder());
  await made(1);
  await worker.running;
  engine.at(0).writes(`${READ_ONLY}\n`);
  await eventually("it is logged", () => said.some((each) => each.includes(MET)) || undefined);
  worker.kill();
  expect(await worker.exited).toMatchObject({ signal: "SIGKILL" });
  expect(describeExit(await worker.exited)).toBe("was ended by SIGKILL");
});
