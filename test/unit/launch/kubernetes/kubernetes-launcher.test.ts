/** The Kubernetes launcher on a simulated cluster: obstacles of pods, their ends, and found pods. */
import { expect, it } from "vitest";
import { digestOf } from "../../../../emulator/core/access/key-ring.ts";
import type { LaunchedWorker } from "../../../../emulator/launch/launcher.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { orderOf, templateNamed } from "../../../contract/launcher/subject.ts";
import { ApiProblem } from "../../../setup/pods-api/problem.ts";
import { NODE_IMAGE, nodeTemplate, openCluster } from "./open-launcher.ts";

const STAYS = 'console.log("here"); setInterval(() => undefined, 1_000);';
const GPU = { computeType: "GPU", gpuCount: 1, gpuTypeIds: ["NVIDIA L4"] } as const;

const said = (lines: readonly string[], words: string) =>
  eventually(`"${words}" is said`, () => lines.some((line) => line.includes(words)) || undefined);

it("the launcher reports why no node accepts a pod, and runs it when a node does", async () => {
  await using cluster = await openCluster();
  const { api, launcher, lines } = cluster;
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS), GPU));
  const obstacle = await eventually("it waits", () => worker.obstacle?.());
  expect(obstacle).toEqual({
    reason: "no node takes its pod: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu",
    isThrottled: true,
  });
  expect(cluster.said.join()).toContain("the worker does not run yet: no node takes its pod");
  api.node.gpus = 1;
  api.node.labels["nvidia.com/gpu.product"] = "NVIDIA-L4";
  await worker.running;
  expect(worker.obstacle?.()).toBeUndefined();
  await said(lines, "here");
});

it("the launcher keeps at most the limit of a line, however long it is", async () => {
  await using cluster = await openCluster();
  const worker = cluster.launcher.launch(
    orderOf(nodeTemplate('process.stdout.write("x".repeat(200_000) + "\\nafter\\n")')),
  );
  const { lastLogLines } = await worker.exited;
  expect(lastLogLines.map(({ length }) => length)).toEqual([
    LIMITS.logLineMaxBytes,
    "after".length,
  ]);
});

it("the launcher deletes a waiting pod as soon as its worker should leave", async () => {
  await using cluster = await openCluster();
  const worker = cluster.launcher.launch(orderOf(nodeTemplate(STAYS), GPU));
  await eventually("it waits", () => worker.obstacle?.());
  worker.drain();
  expect(await worker.exited).toMatchObject({ exitCode: 0 });
  expect(cluster.api.pods).toEqual([]);
});

it("the launcher pulls a private image with the credentials of its template", async () => {
  await using cluster = await openCluster({ credentials: { username: "me", password: "word" } });
  cluster.api.node.images.set(NODE_IMAGE, { login: "me:word" });
  const worker = cluster.launcher.launch(orderOf(nodeTemplate("")));
  expect(await worker.exited).toMatchObject({ exitCode: 0 });
});

it("the launcher reports why an image cannot be pulled", async () => {
  await using cluster = await openCluster();
  const worker = cluster.launcher.launch(orderOf(templateNamed("registry.example/none:1")));
  const { reason, isThrottled } = await eventually("it waits", () => worker.obstacle?.());
  expect(reason).toContain("its image cannot be pulled: ErrImagePull: failed to pull");
  expect(isThrottled).toBe(false);
});

it("the launcher reports what the node of a pod waits for, until the pod runs", async () => {
  await using cluster = await openCluster({ haste: 20 });
  const { api, launcher, lines } = cluster;
  const message = 'MountVolume.SetUp failed for volume "models": connection timed out';
  api.node.trouble = { reason: "FailedMount", message };
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS)));
  const { reason, isThrottled } = await eventually("it waits", () => worker.obstacle?.());
  expect(reason).toBe(`its container cannot be made: FailedMount: ${message}`);
  expect(isThrottled).toBe(false);
  api.node.trouble = undefined;
  await worker.running;
  expect(worker.obstacle?.()).toBeUndefined();
  await said(lines, "here");
});

it.each(["configmaps", "secrets", "pods"])(
  "the launcher reports that the cluster refuses its %s, and leaves no secret behind",
  async (kind) => {
    await using cluster = await openCluster({ credentials: { username: "me", password: "word" } });
    const { api, launcher } = cluster;
    api.refusals.set(kind, new ApiProblem(403, "Forbidden", "exceeded quota: gpus"));
    const exit = await launcher.launch(orderOf(nodeTemplate(STAYS))).exited;
    expect(exit.startError).toContain("exceeded quota: gpus");
    expect(api.requests.at(-1)).toMatch(kind === "configmaps" ? /^POST / : /^DELETE .*\/secrets\//);
    expect(api.objects.list("secrets")).toEqual([]);
  },
);

it("the launcher reports that memory ran out, that a pod was evicted, and that a pod was deleted from outside", async () => {
  await using cluster = await openCluster();
  const { api, launcher } = cluster;
  const workers = [1, 2, 3].map(() => launcher.launch(orderOf(nodeTemplate(STAYS))));
  for (const { running } of workers) await running;
  const [first = "", second = "", third = ""] = workers.map((each) => each.place?.().pod ?? "");
  api.node.end(first, {}, "OOMKilled");
  api.node.end(second, { reason: "Evicted", message: "low on memory" });
  api.delete("pods", third, { gracePeriodSeconds: 0 });
  const [killed, evicted, deleted] = await Promise.all(workers.map(({ exited }) => exited));
  expect(killed).toMatchObject({ outOfMemory: true, signal: "SIGKILL" });
  expect(evicted?.goneWith).toBe("its pod, which was evicted: low on memory");
  expect(deleted?.goneWith).toBe("its pod, which was deleted from outside");
});

it("the launcher loses nothing while the API server is away, and reports the absence", async () => {
  await using cluster = await openCluster();
  const { api, launcher, lines } = cluster;
  const counts =
    'let n = 0; setInterval(() => { console.log("line " + n++); if (n > 60) process.exit(5); }, 30);';
  const worker = launcher.launch(orderOf(nodeTemplate(counts)));
  await said(lines, "line 3");
  await api.away();
  await eventually("it is known", () => launcher.refuses(nodeTemplate("")));
  expect(launcher.refuses(nodeTemplate(""))).toContain("does not answer");
  await api.back();
  expect(await worker.exited).toMatchObject({ exitCode: 5 });
  const texts = lines.map((line) => line.split(": ")[1]);
  expect(texts).toEqual(Array.from({ length: 61 }, (_, n) => `line ${n}`));
  expect(launcher.refuses(nodeTemplate(""))).toBeUndefined();
  expect(cluster.willing()).toBeGreaterThan(0);
});

it("the launcher lists all pods again if the server no longer has the changes since the last list", async () => {
  await using cluster = await openCluster();
  const { api, launcher } = cluster;
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS)));
  await worker.running;
  await api.away();
  api.delete("pods", worker.place?.().pod ?? "", { gracePeriodSeconds: 0 });
  api.objects.compact();
  await api.back();
  expect((await worker.exited).goneWith).toBe("its pod, which was deleted from outside");
});

