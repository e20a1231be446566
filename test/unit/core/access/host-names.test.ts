/** Values of the Host header that name the service, by its listening address and allowed names. */
import { describe, expect, it } from "vitest";
import { HostNames, isHostPattern } from "../../../../emulator/core/access/host-names.ts";

const MACHINE = "devbox.example.org";

function names(host: string, ...allowed: string[]): HostNames {
  return new HostNames({ host, machineName: MACHINE, allowed });
}

describe("a service on loopback", () => {
  it.each([
    "localhost",
    "LocalHost:7080",
    "localhost.:80",
    "web.localhost:7080",
    "a.b.localhost",
    "127.0.0.1:7080",
    "127.9.8.7",
    "[::1]:7080",
    "[::ffff:127.0.0.1]:7080",
    "host.docker.internal:7080",
    "host.containers.internal:7080",
  ])("is named by %s", (host) => {
    expect(names("127.0.0.1").admits(host, "127.0.0.1")).toBe(true);
  });

  it.each([
    "rebound.test",
    "localhost.rebound.test",
    "notlocalhost",
    "127.0.0.1.rebound.test:7080",
    "128.0.0.1",
    "0.0.0.0:7080",
    "192.168.1.5",
    "[::]:7080",
    "[2001:db8::1]",
    MACHINE,
    "",
    ":7080",
    "user@localhost",
    "localhost/",
    "localhost:port",
    "localhost, localhost",
    "[::1",
    "::1",
  ])("is not named by %j", (host) => {
    expect(names("127.0.0.1").admits(host, "127.0.0.1")).toBe(false);
  });
});

it("the address of a connection is a name of the service, even if it listens elsewhere too", () => {
  const service = names("127.0.0.1");
  expect(service.admits("172.17.0.1:7080", "172.17.0.1")).toBe(true);
  expect(service.admits("172.17.0.1:7080", "::ffff:172.17.0.1")).toBe(true);
  expect(service.admits("[2001:DB8:0:0::1]:7080", "2001:db8::1")).toBe(true);
  expect(service.admits("[fe80::1]", "fe80::1%eth0")).toBe(true);
  expect(service.admits("172.17.0.2:7080", "172.17.0.1")).toBe(false);
  expect(service.admits("172.17.0.1:7080", undefined)).toBe(false);
});

it("a service that listens at a name or an address has that name, and the machine's", () => {
  const service = names("Emulator.lan");
  expect(service.admits("emulator.lan:7080", "10.0.0.1")).toBe(true);
  expect(service.admits("DEVBOX.example.org", "10.0.0.1")).toBe(true);
  expect(service.admits("10.0.0.2", "10.0.0.1")).toBe(false);
  expect(names("10.0.0.1").admits("10.0.0.1:7080", undefined)).toBe(true);
  expect(names("2001:db8::1").admits("[2001:db8::1]:7080", undefined)).toBe(true);
});

it.each(["0.0.0.0", "::"])(
  "a service that listens at %s has all addresses as names, which no foreign name server can give",
  (host) => {
    const service = names(host);
    for (const address of ["192.168.1.5:7080", "0.0.0.0:7080", "[::]:7080", "[2001:db8::1]"]) {
      expect(service.admits(address, "172.17.0.2")).toBe(true);
    }
    expect(service.admits(MACHINE, "172.17.0.2")).toBe(true);
    expect(service.admits("rebound.test", "172.17.0.2")).toBe(false);
  },
);

it("one name, all names below one, or any name can be allowed", () => {
  const one = names("127.0.0.1", "Emulator.example.com", "203.0.113.7");
  expect(one.admits("emulator.example.com:8443", undefined)).toBe(true);
  expect(one.admits("203.0.113.7", undefined)).toBe(true);
  expect(one.admits("a.emulator.example.com", undefined)).toBe(false);
  const below = names("127.0.0.1", "*.app.github.dev");
  expect(below.admits("me-7080.app.github.dev", undefined)).toBe(true);
  expect(below.admits("a.b.app.github.dev:443", undefined)).toBe(true);
  expect(below.admits("app.github.dev", undefined)).toBe(false);
  expect(below.admits("evilapp.github.dev", undefined)).toBe(false);
  expect(names("127.0.0.1", "*").admits("rebound.test", undefined)).toBe(true);
});

it("only a bare host name is valid", () => {
  for (const good of ["emulator", "a.b.c", "*.a.b", "*", "10.0.0.1", "[::1]", "xn--bcher-kva.de"])
    expect([good, isHostPattern(good)]).toEqual([good, true]);
  for (const bad of ["", "http://a", "a:80", "a/b", "a b", "*.", "a.*", "**", "*a.b", "a,b"])
    expect([bad, isHostPattern(bad)]).toEqual([bad, false]);
});
