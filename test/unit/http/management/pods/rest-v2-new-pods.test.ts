/** Pods created by REST v2, and refusals. */
import { describe, expect, it } from "vitest";
import { createTestEngine } from "../../../engine-harness.ts";
import { startTestHttp, made } from "../../http-harness.ts";
import { CPU, createdPod, readPod } from "./rest-v2-pods-harness.ts";

const AT = "2026-01-01T00:00:00.000Z";

describe("a new pod", () => {
  it("is answered with 201 and all its fields, without ports and volume by default", async () => {
    await using service = await startTestHttp();
    const gpu = { id: "NVIDIA L4", count: 2, minRamPerGpu: 16, minCudaVersion: "12.4" };
    const pod = await createdPod(service, { cpu: undefined, gpu, args: "python  -m 'my app'" });
    expect(pod).toStrictEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/) as string,
      name: "box",
      status: "PROVISIONING",
      actions: ["stop", "terminate"],
      image: "me/box:1",
      disk: 50,
      env: {},
      ports: [],
      registry: null,
      args: "python  -m 'my app'",
      cmd: ["python", "-m", "my app"],
      entrypoint: [],
      mounts: {},
      gpu: { id: "NVIDIA L4", count: 2, vcpuCount: 2, memory: 4 },
      cloud: "SECURE",
      dataCenterId: null,
      globalNetworking: { enabled: false },
      template: null,
      cudaVersion: null,
      locked: false,
      cost: 1.4,
      ssh: { proxy: null, direct: null },
      runtime: null,
      createdAt: AT,
      startedAt: null,
    });
    expect(await readPod(service, pod.id)).toEqual(pod);
    expect((await service.call("GET", `/v1/pods/${pod.id}`)).json).toMatchObject({
      desiredStatus: "RUNNING",
      gpu: { id: "NVIDIA L4", count: 2 },
      dockerStartCmd: ["python", "-m", "my app"],
      ports: [],
      volumeInGb: null,
    });
  });

  it("takes fields that it does not set, and single variables, from its template, and keeps it", async () => {
    await using service = await startTestHttp();
    const container = { imageName: "a/b:1", env: { A: "1", B: "2" }, volumeInGb: 30, name: "box" };
    const body = { ...container, ports: ["80/http"], dockerStartCmd: ["run it"] };
    const templateId = await made(service, "/v1/templates", body);
    const gpu = { id: "NVIDIA L4" };
    const pod = await createdPod(service, {
      ...{ templateId, cpu: undefined, gpu, image: undefined },
      ...{ env: { B: "3" }, disk: 9 },
    });
    const expected = {
      ...{ image: "a/b:1", env: { A: "1", B: "3" }, ports: ["80/http"], disk: 9 },
      ...{ template: templateId, args: "'run it'" },
      mounts: { persistent: { size: 30, path: "/workspace" } },
    };
    expect(pod).toMatchObject(expected);
    await service.call("PATCH", `/v1/templates/${templateId}`, { body: { imageName: "a/b:2" } });
    expect(await readPod(service, pod.id)).toMatchObject(expected);
    const without = await createdPod(service, { templateId, cpu: undefined, gpu, mounts: {} });
    expect(without["mounts"]).toEqual({});
  });

  it("has a network volume on request", async () => {
    await using service = await startTestHttp();
    const volume = { name: "data", size: 5, dataCenterId: "EU-RO-1" };
    const volumeId = await made(service, "/v1/networkvolumes", volume);
    const mounts = { network: [{ volumeId, path: "/data" }] };
    const pod = await createdPod(service, { mounts, dataCenterIds: ["EU-RO-1"] });
    expect(pod).toMatchObject({ mounts, dataCenterId: "EU-RO-1", cpu: { ...CPU, memory: 4 } });
    expect((await service.call("GET", `/v1/pods/${pod.id}`)).json).toMatchObject({
      volumeMountPath: "/data",
      volumeInGb: null,
    });
  });

  it("gets the account's keys and a password if it should start servers, and keeps its own values", async () => {
    await using service = await startTestHttp();
    const keys = ["ssh-ed25519 AAAA ada@home", "ssh-rsa BBBB"];
    await service.call("PUT", "/live/v2/account/ssh-keys", { body: { keys } });
    const servers = { startSsh: true, startJupyter: true };
    expect(await createdPod(service, servers)).toMatchObject({
      env: {
        PUBLIC_KEY: keys.join("\n"),
        JUPYTER_PASSWORD: expect.stringMatching(/^\w{20}$/) as string,
      },
    });
    const env = { PUBLIC_KEY: "own", JUPYTER_PASSWORD: "mine" };
    expect(await createdPod(service, { ...servers, env })).toMatchObject({ env });
    const template = { name: "t", image: "a/b:1", startSsh: true };
    const templateId = await made(service, "/live/v2/templates", template);
    const { env: ofTemplate } = await createdPod(service, { templateId });
    expect(Object.keys(ofTemplate as object)).toEqual(["PUBLIC_KEY"]);
    expect(await createdPod(service, { templateId, startSsh: false })).toMatchObject({ env: {} });
  });

  it("is refused with the live service's message if this machine has no such GPUs", async () => {
    const device = { id: "GPU-1", typeId: "NVIDIA L4", isSimulated: false, cudaVersion: "12.4" };
    const findGpus = async () => ({ kind: "known" as const, devices: [device] });
    const engine = await createTestEngine(undefined, undefined, { findGpus });
    await using service = await startTestHttp({ engine });
    const ask = async (gpu: object) => {
      const body = { name: "box", image: "me/box:1", gpu };
      const { status, json } = await service.call("POST", "/live/v2/pods", { body });
      return [status, (json as { detail?: string }).detail?.slice(0, 44)];
    };
    const refused = [400, "There are no longer any instances available "];
    expect(await ask({ id: "NVIDIA L4", count: 2 })).toEqual(refused);
    expect(await ask({ id: "NVIDIA A40" })).toEqual(refused);
    expect(await ask({ id: "NVIDIA L4", minCudaVersion: "12.8" })).toEqual(refused);
    expect(await ask({ id: "NVIDIA L4", minCudaVersion: "12.4" })).toEqual([201, undefined]);
  });

  it.each([
    [{ gpu: { id: "NVIDIA L4" } }, 400, "exactly one of gpu and cpu is required"],
    [{ cpu: undefined }, 400, "exactly one of gpu and cpu is required"],
    [{ cpu: { ...CPU, vcpuCount: 6 } }, 400, "cpu.vcpuCount must be a power of two; got 6"],
    [{ mounts: { persistent: { size: 10, path: "/a" } } }, 400, "a CPU pod cannot have mounts"],
    [{ args: "ls", cmd: ["pwd"] }, 400, "args contradicts cmd and entrypoint"],
  ])("%j is refused with %i: %s", async (more, status, detail) => {
    await using service = await startTestHttp();
    const body = { name: "box", image: "me/box:1", cpu: CPU, ...more };
    const answer = await service.call("POST", "/live/v2/pods", { body });
    expect(answer.status).toBe(status);
    expect((answer.json as { detail: string }).detail).toContain(detail);
    expect((await service.call("GET", "/v1/pods")).json).toEqual([]);
  });

  it.each([
    [{ name: undefined }, "$: missing property 'name'"],
    [{ cpu: { ...CPU, vcpuCount: 1 } }, "$.cpu.vcpuCount: minimum: got 1, want 2"],
    [{ mounts: { persistent: { size: 20 } } }, "$.mounts.persistent: missing property 'path'"],
    [{ cloud: "ALL" }, "$.cloud: value must be one of 'SECURE', 'COMMUNITY'"],
  ])("%j is invalid: %s", async (more, line) => {
    await using service = await startTestHttp();
    const body = { name: "box", image: "me/box:1", cpu: CPU, ...more };
    const { status, json } = await service.call("POST", "/live/v2/pods", { body });
    expect(status).toBe(422);
    expect((json as { errors: string[] }).errors).toEqual([line]);
  });
});
