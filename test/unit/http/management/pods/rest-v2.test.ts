/** Pods in REST v2: the pods of `/v1`, listed, changed and acted on. */
import { describe, expect, it } from "vitest";
import { createTestEngine, type TestEngine } from "../../../engine-harness.ts";
import { ScriptedPods } from "../../../engine/pods/scripted-pods.ts";
import { startTestHttp, type TestHttp, made } from "../../http-harness.ts";
import { createdPod, type Pod, readPod } from "./rest-v2-pods-harness.ts";

const AT = "2026-01-01T00:00:00.000Z";

describe("a change", () => {
  it("applies only to the fields in the body, and shows below /v1", async () => {
    await using service = await startTestHttp();
    const { id } = await createdPod(service, { args: "ls -l", env: { A: "1" } });
    const path = `/live/v2/pods/${id}`;
    const body = { name: "new", ports: ["22/tcp"], registry: null };
    const { json } = await service.call("PATCH", path, { body });
    expect(json).toMatchObject({ name: "new", ports: ["22/tcp"], args: "ls -l" });
    const { json: locked } = await service.call("PATCH", path, { body: { locked: true } });
    expect(locked).toMatchObject({ locked: true });
    await service.call("PATCH", path, { body: { locked: false, args: "", env: {} } });
    expect((await service.call("GET", `/v1/pods/${id}`)).json).toMatchObject({
      ...{ name: "new", dockerStartCmd: [], env: {} },
    });
    await service.call("PATCH", `/v1/pods/${id}`, { body: { dockerStartCmd: ["a b"] } });
    expect(await readPod(service, id)).toMatchObject({ args: "'a b'", cmd: ["a b"] });
  });

  it("can apply a template once, except its volume", async () => {
    await using service = await startTestHttp();
    const container = { imageName: "a/b:1", env: { A: "1", B: "2" }, ports: ["80/http"] };
    const templateId = await made(service, "/v1/templates", { name: "t", ...container });
    const { id } = await createdPod(service, { env: { C: "3" } });
    const body = { templateId, env: { B: "4" } };
    const { json } = await service.call("PATCH", `/live/v2/pods/${id}`, { body });
    expect(json).toMatchObject({
      ...{ image: "a/b:1", env: { A: "1", B: "4" }, ports: ["80/http"], mounts: {} },
    });
  });

  it("can move or enlarge a volume, but not add one", async () => {
    await using service = await startTestHttp();
    const persistent = { size: 20, path: "/a" };
    const gpu = { id: "NVIDIA L4" };
    const { id } = await createdPod(service, { cpu: undefined, gpu, mounts: { persistent } });
    const change = async (of: string, mounts: object) => {
      const { status, json } = await service.call("PATCH", `/live/v2/pods/${of}`, {
        body: { mounts },
      });
      return status === 200 ? (json as Pod)["mounts"] : [status, (json as Pod)["detail"]];
    };
    const larger = { persistent: { size: 40, path: "/b" } };
    expect(await change(id, larger)).toEqual(larger);
    expect(await change(id, {})).toEqual(larger);
    const settled = [400, "mounts.network is set at creation; only its path can be changed"];
    expect(await change(id, { network: [] })).toEqual(settled);
    expect(await change(id, { network: [{ volumeId: "v", path: "/v" }] })).toEqual(settled);
    const { id: bare } = await createdPod(service);
    expect(await change(bare, larger)).toEqual([
      400,
      "mounts.persistent cannot be added to a pod that was created without it",
    ]);
  });

  it("to a locked pod is a conflict, unless it is in place", async () => {
    await using service = await startTestHttp();
    const { id } = await createdPod(service);
    const patch = (body: object) => service.call("PATCH", `/live/v2/pods/${id}`, { body });
    await patch({ locked: true });
    expect((await patch({ image: "me/box:2" })).status).toBe(409);
    expect((await patch({ name: "renamed" })).status).toBe(200);
  });
});

describe("the status of a pod", () => {
  const start = async (podLauncher: ScriptedPods) => {
    const engine = await createTestEngine(undefined, undefined, { podLauncher });
    return startTestHttp({ engine });
  };
  const act = (service: TestHttp, id: string, action: string) =>
    service.call("POST", `/live/v2/pods/${id}/action`, { body: { action } });
  const settled = async ({ clock }: TestEngine) => clock.settle();

  it("shows its progress, and the possible actions", async () => {
    const launcher = new ScriptedPods();
    await using service = await start(launcher);
    const { id } = await createdPod(service, { ports: ["22/tcp", "8888/http"] });
    await settled(service.test);
    expect(await readPod(service, id)).toMatchObject({
      ...{ status: "STARTING", actions: ["stop", "terminate"], runtime: null },
    });
    expect((await act(service, id, "restart")).status).toBe(409);
    launcher.at(0).runs({ "22": 4_001 });
    await settled(service.test);
    await service.test.clock.advance(2_500);
    const command = "ssh root@127.0.0.1 -p 4001";
    expect(await readPod(service, id)).toMatchObject({
      ...{ status: "RUNNING", actions: ["stop", "restart", "terminate"], startedAt: AT },
      ssh: { proxy: null, direct: { host: "127.0.0.1", port: 4_001, username: "root", command } },
      runtime: {
        ...{ uptime: 2, gpus: [] },
        ports: [
          { private: 22, public: 4_001, type: "tcp", ip: "127.0.0.1" },
          { private: 8_888, public: null, type: "http", ip: null },
        ],
      },
    });
    const start409 = await act(service, id, "start");
    expect(start409).toMatchObject({
      status: 409,
      json: {
        detail: "a pod that is RUNNING cannot be told to start; possible: stop, restart, terminate",
      },
    });
    expect((await act(service, id, "restart")).status).toBe(200);
    await settled(service.test);
    expect(await readPod(service, id)).toMatchObject({ status: "STARTING", runtime: null });
    launcher.at(0).exit();
    await settled(service.test);
    expect((await act(service, id, "stop")).json).toMatchObject({
      ...{ status: "EXITED", actions: ["start", "terminate"], cost: 0 },
    });
    launcher.at(1).exit();
    await settled(service.test);
    expect((await act(service, id, "start")).status).toBe(200);
    expect((await act(service, id, "sleep")).status).toBe(422);
    expect((await act(service, id, "terminate")).status).toBe(204);
    expect((await service.call("GET", `/live/v2/pods/${id}`)).status).toBe(404);
  });

  it("is ERROR if it could not be started, until it is started again", async () => {
    const launcher = new ScriptedPods();
    await using service = await start(launcher);
    const { id } = await createdPod(service);
    await settled(service.test);
    launcher.at(0).exit({ startError: "there is no such image" });
    await settled(service.test);
    expect(await readPod(service, id)).toMatchObject({
      ...{ status: "ERROR", actions: ["start", "terminate"], cost: 0 },
    });
    await act(service, id, "start");
    await settled(service.test);
    expect(await readPod(service, id)).toMatchObject({ status: "STARTING" });
    launcher.at(1).exit({ exitCode: 1 });
    await settled(service.test);
    expect(await readPod(service, id)).toMatchObject({ status: "EXITED" });
  });

  it("of a locked pod forbids a stop", async () => {
    await using service = await start(new ScriptedPods());
    const { id } = await createdPod(service);
    await service.call("PATCH", `/live/v2/pods/${id}`, { body: { locked: true } });
    expect(await act(service, id, "stop")).toMatchObject({ status: 409 });
  });
});
