/** The engine's options for a worker's container. */
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../../../../emulator/core/resources/endpoints/endpoint.ts";
import type { Template } from "../../../../../emulator/core/resources/templates/template.ts";
import {
  containerOptions,
  type ContainerPlaces,
} from "../../../../../emulator/launch/docker/containers/container-options.ts";
import { readContainerSettings } from "../../../../../emulator/launch/container-settings.ts";
import { containerOrder, PLACES } from "../order.ts";

interface Given {
  readonly template?: Partial<Template>;
  readonly endpoint?: Partial<Endpoint>;
  readonly places?: Partial<ContainerPlaces>;
  readonly gpus?: ReturnType<typeof containerOrder>["gpus"];
}

function optionsOf({ template, endpoint, places, gpus = [] }: Given = {}) {
  const order = { ...containerOrder(template, endpoint), gpus };
  const settings = readContainerSettings(order.template, 8 * 1024 ** 3);
  if (typeof settings === "string") throw new Error(settings);
  const frame = { labels: { a: "b" }, settings, limitsDisk: true, network: "sv-mine" };
  const options = containerOptions(order, { ...frame, places: { ...PLACES, ...places } });
  const env: Readonly<Record<string, string>> = Object.fromEntries(
    (options.Env ?? []).map((line): [string, string] => {
      const [name = "", value = ""] = line.split(/=(.*)/su, 2);
      return [name, value];
    }),
  );
  return { ...options, env, host: options.HostConfig ?? {} };
}

it("a container keeps entrypoint and command of its image unless the template has its own", () => {
  expect(optionsOf()).not.toHaveProperty("Entrypoint");
  expect(optionsOf()).not.toHaveProperty("Cmd");
  const template = { dockerEntrypoint: ["/bin/a"], dockerStartCmd: ["b", "c d"] };
  expect(optionsOf({ template })).toMatchObject({ Entrypoint: ["/bin/a"], Cmd: ["b", "c d"] });
});

it("a container has the variables of the template and ours, and no others", () => {
  const { env } = optionsOf({ template: { env: { OWN: "a=b", SV_S3_BUCKET: "mine" } } });
  expect(Object.keys(env).toSorted()).toEqual([
    "HOME",
    "NVIDIA_VISIBLE_DEVICES",
    "OWN",
    "SV_ENDPOINT_ID",
    "SV_EXIT_ON_STDIN_END",
    "SV_LOG_FORMAT",
    "SV_S3_BUCKET",
    "SV_SERVICE_ADDRESS",
    "SV_WORKER_ID",
    "SV_WORKER_TOKEN",
    "XDG_CACHE_HOME",
  ]);
  expect(env).toMatchObject({
    OWN: "a=b",
    SV_S3_BUCKET: "mine",
    SV_SERVICE_ADDRESS: "unix:/run/sv-worker.sock",
  });
});

describe("privileges", () => {
  it("are minimal", () => {
    expect(optionsOf()).toMatchObject({
      User: "1000:1000",
      HostConfig: {
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        PidsLimit: 4096,
        Init: true,
        Memory: 6 * 1024 ** 3,
        MemorySwap: 6 * 1024 ** 3,
        Tmpfs: { "/tmp": expect.stringContaining("noexec") },
      },
    });
  });

  it("are the image's own if the template says so, but still bounded", () => {
    const env = { SV_CONTAINER_PRIVILEGES: "image", SV_CONTAINER_MEMORY: "2g" };
    const options = optionsOf({ template: { env, containerDiskInGb: 7 } });
    expect(options).not.toHaveProperty("User");
    for (const bound of ["ReadonlyRootfs", "CapDrop", "SecurityOpt", "Tmpfs"])
      expect(options.host).not.toHaveProperty(bound);
    expect(options.host).toMatchObject({
      Memory: 2 * 1024 ** 3,
      PidsLimit: 4096,
      StorageOpt: { size: "7G" },
    });
  });
});

