/** Volumes of a running emulator: handlers and S3 clients read each other's files, also after a kill. */
import fs from "node:fs";
import path from "node:path";
import {
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runEmulatorProcess } from "../emulator-process.ts";
import { Stage } from "../jobs/stage.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { testInFull } from "../../setup/size.ts";

const handler = "uses-its-volume.ts";

interface Answer {
  readonly text?: string;
  /** Paths from the context, from setup, and from the environment. */
  readonly paths: readonly (string | null)[];
  readonly s3: {
    readonly endpoint: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
}

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.set({
    endpoints: { plain: { handler }, local: { handler, volume: "mine/data", workersMax: 2 } },
  });
});

afterAll(async () => stage[Symbol.asyncDispose]());

async function ask(endpointId: string, input: object): Promise<Answer> {
  const { output, error } = await stage.endpoint<Answer>(endpointId).runSync(input);
  if (output === undefined) throw new Error(error ?? "the job has no output");
  return output;
}

async function manage(method: string, place: string, body?: object) {
  const response = await fetch(`${stage.emulator.url}/v1/${place}`, {
    method,
    headers: { authorization: `Bearer ${stage.emulator.apiKey ?? ""}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = (text === "" ? {} : JSON.parse(text)) as { readonly id: string };
  return { status: response.status, json };
}

/** A volume, and an endpoint with it. */
async function endpointWithVolume() {
  const name = crypto.randomUUID();
  const order = { name, size: 10, dataCenterId: "EU-RO-1" };
  const volume = await manage("POST", "networkvolumes", order);
  const image = { name, imageName: "sv.local/plain", isServerless: true };
  const { id: templateId } = (await manage("POST", "templates", image)).json;
  const wish = { templateId, networkVolumeId: volume.json.id };
  const endpoint = await manage("POST", "endpoints", wish);
  expect([volume.status, endpoint.status]).toEqual([200, 200]);
  expect(endpoint.json).toMatchObject(wish);
  return { volumeId: volume.json.id, endpointId: endpoint.json.id };
}

class Bucket implements Disposable {
  readonly #client: S3Client;
  readonly #name: string;

  constructor({ s3 }: Answer, name: string) {
    const { endpoint, ...credentials } = s3;
    this.#client = new S3Client({
      endpoint,
      region: "us-east-1",
      forcePathStyle: true,
      credentials,
    });
    this.#name = name;
  }

  async put(key: string, text: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ Bucket: this.#name, Key: key, Body: text }));
  }

  async get(key: string): Promise<string | undefined> {
    const { Body } = await this.#client.send(
      new GetObjectCommand({ Bucket: this.#name, Key: key }),
    );
    return Body?.transformToString();
  }

  async keys(): Promise<readonly (string | undefined)[]> {
    const { Contents = [] } = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.#name }),
    );
    return Contents.map(({ Key }) => Key);
  }

  async all(): Promise<readonly (string | undefined)[]> {
    const { Buckets = [] } = await this.#client.send(new ListBucketsCommand({}));
    return Buckets.map(({ Name }) => Name);
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}

it("handlers and S3 clients share the files of a volume, also after the emulator was killed", async () => {
  const { volumeId, endpointId } = await endpointWithVolume();
  const wrote = await ask(endpointId, { write: { file: "out/a b.txt", text: "by the handler" } });
  const [directory = ""] = wrote.paths;
  expect(wrote.paths).toEqual([directory, directory, directory]);
  expect(directory).toMatch(new RegExp(`/data/volumes/${volumeId}$`));
  {
    using bucket = new Bucket(wrote, volumeId);
    expect(await bucket.get("out/a b.txt")).toBe("by the handler");
    await bucket.put("in/größe.txt", "by the client");
  }
  {
    using bucket = new Bucket(await ask("plain", {}), volumeId);
    await expect(bucket.get("out/a b.txt")).rejects.toMatchObject({ name: "AccessDenied" });
  }
  const read = await ask(endpointId, { read: "in/größe.txt" });
  expect(read.text).toBe("by the client");

  await stage.kill();
  await stage.start();
  const after = await ask(endpointId, { read: "in/größe.txt" });
  expect(after).toMatchObject({ text: "by the client", paths: wrote.paths });
  using bucket = new Bucket(after, volumeId);
  expect(await bucket.keys()).toEqual(["in/größe.txt", "out/a b.txt"]);
  expect(await bucket.get("out/a b.txt")).toBe("by the handler");
  const { json } = await manage("GET", `networkvolumes/${volumeId}`);
  expect(json).toMatchObject({ id: volumeId, size: 10 });
});

testInFull("a deleted volume removes its files and its bucket permanently", async () => {
  const { volumeId, endpointId } = await endpointWithVolume();
  const { paths } = await ask(endpointId, { write: { file: "a", text: "x" } });
  expect(await manage("DELETE", `networkvolumes/${volumeId}`)).toMatchObject({
    status: 400,
    json: { code: "in_use" },
  });
  expect((await manage("DELETE", `endpoints/${endpointId}`)).status).toBe(204);
  expect((await manage("DELETE", `networkvolumes/${volumeId}`)).status).toBe(204);
  expect(fs.existsSync(paths[0] ?? "")).toBe(false);
  for (const restarted of [false, true]) {
    if (restarted) {
      await stage.kill();
      await stage.start();
    }
    const { s3, ...answer } = await ask("plain", {});
    using bucket = new Bucket({ ...answer, s3: { ...s3, ...stage.storeKeys() } }, volumeId);
    expect(await bucket.all()).not.toContain(volumeId);
    expect((await manage("GET", `networkvolumes/${volumeId}`)).status).toBe(404);
  }
});

it("an endpoint of a config has the directory that it names, as a bucket beside its own bucket", async () => {
  const answer = await ask("local", { write: { file: "result", text: "by the handler" } });
  const [directory = ""] = answer.paths;
  expect(directory).toMatch(/\/mine\/data$/);
  using bucket = new Bucket(answer, "local.volume");
  expect(await bucket.get("result")).toBe("by the handler");
  await bucket.put("more", "by the client");
  expect((await ask("local", { read: "more" })).text).toBe("by the client");
  expect(await bucket.all()).toEqual(expect.arrayContaining(["local", "local.volume"]));
  // A directory of the user is no network volume.
  expect((await manage("GET", "networkvolumes")).json).not.toContainEqual(
    expect.objectContaining({ id: "local.volume" }),
  );
  expect((await ask("plain", {})).paths).toEqual([null, null, null]);
});

it("a config with a volume that cannot be a directory starts no endpoint, and the error names the endpoint", async () => {
  const handlerFile = path.resolve(import.meta.dirname, "../../fixtures/handlers", handler);
  const config = { endpoints: { a: { handler: handlerFile, volume: "taken" } } };
  await using tree = await temporaryTree({ "c.json": JSON.stringify(config), taken: "a file" });
  const run = await runEmulatorProcess({ args: ["c.json", "--ephemeral"], cwd: tree.root });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toContain('the volume of the endpoint \\"a\\" cannot be used: EEXIST');
});
