/** A listener for containers is opened for the first container, and retried after a failure. */
import { describe, expect, it } from "vitest";
import { HostListener } from "../../../../emulator/launch/docker/host-listener.ts";
import { ListenError } from "../../../../emulator/net/listen.ts";
import { FakeClock } from "../../../fake-clock.ts";

const at = (address: string, name = address) => ({ address, name });

function listener(open = async (address: string) => `http://${address}:1`) {
  const said: string[] = [];
  const opened: string[] = [];
  const clock = new FakeClock();
  const say = (_: object, message: string) => void said.push(message);
  const part = new HostListener({
    what: "the store",
    open: async (address) => {
      opened.push(address);
      return open(address);
    },
    port: () => 7000,
    clock,
    log: { info: say, warn: say },
  });
  return { part, said, opened, clock };
}

it("the listener is opened once, at this machine's address on the network of the containers", async () => {
  const { part, said, opened } = listener();
  const url = () => part.url(at("172.17.0.1"));
  const urls = await Promise.all([url(), url()]);
  expect([...urls, await url()]).toEqual(Array(3).fill("http://172.17.0.1:1"));
  expect(opened).toEqual(["172.17.0.1"]);
  expect(said).toEqual(["the store also answers containers, at http://172.17.0.1:1"]);
});

it("the listener is retried for the next container if there was no network, which is logged once", async () => {
  const { part, said } = listener();
  expect(await part.url(undefined)).toBeUndefined();
  expect(await part.url(undefined)).toBeUndefined();
  const problem = "their network has no address of this machine";
  expect(said).toEqual([`containers cannot reach the store: ${problem}`]);
  expect(await part.url(at("10.0.0.1"))).toBe("http://10.0.0.1:1");
});

it("the listener is left out if it cannot be opened", async () => {
  const { part, said } = listener(async () => Promise.reject(new Error("not permitted")));
  expect(await part.url(at("10.0.0.1"))).toBeUndefined();
  expect(said).toEqual(["containers cannot reach the store: not permitted"]);
});

describe("at an address that exists only when the first container has started", () => {
  const missing = () =>
    Promise.reject(new ListenError("bad-host", "10.0.0.1 is no address of this machine"));

  it("the listener has its URL at once, and is opened as soon as the address exists", async () => {
    let exists = false;
    const { part, said, opened, clock } = listener(async (address) =>
      exists ? `http://${address}:7000` : missing(),
    );
    expect(await part.url(at("10.0.0.1"))).toBe("http://10.0.0.1:7000");
    await clock.advance(1_000);
    expect(said).toEqual([]);
    exists = true;
    await clock.advance(250);
    expect(said).toEqual(["the store also answers containers, at http://10.0.0.1:7000"]);
    await clock.advance(60_000);
    expect(await part.url(at("10.0.0.1"))).toBe("http://10.0.0.1:7000");
    expect(opened).toHaveLength(6);
  });

  it("the listener is given up after a minute, and tried again for the next container", async () => {
    const { part, said, opened, clock } = listener(missing);
    await part.url(at("10.0.0.1"));
    await clock.advance(120_000);
    expect(opened).toHaveLength(241);
    expect(said).toEqual([
      "containers cannot reach the store: 10.0.0.1 is no address of this machine",
    ]);
    await part.url(at("10.0.0.1"));
    expect(opened).toHaveLength(242);
  });
});

it("the listener is opened again if a new network has another address", async () => {
  const { part, opened } = listener();
  await part.url(at("172.18.0.1"));
  expect(await part.url(at("172.19.0.1"))).toBe("http://172.19.0.1:1");
  expect(opened).toEqual(["172.18.0.1", "172.19.0.1"]);
});

it("the listener has the name that containers have for that address", async () => {
  const { part, opened } = listener();
  const place = at("127.0.0.1", "host.docker.internal");
  expect(await part.url(place)).toBe("http://host.docker.internal:1");
  expect(opened).toEqual(["127.0.0.1"]);
});
