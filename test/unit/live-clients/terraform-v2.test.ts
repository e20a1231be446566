/** Calls of the live service's own Terraform provider over REST v2, and the fields that it reads by type. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type ClientService, GO, startClientService } from "./client-service.ts";
import { Playing } from "./playing.ts";
import { PLAYS } from "./plays.ts";

const playing = new Playing(PLAYS.terraformV2);

const start = () => startClientService(GO, playing);

/** The provider treats a value of another type as absent. */
const id = z.string().min(1);
const number = z.number();

const pod = z.looseObject({ id, createdAt: id });

const template = z.looseObject({
  id,
  name: z.string(),
  image: id,
  category: z.string(),
  disk: number,
  public: z.boolean(),
  serverless: z.boolean(),
});

const endpoint = z.looseObject({
  id,
  name: z.string(),
  gpu: z.looseObject({ count: number }),
  workers: z.looseObject({ min: number, max: number }),
  scaling: z.union([
    z.looseObject({ type: z.literal("QUEUE_DELAY"), queueDelay: number }),
    z.looseObject({ type: z.literal("REQUEST_COUNT"), requestCount: number }),
  ]),
  disk: number,
  timeout: number,
  networkVolumes: z.array(z.string()),
  dataCenterIds: z.array(z.string()),
  createdAt: id,
});

const nothing = z.undefined();
/** The provider prints a refusal unchanged. */
const problem = z.looseObject({ status: z.int(), detail: id });

async function createTemplate({ send }: ClientService): Promise<string> {
  const body = {
    ...{ name: "upscale", image: "example/upscale:1", category: "NVIDIA", disk: 10 },
    ...{ env: { MODEL: "small" }, public: false, serverless: true, ports: ["8000/http"] },
  };
  const request = { method: "POST", path: "/v2/templates", body, reads: template } as const;
  return (await send({ ...request, status: 201 })).id;
}

test("the provider creates, reads, updates and deletes a template, and a missing one is a 404", async () => {
  await using client = await start();
  const { send } = client;
  const path = `/v2/templates/${await createTemplate(client)}`;
  const read = await send({ method: "GET", path, reads: template });
  expect(read).toMatchObject({ image: "example/upscale:1", disk: 10, serverless: true });
  const body = { image: "example/upscale:2", disk: 20, env: { MODEL: "large" } };
  expect(await send({ method: "PATCH", path, body, reads: template })).toMatchObject(body);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  await send({ method: "GET", path, status: 404, reads: problem });
});

test("options with their REST v1 names are refused, as by the live service", async () => {
  await using client = await start();
  const body = { name: "a", image: "a/b:1", dockerStartCmd: ["ls"], mounts: [{ volumeInGb: 5 }] };
  const { errors } = await client.send({
    ...{ method: "POST", path: "/v2/templates", body, status: 422 },
    reads: problem.extend({ errors: z.array(z.string()) }),
  });
  expect(errors).toEqual([
    "$.mounts: got array, want object",
    "$: additional properties 'dockerStartCmd' not allowed",
  ]);
});

test("the provider creates an endpoint of a template and a GPU type, after it has looked up the type's pool", async () => {
  await using client = await start();
  const { send } = client;
  const templatePath = `/v2/templates/${await createTemplate(client)}`;
  const { image } = await send({ method: "GET", path: templatePath, reads: template });
  const gpu = z.looseObject({ id, pool: id.nullable() });
  const { gpus } = await send({
    ...{ method: "GET", path: "/v2/catalog/gpus" },
    reads: z.looseObject({ gpus: z.array(gpu) }),
  });
  const pool = gpus.find((each) => each.id === "NVIDIA L4")?.pool;
  const body = {
    ...{ name: "upscale", image, type: "QUEUE", gpu: { pools: [pool], count: 1 } },
    ...{ workers: { min: 0, max: 3 }, scaling: { type: "QUEUE_DELAY", queueDelay: 5 } },
    ...{ dataCenterIds: ["EU-RO-1"], env: { MODEL: "small" }, timeout: 600_000 },
  };
  const request = { method: "POST", path: "/v2/serverless", body, reads: endpoint } as const;
  const made = await send({ ...request, status: 201 });
  expect(made).toMatchObject({ workers: { max: 3 }, timeout: 600_000, gpu: { count: 1 } });
  const path = `/v2/serverless/${made.id}`;
  expect(await send({ method: "GET", path, reads: endpoint })).toEqual(made);
  const change = { name: "faster", workers: { min: 0, max: 5 } };
  expect(await send({ method: "PATCH", path, body: change, reads: endpoint })).toMatchObject(
    change,
  );
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  await send({ method: "GET", path, status: 404, reads: problem });
});

test("the provider creates, reads and deletes a pod", async () => {
  await using client = await start();
  const { send } = client;
  const body = {
    ...{ name: "trainer", image: "example/train:1", gpu: { count: 1, id: "NVIDIA L4" } },
    ...{ cloud: "SECURE", disk: 50, ports: ["8888/http", "22/tcp"], env: { A: "b" } },
    ...{ startSsh: true, startJupyter: false },
  };
  const request = { method: "POST", path: "/v2/pods", body, reads: pod } as const;
  const made = await send({ ...request, status: 201 });
  const path = `/v2/pods/${made.id}`;
  expect(await send({ method: "GET", path, reads: pod })).toEqual(made);
  await send({ method: "DELETE", path, status: 204, reads: nothing });
  await send({ method: "GET", path, status: 404, reads: problem });
});

playing.ends();
