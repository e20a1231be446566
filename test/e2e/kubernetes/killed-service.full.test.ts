/** A restarted service finds its pods again: their jobs continue, and no job runs twice. */
import { once } from "node:events";
import fs from "node:fs";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { startPodsApi } from "../../setup/pods-api/api-server.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { API_KEY, KillableEmulator } from "../crash/killable-emulator.ts";
import { eventually } from "../jobs/observe.ts";

const WORKER = path.resolve("runtime/bin/sv-worker.ts");
const HANDLER = path.resolve("test/fixtures/handlers/waits-at-a-gate.ts");
const IMAGE = "registry.example/app:1";
const ENDPOINT = { image: IMAGE, workersMin: 0, workersMax: 1 };

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly workerId?: string;
  readonly workers: readonly { readonly id: string; readonly state: string }[];
}

/** A server that holds requests until a test opens it. */
async function openGate() {
  const waiting: ServerResponse[] = [];
  const server = http.createServer((_, response) => void waiting.push(response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Number of requests. */
    count: () => waiting.length,
    open: () => waiting.forEach((response) => response.end("opened")),
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function openScene(directory: string) {
  const api = await startPodsApi();
  api.node.images.set(IMAGE, { entrypoint: [process.execPath, WORKER, HANDLER] });
  const config = path.join(directory, "sv.json");
  fs.writeFileSync(config, JSON.stringify({ endpoints: { app: ENDPOINT }, dataDir: "data" }));
  const [port, workerPort] = [await freePort(), await freePort()];
  const args = [
    ...["--s3-port", "off", "--kubernetes", api.namespace],
    ...["--worker-port", String(workerPort), "--worker-address", `127.0.0.1:${workerPort}`],
  ];
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  return {
    api,
    start: async () => {
      const options = { config, port, args, env: { KUBECONFIG: api.kubeconfig } };
      const emulator = new KillableEmulator(options);
      await emulator.ready;
      return emulator;
    },
    ask: async (at: string, body?: object): Promise<Answer> => {
      const sent = body && { method: "POST", body: JSON.stringify(body) };
      const answer = await fetch(`http://127.0.0.1:${port}${at}`, { headers, ...sent });
      return (await answer.json()) as Answer;
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

it("a job continues in its pod while the service is killed and started again, and the new service adopts the pod", async () => {
  using directory = temporaryDirectory();
  using gate = await openGate();
  await using scene = await openScene(directory.path);
  const { api, ask, start } = scene;
  await using first = await start();
  const { id } = await ask("/v2/app/run", { input: { gate: gate.url } });
  await eventually("the job runs", () => gate.count() === 1 || undefined);
  const pods = api.pods.map(({ metadata }) => metadata.uid);
  await first.kill();
  await using second = await start();
  const { workerId } = await ask(`/v2/app/status/${id}`);
  await eventually("its worker is back", async () => {
    const { workers } = await ask("/emulator/workers");
    return workers.some((each) => each.id === workerId && each.state === "ready") || undefined;
  });
  gate.open();
  const done = await eventually("the job has ended", async () => {
    const answer = await ask(`/v2/app/status/${id}`);
    return answer.status === "COMPLETED" ? answer : undefined;
  });
  expect(done).toMatchObject({ output: "opened", workerId });
  expect(await ask(`/emulator/jobs/${id}`)).toMatchObject({ retries: 0 });
  expect(gate.count()).toBe(1);
  expect(api.pods.map(({ metadata }) => metadata.uid)).toEqual(pods);
  await second.stop();
  expect(api.pods).toEqual([]);
});

it("a job goes back to the queue at once, at no cost, when its pod disappeared while the service was away", async () => {
  using directory = temporaryDirectory();
  using gate = await openGate();
  await using scene = await openScene(directory.path);
  const { api, ask, start } = scene;
  await using first = await start();
  const { id } = await ask("/v2/app/run", { input: { gate: gate.url } });
  await eventually("the job runs", () => gate.count() === 1 || undefined);
  await first.kill();
  for (const { metadata } of api.pods) api.delete("pods", metadata.name, { gracePeriodSeconds: 0 });
  await using second = await start();
  await eventually("it runs again", () => gate.count() === 2 || undefined);
  gate.open();
  await eventually("the job has ended", async () => {
    const { status } = await ask(`/v2/app/status/${id}`);
    return status === "COMPLETED" || undefined;
  });
  expect(await ask(`/emulator/jobs/${id}`)).toMatchObject({ retries: 0 });
  await second.stop();
});
