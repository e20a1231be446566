/** What containers reach over their network is opened with the first of them, and tried again where it failed. */
import { expect, it } from "vitest";
import { AtGateway } from "../../../../emulator/launch/docker/at-gateway.ts";

interface Given {
  readonly gateway?: () => Promise<string | undefined>;
  readonly open?: (address: string) => Promise<string>;
}

function atGateway({
  gateway = async () => "172.17.0.1",
  open = async (address) => `http://${address}:1`,
}: Given = {}) {
  const said: string[] = [];
  const opened: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  const part = new AtGateway({
    what: "the store",
    gateway,
    open: async (address) => {
      opened.push(address);
      return open(address);
    },
    log: { info: say, warn: say },
  });
  return { part, said, opened };
}

it("is opened once, at this machine's address on the network of the containers", async () => {
  const { part, said, opened } = atGateway();
  const urls = await Promise.all([part.url(), part.url()]);
  expect([...urls, await part.url()]).toEqual(Array(3).fill("http://172.17.0.1:1"));
  expect(opened).toEqual(["172.17.0.1"]);
  expect(said).toEqual(["the store also answers containers, at http://172.17.0.1:1"]);
});

it("is tried again for the next container where there was no network, and says so once", async () => {
  const network: { address?: string } = {};
  const { part, said } = atGateway({ gateway: async () => network.address });
  expect(await part.url()).toBeUndefined();
  expect(await part.url()).toBeUndefined();
  const problem = "the engine has no bridge network with an address";
  expect(said).toEqual([`containers cannot reach the store: ${problem}`]);
  network.address = "10.0.0.1";
  expect(await part.url()).toBe("http://10.0.0.1:1");
});

it("does without where the address is not this machine's", async () => {
  const open = async () => Promise.reject(new Error("10.0.0.1 is no address of this machine"));
  const { part, said } = atGateway({ open });
  expect(await part.url()).toBeUndefined();
  expect(said).toEqual([
    "containers cannot reach the store: 10.0.0.1 is no address of this machine",
  ]);
});
