/** Load balancing endpoints with the built emulator and real servers: large bodies, WebSockets, deaths, stops. */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as openRequest } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { curlIsMissing } from "../../setup/curl.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { eventually, peakBytes, processesMarked } from "../jobs/observe.ts";
import { Stage } from "../jobs/stage.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { testInFull } from "../../setup/size.ts";

const MB = 1_000_000;
const SERVER = {
  handler: "../servers/answers-as-told.ts",
  type: "LOAD_BALANCING",
  env: { HEALTH_CHECK_PATH: "/healthy" },
  scalerValue: 1_000,
};

interface Curled {
  readonly exitCode: number;
  readonly body: Buffer;
}

let stage: Stage;
let files: TemporaryTree;

beforeAll(async () => {
  stage = await Stage.set({
    endpoints: { web: SERVER, rest: { ...SERVER, workersMin: 0, idleTimeout: 1 } },
  });
  files = await temporaryTree({});
});
afterAll(async () => {
  await files[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

async function curl(...args: readonly string[]): Promise<Curled> {
  const key = `Authorization: Bearer ${stage.emulator.apiKey}`;
  const child = spawn("curl", ["-sS", "-H", key, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  const [exitCode] = (await once(child, "close")) as [number];
  return { exitCode, body: Buffer.concat(pieces) };
}

function urlOf(rest: string, id = "web"): string {
  return `${stage.emulator.url}/lb/${id}${rest}`;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function openWebSocket(): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${stage.emulator.apiKey}` };
  const socket = new WebSocket(urlOf("/chat").replace("http:", "ws:"), { headers });
  await once(socket, "open");
  return socket;
}

async function echoed(socket: WebSocket, message: Buffer): Promise<Buffer> {
  socket.send(message);
  const [answer] = (await once(socket, "message")) as [Buffer];
  return answer;
}

describe.skipIf(curlIsMissing !== undefined)("bodies", () => {
  testInFull(
    "of 30 MB go up and come down unchanged, many at once, in bounded memory",
    async () => {
      const bytes = randomBytes(30 * MB);
      const file = path.join(files.root, "30-mb");
      await writeFile(file, bytes);
      const [up] = [await curl(urlOf("/hash"), "-T", file)];
      expect([up.exitCode, up.body.toString()]).toEqual([0, sha256(bytes)]);
      const pid = stage.emulator.child.pid ?? 0;
      const emulator = { pid, parentPid: 0, commandLine: "", startedAt: 0 };
      // Both ways at once; in chunks every other time.
      const echo = async (at: number) => {
        const copy = path.join(files.root, `copy-${at}`);
        const chunked = at % 2 === 0 ? ["-H", "Transfer-Encoding: chunked"] : [];
        const { exitCode } = await curl(urlOf("/echo"), "-T", file, "-o", copy, ...chunked);
        return [exitCode, sha256(await readFile(copy))];
      };
      const round = async (atOnce: number) => {
        const echoes = await Promise.all(
          Array.from({ length: atOnce }, async (_none, at) => echo(at)),
        );
        for (const result of echoes) expect(result).toEqual([0, sha256(bytes)]);
      };
      // Freed memory is not returned at once: further echoes reuse it.
      await round(8);
      const grownBy: number[] = [];
      // If all passed bodies were kept, each turn would add the 720 MB of its twelve echoes; otherwise the peak stays.
      while ((grownBy.at(-1) ?? Infinity) >= 80 * MB && grownBy.length < 5) {
        const before = peakBytes(emulator);
        for (let again = 0; again < 3; again += 1) await round(4);
        grownBy.push(peakBytes(emulator) - before);
      }
      const inMb = grownBy.map((bytesMore) => (bytesMore / MB).toFixed(0)).join(", ");
      console.log(
        `figure: by 12 echoes of 30 MB, 4 at a time, the emulator's peak grew by ${inMb} MB`,
      );
      expect(grownBy.at(-1)).toBeLessThan(80 * MB);
    },
  );

  test("begin to come back before the client has sent the last byte", async () => {
    const { apiKey } = stage.emulator;
    const headers = { authorization: `Bearer ${apiKey}`, "transfer-encoding": "chunked" };
    const request = openRequest(urlOf("/echo"), { method: "POST", headers });
    request.write("first");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const [first] = (await once(response.setEncoding("utf8"), "data")) as [string];
    request.end("last");
    const [last] = (await once(response, "data")) as [string];
    expect([first, last]).toEqual(["first", "last"]);
  });

  testInFull(
    "of more than 30 MB are refused with 413 when they are announced, while they arrive and on the way back",
    async () => {
      const file = path.join(files.root, "31-mb");
      await writeFile(file, Buffer.alloc(31 * MB));
      for (const more of [[], ["-H", "Transfer-Encoding: chunked"]]) {
        const { body } = await curl(urlOf("/hash"), "-T", file, ...more);
        expect(JSON.parse(body.toString())).toMatchObject({
          code: "payload_too_large",
          status: 413,
        });
      }
      const { exitCode, body } = await curl(urlOf(`/zeros?bytes=${31 * MB}`));
      // curl's exit code for a transfer that ended too soon.
      expect(exitCode).toBe(18);
      expect(body.length).toBeLessThanOrEqual(30 * MB);
      expect((await curl(urlOf(`/zeros?bytes=${30 * MB}`))).body).toHaveLength(30 * MB);
    },
  );
});

describe("WebSockets", () => {
  test("carry a message of 5 MB both ways", async () => {
    const socket = await openWebSocket();
    const message = randomBytes(5 * MB);
    expect(sha256(await echoed(socket, message))).toBe(sha256(message));
    socket.close(1000, "bye");
    expect((await once(socket, "close"))[0]).toBe(1000);
  });

  test("are open by the hundred", async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, openWebSocket));
    const messages = sockets.map(() => randomBytes(10_000));
    const answers = await Promise.all(
      sockets.map((socket, at) => echoed(socket, messages[at] ?? Buffer.alloc(0))),
    );
    expect(answers.map(sha256)).toEqual(messages.map(sha256));
    expect((await stage.endpoint("web").health()).workers.running).toBe(1);
    for (const socket of sockets) socket.close();
    await eventually("all are closed", async () => {
      const { idle } = (await stage.endpoint("web").health()).workers;
      return idle === 1 ? true : undefined;
    });
  });
});

