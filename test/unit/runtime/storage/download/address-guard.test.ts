/** No name, address or redirect leads a guarded download to an address that is not public. */
import type { LookupAddress, LookupOptions } from "node:dns";
import { Agent, type Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import {
  guardedConnector,
  isPublicAddress,
} from "../../../../../runtime/storage/download/address-guard.ts";
import { openUrl } from "../../../../../runtime/storage/download/open-url.ts";
import { fileServer } from "./file-server.ts";

const terms = { maxRedirects: 5, idleTimeoutMs: 5_000, signal: new AbortController().signal };
const forbidden = { code: "download_forbidden_address" };

describe("an address", () => {
  test.each(["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "is public: %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test.each([
    ...["127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"],
    ...["0.0.0.0", "100.64.0.1", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1"],
    ...["::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:10.0.0.1"],
    ...["64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "ff02::1", "", "no address"],
  ])("is not public: %s", (address) => expect(isPublicAddress(address)).toBe(false));
});

test.each([
  "http://127.0.0.1:1/",
  "http://localhost:1/",
  "http://[::1]:1/",
  "http://[::ffff:127.0.0.1]:1/",
  "http://2130706433:1/",
  "http://0x7f.1:1/",
  "http://0:1/",
  "http://169.254.169.254/latest/meta-data/",
])("%s is refused before any connection", async (url) => {
  const opened = openUrl(new URL(url), { ...terms, forbidPrivateAddresses: true });
  await expect(opened).rejects.toMatchObject({
    ...forbidden,
    message: expect.stringMatching(/^"[^"]+" leads to an address that is not public, and forbid/),
  });
});

/** A network in which 127.0.0.2 is public and the test resolves names. */
function world(names: Readonly<Record<string, readonly string[]>>): Dispatcher {
  const lookup = (
    hostname: string,
    _: LookupOptions,
    callback: (error: null, found: LookupAddress[]) => void,
  ): void => {
    const found = (names[hostname] ?? []).map((address) => ({ address, family: 4 }));
    process.nextTick(() => callback(null, found));
  };
  const connect = guardedConnector({
    timeout: 5_000,
    isPublic: (address) => address === "127.0.0.2",
    // The only form of it that is used.
    lookup: lookup as unknown as NonNullable<Parameters<typeof guardedConnector>[0]["lookup"]>,
  });
  return new Agent({ connect });
}

test("a public name is fetched from its public address, even if it has other addresses too", async () => {
  await using server = await fileServer((response) => void response.end("public"), "127.0.0.2");
  const { port } = new URL(server.url);
  const dispatcher = world({ "good.test": ["127.0.0.1", "127.0.0.2"] });
  const { stream } = await openUrl(new URL(`http://good.test:${port}/`), { ...terms, dispatcher });
  expect(Buffer.concat(await stream.toArray()).toString()).toBe("public");
});

test("a redirect from a public to a private address is refused", async () => {
  await using inner = await fileServer((response) => void response.end("secret"));
  await using server = await fileServer((response) => {
    response.writeHead(302, { location: `${inner.url}/admin` }).end();
  }, "127.0.0.2");
  const dispatcher = world({});
  await expect(openUrl(new URL(server.url), { ...terms, dispatcher })).rejects.toMatchObject(
    forbidden,
  );
  expect([server.asked.length, inner.asked.length]).toEqual([1, 0]);
});

test("a name that resolves differently the second time is refused", async () => {
  await using inner = await fileServer((response) => void response.end("secret"));
  const { port } = new URL(inner.url);
  const names: Record<string, string[]> = { "rebinds.test": ["127.0.0.2"] };
  const dispatcher = world(names);
  const url = new URL(`http://rebinds.test:${port}/`);
  await expect(openUrl(url, { ...terms, dispatcher })).rejects.toThrow("ECONNREFUSED");
  names["rebinds.test"] = ["127.0.0.1"];
  await expect(openUrl(url, { ...terms, dispatcher })).rejects.toMatchObject(forbidden);
  expect(inner.asked).toEqual([]);
});
