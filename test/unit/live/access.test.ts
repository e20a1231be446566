/** Access of live workers: operations and keys. */
import { createServer } from "node:http";
import { once } from "node:events";
import { expect, it } from "vitest";
import type { KeyInput } from "../../../emulator/core/access/key-input.ts";
import { SdkWorker } from "../../live/sdk-worker.ts";
import { KEY, makeKey, USER_KEY } from "../http/http-harness.ts";
import { LiveScene } from "./live-scene.ts";

it("a user's key is accepted bare or as a bearer token; requests without a key are refused", async () => {
  await using scene = await LiveScene.set();
  expect((await scene.workerNamed("a", USER_KEY).ping()).status).toBe(200);
  expect((await scene.workerNamed("b", `Bearer ${KEY}`).ping()).status).toBe(200);
  const answer = await scene.workerNamed("c", "").ping();
  expect(answer.status).toBe(401);
  expect(JSON.parse(answer.text)).toMatchObject({
    error: "no token provided",
  });
});

it("a worker started by hand is refused if its key may not run all jobs", async () => {
  await using scene = await LiveScene.set();
  const bodies: Partial<KeyInput>[] = [
    { name: "reads", scope: "read-only" },
    { name: "manages", scope: "management" },
    { name: "submits", scope: "jobs", endpointIds: ["echo"] },
  ];
  for (const body of bodies) {
    const { key } = await makeKey(scene.service, body);
    const answer = await scene.workerNamed("d", key).ping();
    expect(answer.status, body.name).toBe(403);
    expect(answer.text).toContain(`has the scope ${body.scope}`);
  }
  const { key } = await makeKey(scene.service, { name: "all", scope: "all", expiresIn: "1m" });
  expect((await scene.workerNamed("d", key).ping()).status).toBe(200);
  await scene.service.test.clock.advance(60_000);
  expect((await scene.workerNamed("e", key).ping()).status).toBe(401);
});

it("a worker with a session of another protocol is refused", async () => {
  await using scene = await LiveScene.set();
  const other = await scene.service.test.connectWorker();
  const { id } = other.worker;
  expect((await scene.workerNamed(id).ping()).status).toBe(401);
  expect((await scene.workerNamed(id).done("any", {})).status).toBe(401);
  await scene.submit({ n: 1 });
  expect((await other.nextJob()).attempt).toBe(1);
});

it("a request with the wrong method gets the right one in the refusal", async () => {
  await using scene = await LiveScene.set();
  const answer = await fetch(`${scene.service.url}/live/v2/echo/ping/by-hand`, {
    method: "POST",
    headers: { authorization: USER_KEY },
  });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET");
});

it("a port for workers serves no other operation", async () => {
  await using scene = await LiveScene.set();
  const port = createServer(scene.service.http.forWorkers).listen(0, "127.0.0.1");
  await once(port, "listening");
  const address = port.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const worker = new SdkWorker({ url, endpointId: "echo", workerId: "w", key: USER_KEY });
  expect((await worker.ping()).status).toBe(200);
  const headers = { authorization: KEY };
  for (const path of [
    "/v1/endpoints",
    "/v2/echo/health",
    "/live/v1/endpoints",
    "/live/v2/echo/run",
  ]) {
    expect((await fetch(`${url}${path}`, { headers })).status, path).toBe(404);
  }
  port.closeAllConnections();
  port.close();
});

it("ids that must be encoded in a path are accepted", async () => {
  await using scene = await LiveScene.set();
  const id = "a b/ä";
  expect((await scene.workerNamed(encodeURIComponent(id)).ping()).status).toBe(200);
  expect(scene.service.test.engine.fleet.find(id)?.state).toBe("initializing");
  expect((await scene.workerNamed("%").ping()).status).toBe(400);
});