it("the launcher finds the pods of a killed process of its service, and leaves those of other services", async () => {
  await using cluster = await openCluster();
  const { api, launcher, another } = cluster;
  const foreign = another({ service: "fedcba9876543210" });
  const moved = orderOf(nodeTemplate(STAYS), { id: "moved" });
  const kept = [foreign.launch(orderOf(nodeTemplate(STAYS))), launcher.launch(moved)];
  const left = launcher.launch(orderOf(nodeTemplate(STAYS)));
  for (const { running } of [...kept, left]) await running;
  const names = kept.map((each) => each.place?.().pod ?? "");
  const next = another({ isOurs: (endpointId) => endpointId !== "moved" });
  await next.reach();
  await left.exited;
  await eventually("it is gone", () => api.pods.length === 2 || undefined);
  expect(new Set(api.pods.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
});

it("the launcher manages the pods that it takes over from a killed process like its own", async () => {
  await using cluster = await openCluster();
  const { api, launcher, lines, another } = cluster;
  const order = orderOf(nodeTemplate(`${STAYS} process.on("SIGTERM", () => process.exit(3));`));
  await launcher.launch(order).running;
  await said(lines, "here");
  const adopted: LaunchedWorker[] = [];
  const next = another({
    found: () => {
      for (const found of next.outliving?.found() ?? []) {
        const { workerId, endpoint } = order;
        const { version: endpointVersion, id: endpointId } = endpoint;
        const digest = digestOf(order.workerToken);
        const isLeaving = false;
        const known = { workerId, endpointId, endpointVersion, tokenDigest: digest, isLeaving };
        expect(found).toEqual(known);
        adopted.push(...(next.outliving ? [next.outliving.adopt(order)] : []));
      }
    },
  });
  expect(next.outliving?.problem).toBe("the pods of the cluster are not listed yet");
  await next.reach();
  expect(next.outliving).toMatchObject({ problem: undefined });
  expect(next.outliving?.found()).toEqual([]);
  const [worker] = adopted;
  await worker?.running;
  expect(worker?.place?.().pod).toBe(api.pods[0]?.metadata.name);
  worker?.drain();
  expect(await worker?.exited).toMatchObject({ exitCode: 3 });
  // Earlier output was logged by the process that made the pod.
  expect(lines.filter((line) => line.endsWith("here"))).toHaveLength(1);
  await eventually("all is gone", () => api.objects.list("secrets").length === 0 || undefined);
});

it("the launcher's objects are deleted together with their owner", async () => {
  await using cluster = await openCluster();
  const { api, launcher } = cluster;
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS)));
  await worker.running;
  api.delete("configmaps", "sv-0123456789abcdef");
  await eventually("all is gone", () => api.objects.list("secrets").length === 0 || undefined);
  expect((await worker.exited).goneWith).toBe("its pod, which was deleted from outside");
});

it("the launcher leaves pods to the next start if the API server does not come back", async () => {
  await using cluster = await openCluster({ haste: 20 });
  const { api, launcher } = cluster;
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS)));
  await worker.running;
  await api.away();
  launcher.beginStop();
  const exit = await worker.exited;
  expect(exit.engineWentAway).toBe(true);
  await api.back();
});

it("the launcher gives up a worker if its image cannot be pulled for a minute", async () => {
  await using cluster = await openCluster({ haste: 100 });
  const worker = cluster.launcher.launch(orderOf(templateNamed("registry.example/none:1")));
  const { startError } = await worker.exited;
  expect(startError).toContain("its image cannot be pulled: ErrImagePull");
  await eventually("its pod is gone", () => cluster.api.pods.length === 0 || undefined);
});

it("the launcher deletes a pod if its node does not answer", async () => {
  await using cluster = await openCluster({ haste: 100 });
  const { api, launcher } = cluster;
  const worker = launcher.launch(orderOf(nodeTemplate(STAYS)));
  await worker.running;
  api.node.isAway = true;
  worker.kill();
  expect(await worker.exited).toMatchObject({ signal: "SIGKILL" });
  expect(api.pods).toEqual([]);
});
