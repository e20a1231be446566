/** A new version of a handler file: workers that can load it stay, and get jobs again when they have loaded it. */
import { describe, expect, it } from "vitest";
import {
  type HandlerModule,
  releaseHandler,
} from "../../../../emulator/engine/workers/release-handler.ts";
import { updateEndpoint } from "../../../../emulator/engine/resources/endpoints/update-endpoint.ts";
import { localImage } from "../../../../emulator/handlers/local-endpoint.ts";
import { FleetScene } from "./fleet-scene.ts";

const MODULE = { modulePath: "/made/2.mjs", sourcePath: "/app/handler.ts" };
const IMAGE = localImage({ id: "echo" });

async function sceneOfReloading(workersMin = 1, reloads = true): Promise<FleetScene> {
  const scene = await FleetScene.set();
  scene.launcher.reloads = reloads;
  await updateEndpoint(scene.test.engine, "echo", { workersMin });
  await scene.settle();
  return scene;
}

async function release(scene: FleetScene, module: HandlerModule | undefined, image = IMAGE) {
  await releaseHandler(scene.test.engine, image, module);
  await scene.settle();
}

describe("a release of a new handler", () => {
  it("gives the endpoint its next version and tells its workers, which stay", async () => {
    await using scene = await sceneOfReloading(2);
    const workers = [await scene.connect(0), await scene.connect(1)];
    await release(scene, MODULE);
    expect(scene.test.engine.directory.endpoint("echo").version).toBe(2);
    for (const { orders, worker } of workers) {
      expect(orders.at(-1)).toEqual({ reload: { version: 2, ...MODULE } });
      expect(worker).toMatchObject({ endpointVersion: 2, state: "ready" });
    }
    expect(scene.launcher.launched.map(({ wasDrained }) => wasDrained)).toEqual([false, false]);
  });

  it("voids all credit: the next job waits until the worker has loaded this version", async () => {
    await using scene = await sceneOfReloading();
    const worker = await scene.connect(0, 5);
    await release(scene, MODULE);
    await release(scene, MODULE);
    const job = await scene.submit();
    await worker.grant(5);
    await worker.report({ ready: { concurrency: 5, reloadVersion: 2 }, credit: 5 });
    await scene.settle();
    expect(await scene.statusOf(job)).toBe("IN_QUEUE");
    await worker.report({ ready: { concurrency: 5, reloadVersion: 3 }, credit: 5 });
    await scene.settle();
    expect(await scene.statusOf(job)).toBe("IN_PROGRESS");
  });

  it("does not affect running jobs", async () => {
    await using scene = await sceneOfReloading();
    const worker = await scene.connect(0);
    const id = await scene.submit();
    const job = await worker.nextJob();
    await release(scene, MODULE);
    await worker.complete(job, "by the old version");
    await scene.settle();
    expect(await scene.statusOf(id)).toBe("COMPLETED");
  });

  it("is repeated to a worker that greets, unless the worker has loaded it", async () => {
    await using scene = await sceneOfReloading();
    await release(scene, MODULE);
    const worker = await scene.connect(0);
    expect(worker.orders.filter(({ reload }) => reload)).toMatchObject([
      { reload: { version: 2 } },
    ]);
    const { launcher, test } = scene;
    await worker.report({ ready: { concurrency: 1, reloadVersion: 2 }, credit: 1 });
    worker.session.disconnected();
    const again = await launcher.at(0).connect(test.engine);
    expect(again.orders.filter(({ reload }) => reload)).toEqual([]);
  });

  it("replaces workers that cannot load it, like any new version", async () => {
    await using scene = await sceneOfReloading(1, false);
    await scene.connect(0);
    await release(scene, MODULE);
    expect(scene.launcher.launched.map(({ wasDrained }) => wasDrained)).toEqual([true, false]);
  });

  it("resets a backoff: after a failure the next worker starts at once", async () => {
    await using scene = await sceneOfReloading();
    await scene.exit(0, { exitCode: 3 });
    expect(scene.launcher.launched).toHaveLength(1);
    await release(scene, MODULE);
    expect(scene.launcher.launched).toHaveLength(2);
  });

  it("without a handler makes all workers leave", async () => {
    await using scene = await sceneOfReloading();
    await scene.connect(0);
    await release(scene, undefined);
    expect(scene.launcher.at(0).wasDrained).toBe(true);
  });

  it("does not affect endpoints of other handlers", async () => {
    await using scene = await sceneOfReloading();
    await release(scene, MODULE, `${IMAGE}-of-another`);
    expect(scene.test.engine.directory.endpoint("echo").version).toBe(1);
  });
});