it("a container may have more of what the engine bounds, and programs in /tmp", () => {
  const env = {
    ...{ SV_CONTAINER_TMP_EXEC: "on", SV_CONTAINER_SHM: "8g" },
    ...{ SV_CONTAINER_PIDS: "65536", SV_CONTAINER_MEMLOCK: "unlimited" },
  };
  expect(optionsOf({ template: { env } }).host).toMatchObject({
    ...{ ShmSize: 8 * 1024 ** 3, PidsLimit: 65_536 },
    Ulimits: [{ Name: "memlock", Soft: -1, Hard: -1 }],
    Tmpfs: { "/tmp": expect.stringMatching(/^rw,exec,/u) as string },
  });
  expect(optionsOf().host).not.toHaveProperty("Ulimits");
});

describe("home and caches", () => {
  const placesIn = ({ env }: ReturnType<typeof optionsOf>) => [env["HOME"], env["XDG_CACHE_HOME"]];

  it("are on the volume, and without one in memory", () => {
    const places = { volume: "/data/v" };
    expect(placesIn(optionsOf({ places }))).toEqual(["/runpod-volume", "/runpod-volume/.cache"]);
    expect(placesIn(optionsOf())).toEqual(["/tmp", "/tmp/.cache"]);
  });

  it("are those of the image with its own privileges, and those of a template that names them", () => {
    const asImage = optionsOf({ template: { env: { SV_CONTAINER_PRIVILEGES: "image" } } });
    expect(placesIn(asImage)).toEqual([undefined, undefined]);
    const named = { HOME: "/home/node", XDG_CACHE_HOME: "/models" };
    expect(placesIn(optionsOf({ template: { env: named } }))).toEqual(["/home/node", "/models"]);
  });
});

describe("the volume", () => {
  const volume = "/data/v";
  const mounted = (volumeMountPath: string) =>
    optionsOf({ template: { volumeMountPath }, places: { volume } }).host.Mounts?.map(
      ({ Source: source, Target: target }) => [source, target],
    );
  const socket = ["/run/here.sock", "/run/sv-worker.sock"];

  it("is at the template's path and at the usual path of serverless workers", () => {
    expect(mounted("/workspace/")).toEqual([
      socket,
      [volume, "/runpod-volume"],
      [volume, "/workspace"],
    ]);
    expect(mounted("/runpod-volume")).toEqual([socket, [volume, "/runpod-volume"]]);
    expect(optionsOf({ places: { volume } }).env["SV_VOLUME_PATH"]).toBe("/runpod-volume");
  });

  it("replaces the directory for temporary files if it is mounted there", () => {
    const { host } = optionsOf({ template: { volumeMountPath: "/tmp" }, places: { volume } });
    expect(host).not.toHaveProperty("Tmpfs");
  });

  it("is not mounted for an endpoint without one", () => {
    expect(optionsOf().host.Mounts).toHaveLength(1);
    expect(optionsOf().env).not.toHaveProperty("SV_VOLUME_PATH");
  });
});

describe("GPUs", () => {
  const real = { id: "GPU-a", typeId: "NVIDIA L4", isSimulated: false };

  it("are requested by their ids, and no others are visible", () => {
    const { host, env } = optionsOf({ gpus: [real, { ...real, id: "GPU-b" }] });
    expect(host.DeviceRequests).toEqual([
      {
        Driver: "",
        Count: 0,
        DeviceIDs: ["GPU-a", "GPU-b"],
        Capabilities: [["gpu"]],
        Options: {},
      },
    ]);
    expect(env).toMatchObject({ NVIDIA_VISIBLE_DEVICES: "GPU-a,GPU-b", SV_GPU_IDS: "GPU-a,GPU-b" });
  });

  it("are hidden from a container without GPUs, whatever its image and template say", () => {
    const { host, env } = optionsOf({ template: { env: { NVIDIA_VISIBLE_DEVICES: "all" } } });
    expect(host).not.toHaveProperty("DeviceRequests");
    expect(env["NVIDIA_VISIBLE_DEVICES"]).toBe("void");
  });

  it("that are simulated are named in variables and not requested", () => {
    const { host, env } = optionsOf({ gpus: [{ ...real, id: "0", isSimulated: true }] });
    expect(host).not.toHaveProperty("DeviceRequests");
    expect(env).toMatchObject({ NVIDIA_VISIBLE_DEVICES: "void", SV_GPU_IDS: "0" });
  });
});

