/** The object store as a part of the service: its port, the buckets of endpoints and volumes. */
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { S3Client, ListBucketsCommand } from "@aws-sdk/client-s3";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { callerCheck } from "../../../emulator/assembly/callers.ts";
import type { KeyOwner } from "../../../emulator/objects/access-keys.ts";
import { ObjectService } from "../../../emulator/objects/object-service.ts";
import type { CallerLook, ObjectLog } from "../../../emulator/objects/server/object-requests.ts";
import { put } from "../../contract/objects/subject.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../setup/temporary-directory.ts";

const SILENT = { warn: () => undefined, error: () => undefined };

function serviceIn(
  temporary: TemporaryDirectory,
  log: ObjectLog = SILENT,
  callers?: CallerLook,
): ObjectService {
  const directory = path.join(temporary.path, "objects");
  const callersOption = callers && { callers };
  return new ObjectService({ directory, now: Date.now, log, ...callersOption });
}

function owner(id: string): KeyOwner {
  return { id, createdAt: "2026-01-01T00:00:00.000Z" };
}

async function bucketNames(service: ObjectService): Promise<readonly (string | undefined)[]> {
  const { endpoint = "", region = "", ...credentials } = service.access ?? {};
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: "", secretAccessKey: "", ...credentials },
  });
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  client.destroy();
  return Buckets.map(({ Name }) => Name);
}

const ANYWHERE = { host: "127.0.0.1", port: 0, allowsOtherPort: false };

it("the store can be stopped before its start, and twice", async () => {
  using temporary = temporaryDirectory();
  const service = serviceIn(temporary);
  expect(service.access).toBeUndefined();
  expect(service.bucketFor(owner("hello"))).toBeUndefined();
  await Promise.all([service.stop(), service.stop()]);
});

it("the store takes another port if the one above is taken, unless that was requested", async () => {
  using temporary = temporaryDirectory();
  const occupant = createServer().listen(0, "127.0.0.1");
  await once(occupant, "listening");
  const address = occupant.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (_: object, message: string) => void warnings.push(message) };
  const service = serviceIn(temporary, log);
  const asked = service.start({ host: "127.0.0.1", port, allowsOtherPort: false });
  await expect(asked).rejects.toHaveProperty("name", "PortInUseError");
  await service.start({ host: "127.0.0.1", port, allowsOtherPort: true });
  expect(service.access?.endpoint).not.toBe(`http://127.0.0.1:${port}`);
  expect(warnings).toEqual([expect.stringContaining(`port ${port} on 127.0.0.1 is in use`)]);
  expect(await bucketNames(service)).toEqual([]);
  await service.stop();
  occupant.close();
});

it("the store reports a callable address if it listens on all interfaces", async () => {
  using temporary = temporaryDirectory();
  const service = serviceIn(temporary);
  await service.start({ ...ANYWHERE, host: "0.0.0.0" });
  expect(service.access?.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await bucketNames(service)).toEqual([]);
  await service.stop();
});

describe("endpoints", () => {
  it("get a bucket with their first worker, under any valid id", async () => {
    using temporary = temporaryDirectory();
    const service = serviceIn(temporary);
    await service.start(ANYWHERE);
    const ids = ["Hello_World", "a", "tokens"];
    for (const id of [...ids, "tokens"]) {
      const { secretAccessKey, endpoint } = service.access ?? {};
      const own = service.bucketFor(owner(id));
      expect(own).toEqual({
        endpoint,
        accessKeyId: `SV-${id}`,
        secretAccessKey: expect.stringMatching(/^[\w-]{40}$/),
        bucket: id,
        region: "us-east-1",
      });
      expect(own?.secretAccessKey).not.toBe(secretAccessKey);
    }
    expect(await bucketNames(service)).toEqual(ids);
    await service.stop();
  });

  it("that are deleted lose an empty bucket, and leave one with objects", async () => {
    using temporary = temporaryDirectory();
    const service = serviceIn(temporary);
    await service.start(ANYWHERE);
    for (const id of ["full", "empty"]) service.bucketFor(owner(id));
    await put(service.store.bucket("full"), "result", "x");
    for (const id of ["full", "empty", "never-had-one"]) await service.endpointDeleted(id);
    expect(await bucketNames(service)).toEqual(["full"]);
    await service.stop();
  });
});

it("a volume is a bucket while it is registered", async () => {
  using temporary = temporaryDirectory();
  const service = serviceIn(temporary);
  await service.start(ANYWHERE);
  await service.store.volumeBucket("vol1", temporary.path);
  expect(await bucketNames(service)).toEqual(["vol1"]);
  service.store.dropVolumeBucket("vol1");
  expect(await bucketNames(service)).toEqual([]);
  await service.stop();
});

it("the store answers at an additional address too, at the same port if that is free, until it is stopped", async () => {
  using temporary = temporaryDirectory();
  const service = serviceIn(temporary);
  await service.start(ANYWHERE);
  const port = new URL(service.access?.endpoint ?? "").port;
  const url = await service.listenAlsoAt("127.0.0.2");
  expect(url).toBe(`http://127.0.0.2:${port}`);
  expect((await fetch(url)).status).toBe(403);
  expect(service.bucketFor(owner("hello"), url)).toMatchObject({ endpoint: url });
  // The first service already has that port there.
  const another = await service.listenAlsoAt("127.0.0.2");
  expect((await fetch(another)).status).toBe(403);
  await expect(service.listenAlsoAt("203.0.113.1")).rejects.toThrow(
    "is no address of this machine",
  );
  await service.stop();
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

describe("before the check of the signature", () => {
  const PAGE = "http://localhost:3000";
  const check = callerCheck("127.0.0.1", { allowedOrigins: [PAGE] });

  async function answersTo(
    at: (service: ObjectService) => Promise<string>,
    ...asks: readonly { readonly method?: "OPTIONS"; readonly headers: Record<string, string> }[]
  ) {
    using temporary = temporaryDirectory();
    const service = serviceIn(temporary, SILENT, (incoming) => check.look(incoming));
    await service.start(ANYWHERE);
    const url = await at(service);
    const answers = [];
    for (const { method = "GET", headers } of asks) {
      const answer = await request(`${url}/bucket/key`, { method, headers });
      const { "access-control-allow-origin": origin } = answer.headers;
      answers.push([answer.statusCode, flagIn(await answer.body.text()), origin]);
    }
    await service.stop();
    return answers;
  }

  /** The flag that would admit the request; undefined for an unsigned one. */
  function flagIn(document: string): string | undefined {
    return /--allowed-\w+/u.exec(document)?.[0];
  }

  it.each([
    ["its own port", async (service: ObjectService) => service.access?.endpoint ?? ""],
    [
      "the port for containers",
      async (service: ObjectService) => service.listenAlsoAt("127.0.0.2"),
    ],
  ])(
    "foreign host names and pages are refused at %s, and allowed pages see the answer",
    async (_, at) => {
      const preflight = { origin: PAGE, "access-control-request-method": "PUT" };
      const answers = await answersTo(
        at,
        { headers: { host: "rebound.test" } },
        { headers: { origin: "http://page.test" } },
        { headers: { origin: PAGE } },
        { method: "OPTIONS", headers: preflight },
        { method: "OPTIONS", headers: { ...preflight, origin: "http://page.test" } },
        { headers: { host: "host.docker.internal" } },
      );
      expect(answers).toEqual([
        [403, "--allowed-host", undefined],
        [403, "--allowed-origin", undefined],
        [403, undefined, PAGE],
        [204, undefined, PAGE],
        [403, "--allowed-origin", undefined],
        [403, undefined, undefined],
      ]);
    },
  );
});
