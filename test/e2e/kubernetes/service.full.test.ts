/** The service on a real cluster: its workers are pods, wait for resources, lose no job, and leave nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubernetesIsMissing } from "../../setup/kubernetes/programs.ts";
import { eventually } from "../jobs/observe.ts";
import { ServiceScene } from "./service-scene.ts";

const PATIENCE_MS = 120_000;
const ROUNDS = 5;
const AT_ONCE = 10;

describe.skipIf(kubernetesIsMissing() !== undefined)("the service on a cluster", () => {
  let scene: ServiceScene;

  beforeAll(async () => {
    scene = await ServiceScene.open();
    await scene.start();
  }, 3_600_000);
  afterAll(() => scene[Symbol.asyncDispose]());

  const soon = <T>(what: string, look: () => Promise<T | undefined>) =>
    eventually(what, look, PATIENCE_MS);
  const untilDone = (endpointId: string, id: string) =>
    soon(`${id} is done`, async () => {
      const answer = await scene.ask(`/v2/${endpointId}/status/${id}`);
      return answer.status === "COMPLETED" ? answer : undefined;
    });
  const untilRunning = (id: string) =>
    soon(`${id} runs`, async () => {
      const answer = await scene.ask(`/v2/app/status/${id}`);
      return answer.status === "IN_PROGRESS" ? answer : undefined;
    });
  const untilNoPods = () =>
    soon("there is no pod", async () => (await scene.pods()).length === 0 || undefined);

  test("an endpoint scales from no pod to three, and back", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => scene.submit("app", 20_000)));
    await soon(
      "there are three",
      async () => (await scene.pods("Running")).length === 3 || undefined,
    );
    for (const id of ids) await untilDone("app", id);
    await untilNoPods();
    expect(await scene.secrets()).toEqual([]);
  });

  test("an endpoint with GPUs waits for one, reports that it waits, and works when there is one", async () => {
    const id = await scene.submit("gpu", 0);
    const waiting = await soon("it waits", async () => {
      const { workers } = await scene.ask("/emulator/workers?endpointId=gpu");
      return workers.find(({ waitsFor }) => waitsFor !== undefined)?.waitsFor;
    });
    expect(waiting).toContain("Insufficient nvidia.com/gpu");
    expect(await scene.ask("/v2/gpu/health")).toMatchObject({ workers: { throttled: 1 } });
    await scene.cluster.setGpus(1);
    await untilDone("gpu", id);
    await untilNoPods();
  });

  test("a deleted pod, a killed pod and a drained node lose no job", async () => {
    const gently = await scene.submit("app", 10_000);
    await untilRunning(gently);
    await scene.kubectl("delete", "pods", "--all");
    expect((await untilDone("app", gently)).output).toEqual({ attempt: 1 });
    const harshly = await scene.submit("app", 10_000);
    await untilRunning(harshly);
    await scene.kubectl("delete", "pods", "--all", "--force", "--grace-period=0");
    expect((await untilDone("app", harshly)).output).toEqual({ attempt: 2 });
    const drained = await scene.submit("app", 10_000);
    await untilRunning(drained);
    await scene.cluster.drainNode();
    expect((await untilDone("app", drained)).output).toEqual({ attempt: 1 });
    const waits = await scene.submit("app", 0);
    await scene.cluster.uncordonNode();
    await untilDone("app", waits);
    await untilNoPods();
  }, 400_000);

  test("a service that is killed in mid-job finds its pods again", async () => {
    const id = await scene.submit("app", 30_000);
    await untilRunning(id);
    const pods = await scene.pods();
    await scene.kill();
    await scene.start();
    expect((await untilDone("app", id)).output).toEqual({ attempt: 1 });
    expect(await scene.ask(`/emulator/jobs/${id}`)).toMatchObject({ retries: 0 });
    expect(pods).toHaveLength(1);
    await untilNoPods();
  });

  test("a load balancing endpoint answers from its pod", async () => {
    const text = await soon("it answers", async () => {
      const answer = await scene.fetch("/lb/lb/anything");
      return answer.ok ? answer.text() : undefined;
    });
    expect(text).toMatch(/^from pod-/u);
  });

  test(`${ROUNDS * AT_ONCE} pods leave nothing behind after their end`, async () => {
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const jobs = Array.from({ length: AT_ONCE }, () => scene.submit("many", 15_000));
      const ids = await Promise.all(jobs);
      await soon("all run", async () => {
        const pods = (await scene.pods()).filter((name) => name.includes("many"));
        for (const name of pods) seen.add(name);
        return pods.length >= AT_ONCE || undefined;
      });
      for (const id of ids) await untilDone("many", id);
      await soon("they are gone", async () => {
        const left = (await scene.pods()).filter((name) => name.includes("many"));
        return left.length === 0 || undefined;
      });
    }
    expect(seen.size).toBeGreaterThanOrEqual(ROUNDS * AT_ONCE);
    const left = (await scene.secrets()).filter((name) => name.includes("many"));
    expect(left).toEqual([]);
  }, 1_800_000);

  test("a deleted endpoint and a stopped service leave nothing behind", async () => {
    const id = await scene.submit("app", 600_000);
    await untilRunning(id);
    await scene.fetch("/v1/endpoints/app", "DELETE");
    await soon("its pods are gone", async () => {
      const left = (await scene.pods()).filter((name) => name.includes("app"));
      return left.length === 0 || undefined;
    });
    await scene.stop();
    expect([await scene.pods(), await scene.secrets()]).toEqual([[], []]);
    await scene.kubectl("delete", "configmaps", "-l", "app.kubernetes.io/managed-by=sv-runtime");
  });
});