it("a server's ports are published on this machine only, and it gets no worker port", () => {
  const template = { env: { PORT: "8000", PORT_HEALTH: "8001" } };
  const options = optionsOf({ template, endpoint: { type: "LOAD_BALANCING" } });
  const local = [{ HostIp: "127.0.0.1", HostPort: "" }];
  expect(options.host.PortBindings).toEqual({ "8000/tcp": local, "8001/tcp": local });
  expect(options.host.Mounts).toEqual([]);
  expect(options.env).toMatchObject({ HOST: "0.0.0.0", PORT: "8000", HEALTH_CHECK_PATH: "/ping" });
  expect(options.env).not.toHaveProperty("SV_WORKER_TOKEN");
});

describe("the live protocol", () => {
  const live = { url: "http://172.17.0.1:7080", pingIntervalMs: 5_000, cpuCount: 8 };

  it("is announced beside ours, by an address that containers reach", () => {
    const { env } = optionsOf({ places: { live } });
    expect(env).toMatchObject({
      RUNPOD_WEBHOOK_PING: "http://172.17.0.1:7080/live/v2/contract/ping/$RUNPOD_POD_ID",
      RUNPOD_POD_ID: env["SV_WORKER_ID"],
      RUNPOD_AI_API_KEY: "a-token",
      RUNPOD_CPU_COUNT: "8",
      SV_SERVICE_ADDRESS: "unix:/run/sv-worker.sock",
    });
  });

  it("counts the processors that the container may use", () => {
    const template = { env: { SV_CONTAINER_CPUS: "1.5" } };
    expect(optionsOf({ places: { live }, template }).env).toMatchObject({ RUNPOD_CPU_COUNT: "2" });
  });

  it("is not announced to a server, which gets its identity and location by the live names", () => {
    const endpoint = { type: "LOAD_BALANCING", networkVolumeId: "volume0001" } as const;
    const own = { RUNPOD_POD_ID: "own", RUNPOD_CPU_COUNT: "3" };
    const template = { env: { SV_CONTAINER_MEMORY: "2g", ...own } };
    const { env } = optionsOf({ places: { live }, template, endpoint });
    const names = Object.keys(env).filter((name) => name.startsWith("RUNPOD_"));
    expect(Object.fromEntries(names.map((name) => [name, env[name]]))).toEqual({
      RUNPOD_POD_ID: env["SV_WORKER_ID"],
      RUNPOD_POD_HOSTNAME: env["SV_WORKER_ID"],
      RUNPOD_ENDPOINT_ID: "contract",
      RUNPOD_AI_API_ID: "contract",
      RUNPOD_CPU_COUNT: "3",
      RUNPOD_MEM_GB: "2",
      RUNPOD_GPU_COUNT: "0",
      RUNPOD_VOLUME_ID: "volume0001",
    });
  });
});

describe("the worker port", () => {
  it("is a socket of this machine, mounted", () => {
    const { host, env } = optionsOf();
    expect(host.Mounts).toMatchObject([
      { Source: "/run/here.sock", Target: "/run/sv-worker.sock" },
    ]);
    expect(env).toMatchObject({ SV_WORKER_TOKEN: "a-token" });
    expect(host).not.toHaveProperty("ExtraHosts");
  });

  it("is reached over the network by an engine elsewhere, with a token that contains the fingerprint of the service", () => {
    const worker = { address: "tls://host.docker.internal:7443", token: "a-token.fingerprint" };
    const extraHosts = ["host.docker.internal:host-gateway"];
    const live = { url: "http://host.docker.internal:1", pingIntervalMs: 5_000, cpuCount: 1 };
    const { host, env } = optionsOf({ places: { worker, extraHosts, live } });
    expect(host).toMatchObject({ Mounts: [], ExtraHosts: extraHosts });
    expect(env).toMatchObject({
      SV_SERVICE_ADDRESS: worker.address,
      SV_WORKER_TOKEN: worker.token,
      RUNPOD_AI_API_KEY: worker.token,
    });
  });
});