describe.skipIf(curlIsMissing !== undefined)("workers", () => {
  test("get their ports, their id and the variables of their endpoint", async () => {
    const { body } = await curl(urlOf("/environment"));
    const environment = JSON.parse(body.toString()) as Record<string, string>;
    expect(environment).toMatchObject({
      HEALTH_CHECK_PATH: "/healthy",
      HOST: "127.0.0.1",
      PORT: expect.stringMatching(/^\d{2,5}$/u),
      PORT_HEALTH: environment["PORT"],
      SV_ENDPOINT_ID: "web",
      main: expect.stringMatching(/answers-as-told\.ts$/u),
    });
    expect(environment).not.toHaveProperty("SV_API_KEY");
  });

  test("are reached by the endpoint's own host name", async () => {
    const { port } = new URL(stage.emulator.url);
    const { body } = await curl(`http://web.localhost:${port}/echo`, "-d", "by name");
    expect(body.toString()).toBe("by name");
  });

  test("start when a request comes, and leave when none does", async () => {
    const workers = async () => (await stage.endpoint("rest").health()).workers;
    expect(await workers()).toMatchObject({ idle: 0, running: 0, initializing: 0 });
    const startedAt = performance.now();
    expect((await curl(urlOf("/echo", "rest"), "-d", "hi")).body.toString()).toBe("hi");
    const ms = performance.now() - startedAt;
    console.log(
      `figure: a request to an endpoint without workers was answered after ${ms.toFixed(0)} ms`,
    );
    await eventually("the worker has left", async () => {
      const { idle, running } = await workers();
      return idle + running === 0 ? true : undefined;
    });
  });

  test("that are killed in the middle of an answer cut it off, and are replaced", async () => {
    const { exitCode, body } = await curl(urlOf("/dies"));
    expect([exitCode, body.toString()]).toEqual([18, "half"]);
    expect((await curl(urlOf("/echo"), "-d", "again")).body.toString()).toBe("again");
  });
});

describe("an emulator that ends", () => {
  test("after SIGTERM finishes the requests in flight", async () => {
    await using own = await Stage.set({ endpoints: { web: SERVER } });
    const url = `${own.emulator.url}/lb/web/slow?ms=1500`;
    const headers = { authorization: `Bearer ${own.emulator.apiKey}` };
    const response = await fetch(url, { headers });
    const text = response.text();
    await own.stop();
    expect(await text).toBe("slow but sure");
  });

  test("after SIGKILL leaves neither a server nor a process that a server started", async () => {
    const mark = { name: "SERVES_UNTIL_KILLED", value: crypto.randomUUID() };
    const server = path.resolve(import.meta.dirname, "../../fixtures/servers/answers-as-told.ts");
    const config = { endpoints: { web: { ...SERVER, handler: server } } };
    await using tree = await temporaryTree({ "sv.config.json": JSON.stringify(config) });
    const env = { [mark.name]: mark.value };
    const args = ["sv.config.json", "--ephemeral"];
    const emulator = await startEmulatorProcess({ args, cwd: tree.root, env });
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    expect((await fetch(`${emulator.url}/lb/web/healthy`, { headers })).status).toBe(200);
    emulator.child.kill("SIGKILL");
    await emulator.exited;
    await eventually("nothing is left", () =>
      processesMarked(`${mark.name}=${mark.value}`).length === 0 ? true : undefined,
    );
  });
});

test("a server that cannot be loaded logs the reason, and is started again", async () => {
  const endpoint = { handler: "broken.js", type: "LOAD_BALANCING" };
  await using tree = await temporaryTree({
    "broken.js": "export const a = ;\n",
    "sv.config.json": JSON.stringify({ endpoints: { broken: endpoint } }),
  });
  const args = ["sv.config.json", "--ephemeral", "--log", "json"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root });
  await emulator.stderrMatch(/broken\.js:1:18/u);
  await emulator.stderrMatch(/worker could not initialize; the next try is in 1000 ms/u);
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const response = await fetch(`${emulator.url}/v2/broken/health`, { headers });
  expect(await response.json()).toMatchObject({ workers: { unhealthy: 1, ready: 0 } });
});
