/** Trusted proxies, and the client behind them. */
import { expect, it } from "vitest";
import {
  isProxyPattern,
  TrustedProxies,
} from "../../../../emulator/core/access/trusted-proxies.ts";

const SOME = new TrustedProxies(["loopback", "10.0.0.0/8", "2001:db8::5"]);

it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.255.0.1", "2001:db8::5"])(
  "%s is trusted",
  (address) => expect(SOME.trusts(address)).toBe(true),
);

it.each(["11.0.0.1", "2001:db8::6", "::ffff:11.0.0.1", "fe80::1%lo", "", "unix", "0x7f.1"])(
  "%j is not trusted",
  (address) => expect(SOME.trusts(address)).toBe(false),
);

it("no peer is trusted by default", () => {
  const none = new TrustedProxies([]);
  expect(none.trusts("127.0.0.1")).toBe(false);
  expect(none.clientOf("127.0.0.1", "203.0.113.7")).toBe("127.0.0.1");
});

it("`private` names all private networks", () => {
  const proxies = new TrustedProxies(["private"]);
  const asked = ["10.1.1.1", "172.31.0.1", "192.168.0.1", "fd00::1", "172.32.0.1", "127.0.0.1"];
  expect(asked.filter((address) => proxies.trusts(address))).toEqual(asked.slice(0, 4));
});

it.each([
  ["an untrusted peer is the client itself", "203.0.113.9", "1.1.1.1", "203.0.113.9"],
  ["a proxy names its client", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["the client's own header does not count", "127.0.0.1", "1.1.1.1, 203.0.113.7", "203.0.113.7"],
  ["through several proxies", "::1", "1.1.1.1, 203.0.113.7, 10.0.0.2,10.0.0.1", "203.0.113.7"],
  ["the first address if all are trusted", "127.0.0.1", "10.0.0.9, 10.0.0.8", "10.0.0.9"],
  ["addresses can have ports", "127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
  ["IPv6 addresses can have ports", "127.0.0.1", "[2001:db8::1]:443", "2001:db8::1"],
  ["a mapped address is an IPv4 address", "::ffff:127.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
  ["a trusted peer without a header", "::ffff:127.0.0.1", undefined, "127.0.0.1"],
  [
    "addresses before an invalid one do not count",
    "127.0.0.1",
    "1.1.1.1, unknown, 10.0.0.2",
    "10.0.0.2",
  ],
  ["an empty entry is no address", "127.0.0.1", "1.1.1.1,, 10.0.0.2", "10.0.0.2"],
  ["short forms are no addresses", "127.0.0.1", "1.1.1.1, 0x7f.1", "127.0.0.1"],
])("the client: %s", (_, peer, forwardedFor, client) => {
  expect(SOME.clientOf(peer, forwardedFor)).toBe(client);
});

it.each([
  ["loopback", true],
  ["private", true],
  ["192.0.2.1", true],
  ["192.0.2.0/24", true],
  ["fd00::/8", true],
  ["192.0.2.0/33", false],
  ["10.1/16", false],
  ["proxy.example.com", false],
  ["constructor", false],
  ["*", false],
  ["", false],
])("%j can be in the list: %s", (text, isGood) => expect(isProxyPattern(text)).toBe(isGood));
