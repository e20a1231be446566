/** Addresses of this machine for containers, by the place of their engine. */
import { describe, expect, it } from "vitest";
import {
  type ContainerPlacesOptions,
  ContainersPlaces,
  namesAnotherMachine,
} from "../../../../emulator/assembly/workers/container-places.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { containerOrder } from "../../launch/docker/order.ts";

const ELSEWHERE = { engine: "elsewhere" } as const;
const FINGERPRINT = new Uint8Array(32).fill(1);
const TOKEN = `a-token.${Buffer.from(FINGERPRINT).toString("base64url")}`;

type Given = Partial<Pick<ContainerPlacesOptions, "dockerHost" | "emulator">>;

async function placesOf({ dockerHost, emulator = {} }: Given, endpoint = {}) {
  using directory = temporaryDirectory();
  const said: string[] = [];
  const opened: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  const address = `tls://${emulator.workerAddress ?? ""}`;
  const places = new ContainersPlaces({
    ...{ dockerHost, emulator, workerSocket: `${directory.path}/none.sock` },
    http: { url: "http://0.0.0.0:7080" },
    elsewhere:
      emulator.workerAddress === undefined
        ? undefined
        : {
            port: {
              listen: { host: "0.0.0.0", port: 7443 },
              certificate: { cert: Buffer.of(), key: Buffer.of() },
            },
            listener: { fingerprint: FINGERPRINT, addresses: () => [address] },
            address: () => address,
          },
    serveLoopback: async () => ({ port: 4_001, fingerprint: FINGERPRINT }),
    serveLiveAt: async (host) => {
      opened.push(host);
      return `http://${host}:4002`;
    },
    objects: undefined,
    volumes: { directoryFor: () => undefined, directoryOfPod: () => undefined },
    liveTerms: { pingIntervalMs: 5_000, cpuCount: 1 },
    ...{ port: 7080, clock: new FakeClock() },
    log: { info: say, warn: say, error: say },
  });
  return { places: await places.of(containerOrder({}, endpoint), ELSEWHERE), said, opened };
}

describe("on an engine elsewhere", () => {
  it("in a virtual machine containers reach loopback by a name that they are given", async () => {
    const { places, opened } = await placesOf({
      dockerHost: "unix:///home/me/.colima/docker.sock",
    });
    expect(places).toMatchObject({
      worker: { address: "tls://host.docker.internal:4001", token: TOKEN },
      extraHosts: ["host.docker.internal:host-gateway"],
      live: { url: "http://host.docker.internal:4002" },
    });
    expect(opened).toEqual(["127.0.0.1"]);
  });

  it("the address for workers from elsewhere is used if there is one", async () => {
    const emulator = { workerAddress: "laptop.lan:7443", host: "0.0.0.0" };
    const { places, opened } = await placesOf({ dockerHost: "ssh://me@gpu.lan", emulator });
    expect(places).toMatchObject({
      worker: { address: "tls://laptop.lan:7443", token: TOKEN },
      live: { url: "http://laptop.lan:7080" },
    });
    // The address may be that of the machine of an emulator that is in a container itself.
    expect(places.extraHosts).toEqual(["host.docker.internal:host-gateway"]);
    expect(opened).toEqual([]);
  });

  it("only the worker port of a loopback service is reachable, and the log says so", async () => {
    const emulator = { workerAddress: "laptop.lan:7443" };
    const { places, said } = await placesOf({ emulator });
    expect(places).toMatchObject({ worker: { token: TOKEN }, live: undefined });
    expect(said).toEqual([expect.stringMatching(/^containers reach only the worker port/u)]);
  });

  it("from another machine there is no way here without that address", async () => {
    await expect(placesOf({ dockerHost: "tcp://10.0.0.5:2375" })).rejects.toThrow(
      /is on another machine, .* set --worker-port and --worker-address$/u,
    );
  });

  it("on another machine the ports of servers cannot be reached", async () => {
    const emulator = { workerAddress: "laptop.lan:7443", host: "0.0.0.0" };
    const given = { dockerHost: "ssh://gpu.lan", emulator };
    await expect(placesOf(given, { type: "LOAD_BALANCING" })).rejects.toThrow(
      /load balancing endpoints need an engine of this machine$/u,
    );
  });
});

it.each([
  [undefined, false],
  ["", false],
  ["unix:///var/run/docker.sock", false],
  ["npipe:////./pipe/docker_engine", false],
  ["tcp://127.0.0.1:2375", false],
  ["tcp://localhost:2375", false],
  ["tcp://[::1]:2375", false],
  ["tcp://192.168.64.2:2376", true],
  ["https://docker.lan", true],
  ["ssh://me@gpu.lan", true],
  ["ssh://gpu.lan:2222", true],
])("DOCKER_HOST=%s names another machine: %s", (host, isFar) => {
  expect(namesAnotherMachine(host)).toBe(isFar);
});
