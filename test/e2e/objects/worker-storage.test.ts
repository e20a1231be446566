/** The variables of workers for the object store, and the life of their buckets. */
import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runEmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { Stage } from "../jobs/stage.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

type Env = Readonly<Record<string, string | undefined>>;

const handler = "shows-environment.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({
    endpoints: {
      plain: { handler },
      "own-bucket": { handler, env: { SV_S3_BUCKET: "mine" } },
      elsewhere: { handler, env: { BUCKET_ENDPOINT_URL: "https://s3.example.test" } },
    },
  });
});

afterAll(async () => stage[Symbol.asyncDispose]());

async function environmentOf(endpointId: string): Promise<Env> {
  const { output } = await stage.endpoint<{ env: Env }>(endpointId).runSync({});
  if (output === undefined) throw new Error("the job has no output");
  return output.env;
}

/** A client with only the handler's variables. */
function clientOf(env: Env, endpoint = env["SV_S3_ENDPOINT"] ?? ""): S3Client {
  return new S3Client({
    endpoint,
    region: env["SV_S3_REGION"] ?? "",
    forcePathStyle: true,
    credentials: {
      accessKeyId: env["SV_S3_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: env["SV_S3_SECRET_ACCESS_KEY"] ?? "",
    },
  });
}

async function bucketNames(client: S3Client): Promise<readonly (string | undefined)[]> {
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  return Buckets.map(({ Name }) => Name);
}

it("a handler gets the address and working keys of its endpoint's bucket", async () => {
  const env = await environmentOf("plain");
  expect(env["SV_S3_BUCKET"]).toBe("plain");
  const client = clientOf(env);
  const target = { Bucket: "plain", Key: "out/result.txt" };
  await client.send(new PutObjectCommand({ ...target, Body: "result" }));
  const url = await getSignedUrl(client, new GetObjectCommand(target));
  expect(await (await fetch(url)).text()).toBe("result");
  client.destroy();
});

it("the store also answers below /s3 on the main port, with signatures over that path", async () => {
  const client = clientOf(await environmentOf("plain"), `${stage.emulator.url}/s3`);
  expect(await bucketNames(client)).toEqual(["plain"]);
  const target = { Bucket: "plain", Key: "a b/ü" };
  await client.send(new PutObjectCommand({ ...target, Body: "by the main port" }));
  const url = await getSignedUrl(client, new GetObjectCommand(target));
  expect(url).toContain(`${stage.emulator.url}/s3/plain/`);
  expect(await (await fetch(url)).text()).toBe("by the main port");
  client.destroy();
  expect((await fetch(`${stage.emulator.url}/s3`)).status).toBe(403);
  expect((await fetch(`${stage.emulator.url}/s3x`)).status).toBe(401);
});

it("a template's env overrides the store's variables, and keys go only to their own service", async () => {
  const own = await environmentOf("own-bucket");
  expect(own["SV_S3_BUCKET"]).toBe("mine");
  expect(own["SV_S3_ENDPOINT"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const elsewhere = await environmentOf("elsewhere");
  expect(Object.keys(elsewhere).filter((name) => name.startsWith("SV_S3_"))).toEqual([]);
});

it("an address that a worker presigned works after a restart", async () => {
  const client = clientOf(await environmentOf("plain"), `${stage.emulator.url}/s3`);
  const target = { Bucket: "plain", Key: "kept-address" };
  await client.send(new PutObjectCommand({ ...target, Body: "still there" }));
  const url = new URL(await getSignedUrl(client, new GetObjectCommand(target)));
  client.destroy();
  await stage.stop();
  await stage.start();
  const headers = { host: url.host };
  const { port } = new URL(stage.emulator.url);
  const answer = await request(`http://127.0.0.1:${port}${url.pathname}${url.search}`, { headers });
  expect(await answer.body.text()).toBe("still there");
});

it("objects and keys survive a restart, and no output contains the secret", async () => {
  const before = await environmentOf("plain");
  const lines = [...stage.emulator.stdoutLines, ...stage.emulator.stderrLines];
  const client = clientOf(before);
  const target = { Bucket: "plain", Key: "kept" };
  await client.send(new PutObjectCommand({ ...target, Body: "x" }));
  await stage.stop();
  await stage.start();
  const after = await environmentOf("plain");
  for (const name of ["SV_S3_ACCESS_KEY_ID", "SV_S3_SECRET_ACCESS_KEY"]) {
    expect(after[name]).toBe(before[name]);
  }
  const again = clientOf(after);
  const { Body } = await again.send(new GetObjectCommand(target));
  expect(await Body?.transformToString()).toBe("x");
  for (const each of [client, again]) each.destroy();
  lines.push(...stage.emulator.stdoutLines, ...stage.emulator.stderrLines);
  expect(lines.filter((line) => line.includes("object store (S3, path style) at"))).toHaveLength(2);
  expect(lines.filter((line) => line.includes(before["SV_S3_SECRET_ACCESS_KEY"] ?? "-"))).toEqual(
    [],
  );
});

it("a deleted endpoint removes its bucket only if the bucket is empty", async () => {
  const env = await environmentOf("plain");
  await clientOf(env).send(new PutObjectCommand({ Bucket: "plain", Key: "kept", Body: "x" }));
  await environmentOf("own-bucket");
  const { accessKeyId, secretAccessKey } = stage.storeKeys();
  const client = clientOf({
    ...env,
    SV_S3_ACCESS_KEY_ID: accessKeyId,
    SV_S3_SECRET_ACCESS_KEY: secretAccessKey,
  });
  expect(await bucketNames(client)).toEqual(expect.arrayContaining(["own-bucket", "plain"]));
  for (const id of ["plain", "own-bucket"]) {
    const response = await fetch(`${stage.emulator.url}/v1/endpoints/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${stage.emulator.apiKey ?? ""}` },
    });
    expect(response.status).toBe(204);
  }
  const left = await bucketNames(client);
  expect(left).toContain("plain");
  expect(left).not.toContain("own-bucket");
  client.destroy();
  // The keys end with the endpoint. Objects in its bucket stay.
  await expect(bucketNames(clientOf(env))).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
});

it("the store can be switched off, and a start fails when the requested port of the store is taken", async () => {
  using temporary = temporaryDirectory();
  const target = new URL(`../../fixtures/handlers/${handler}`, import.meta.url).pathname;
  const args = [target, "--data-dir", temporary.path, "--log", "json"];
  await using emulator = await startEmulatorProcess({ args: [...args, "--s3-port", "off"] });
  expect(emulator.stderrLines.filter((line) => line.includes("object store"))).toEqual([]);
  // The job interface requires its own key at unknown paths.
  expect((await fetch(`${emulator.url}/s3`)).status).toBe(401);
  const { port } = new URL(emulator.url);
  const refused = await runEmulatorProcess({
    args: [target, "--ephemeral", "--s3-port", port, "--log", "json"],
  });
  expect(refused).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`),
  });
});
