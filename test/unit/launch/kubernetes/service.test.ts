/**
 * The whole service with a simulated cluster: workers are pods, servers are called at their pods, and pods'
 * obstacles are shown.
 */
import path from "node:path";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterEach, expect, it, vi } from "vitest";
import { templateOf } from "../../../../emulator/core/resources/templates/template-fields.ts";
import { startEmulator } from "../../../../emulator/index.ts";
import type { EmulatorOptions } from "../../../../emulator/options.ts";
import { eventually } from "../../../e2e/jobs/observe.ts";
import { freePort } from "../../../setup/free-port.ts";
import { startPodsApi } from "../../../setup/pods-api/api-server.ts";

const WORKER = path.resolve("runtime/bin/sv-worker.ts");
const HANDLER = path.resolve("test/fixtures/handlers/echo.ts");
const IMAGE = "registry.example/app:1";

const SERVER = `require("node:http").createServer((request, response) => response.end("from " + process.env.SV_WORKER_ID))
  .listen(Number(process.env.PORT), "127.0.0.1");`;

interface Answers {
  readonly status?: string;
  readonly output?: unknown;
  readonly workers: readonly { readonly id: string; readonly waitsFor?: string }[];
}

interface Asked extends Omit<NonNullable<EmulatorOptions["images"]>[number], "id" | "template"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly s3?: EmulatorOptions["s3"];
}

/** @param program arguments of Node in the image */
async function open(program: readonly string[], { env = {}, s3 = false, ...endpoint }: Asked = {}) {
  const api = await startPodsApi();
  api.node.images.set(IMAGE, { entrypoint: [process.execPath, ...program] });
  vi.stubEnv("KUBECONFIG", api.kubeconfig);
  const template = templateOf({ id: "app", imageName: IMAGE, env });
  const workerPort = await freePort();
  const service = await startEmulator({
    ...{ port: 0, apiKey: "key", s3, kubernetes: api.namespace, workerPort },
    workerAddress: `127.0.0.1:${workerPort}`,
    images: [
      {
        ...endpoint,
        id: "app",
        template: { template },
        settings: { workersMax: 1, ...endpoint.settings },
      },
    ],
  });
  const headers = { authorization: "Bearer key", "content-type": "application/json" };
  const ask = async (at: string, body?: object) => {
    const asking = body && { method: "POST", body: JSON.stringify(body) };
    return fetch(`${service.url}${at}`, { headers, ...asking });
  };
  return {
    ...{ api, service, ask },
    json: async (at: string, body?: object) => (await (await ask(at, body)).json()) as Answers,
    async [Symbol.asyncDispose]() {
      await service.stop("kill");
      await api[Symbol.asyncDispose]();
    },
  };
}

afterEach(() => vi.unstubAllEnvs());

it("a worker in a pod completes a job, and the pod is removed when the service stops", async () => {
  await using scene = await open([WORKER, HANDLER]);
  const { api, service, json } = scene;
  const { status, output } = await json("/v2/app/runsync", { input: { said: "hello" } });
  expect({ status, output }).toEqual({ status: "COMPLETED", output: { said: "hello" } });
  const { workers } = await json("/emulator/workers");
  expect(workers).toMatchObject([{ launcher: "pod", pod: api.pods[0]?.metadata.name }]);
  await service.stop("kill");
  expect(api.pods).toEqual([]);
});

it("a pod gets the addresses of the service by the live protocol, and the object store with its endpoint's keys", async () => {
  await using scene = await open([WORKER, HANDLER], { s3: { port: 0 } });
  const { api, json, service } = scene;
  await json("/v2/app/runsync", { input: {} });
  const { data = {} } =
    api.objects.list("secrets").find(({ metadata }) => metadata.name.endsWith("-env")) ?? {};
  const told = (name: string) => Buffer.from(data[name] ?? "", "base64").toString();
  expect(told("RUNPOD_WEBHOOK_GET_JOB")).toContain(`${service.url}/live/v2/app/job-take/`);
  expect(told("SV_S3_ENDPOINT")).toBe(`${service.url}/s3`);
  const storage = new S3Client({
    endpoint: told("SV_S3_ENDPOINT"),
    region: told("SV_S3_REGION"),
    forcePathStyle: true,
    credentials: {
      accessKeyId: told("SV_S3_ACCESS_KEY_ID"),
      secretAccessKey: told("SV_S3_SECRET_ACCESS_KEY"),
    },
  });
  const { $metadata } = await storage.send(
    new ListObjectsV2Command({ Bucket: told("SV_S3_BUCKET") }),
  );
  expect($metadata.httpStatusCode).toBe(200);
});

it("a cluster requires a port that its pods reach", async () => {
  const asked = { port: 0, apiKey: "key", s3: false, kubernetes: "gpu" } as const;
  await expect(startEmulator(asked)).rejects.toThrow(
    "kubernetes needs workerPort: pods take their jobs from that port",
  );
  await expect(startEmulator({ ...asked, workerPort: 0 })).rejects.toThrow(
    "kubernetes needs a worker port that pods can reach: host is a loopback address, and workerAddress is not set",
  );
});

it("a request is answered by the server of a pod, at the address of the pod", async () => {
  const port = String(await freePort());
  await using scene = await open(["-e", SERVER], { type: "LOAD_BALANCING", env: { PORT: port } });
  const { ask, json } = scene;
  const answer = await ask("/lb/app/anything");
  const { workers } = await json("/emulator/workers");
  expect(await answer.text()).toBe(`from ${workers[0]?.id}`);
});

it("a worker is throttled if its pod finds no node, with the scheduler's message", async () => {
  const settings = { computeType: "GPU", workersMin: 1 } as const;
  await using scene = await open([WORKER, HANDLER], { settings });
  const { json } = scene;
  const waiting = await eventually("it waits", async () => {
    const { workers } = await json("/emulator/workers");
    return workers[0]?.waitsFor;
  });
  expect(waiting).toContain("Insufficient nvidia.com/gpu");
  const health = await json("/v2/app/health");
  expect(health).toMatchObject({ workers: { throttled: 1, initializing: 0 } });
});
