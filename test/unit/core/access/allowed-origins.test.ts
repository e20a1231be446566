/** Allowed callers: pages of the service itself and of named origins. */
import { expect, it } from "vitest";
import {
  AllowedOrigins,
  isOriginPattern,
} from "../../../../emulator/core/access/allowed-origins.ts";

const NONE = new AllowedOrigins([]);

it.each([
  ["http://localhost:7080", "localhost:7080"],
  ["http://LOCALHOST:7080", "localhost:7080"],
  ["http://emulator", "emulator"],
  ["http://emulator", "emulator:80"],
  ["https://me-7080.app.github.dev", "me-7080.app.github.dev"],
])("a page of %s is the service's own at %s", (origin, host) => {
  expect(NONE.isOwn(origin, host)).toBe(true);
});

it.each([
  ["http://localhost:3000", "localhost:7080"],
  ["http://127.0.0.1:7080", "localhost:7080"],
  ["http://web.localhost:7080", "localhost:7080"],
  ["https://emulator", "emulator:80"],
  ["null", "null"],
  ["http://a, http://b", "a"],
  ["http://localhost:7080/", "localhost:7080"],
  ["http://user@localhost:7080", "localhost:7080"],
  ["ftp://localhost", "localhost"],
  ["", ""],
  ["http://localhost:7080", undefined],
])("a page of %j is not the service's own at %j", (origin, host) => {
  expect(NONE.isOwn(origin, host)).toBe(false);
});

it("exactly the named origins are allowed, or all", () => {
  const some = new AllowedOrigins(["http://localhost:3000", "HTTPS://App.test:443", "vscode://x"]);
  for (const origin of ["http://localhost:3000", "https://app.test", "vscode://x"])
    expect([origin, some.isAllowed(origin)]).toEqual([origin, true]);
  for (const origin of [
    "http://localhost:3001",
    "https://localhost:3000",
    "null",
    "http://app.test",
  ])
    expect([origin, some.isAllowed(origin)]).toEqual([origin, false]);
  for (const origin of ["null", "http://any.test"])
    expect(new AllowedOrigins(["*"]).isAllowed(origin)).toBe(true);
  expect(NONE.isAllowed("http://localhost:3000")).toBe(false);
});

it("only a bare origin is valid, without a path or anything else", () => {
  for (const good of [
    "http://a",
    "https://a.b:8443",
    "http://[::1]:3000",
    "vscode-webview://x",
    "*",
  ])
    expect([good, isOriginPattern(good)]).toEqual([good, true]);
  for (const bad of [
    "",
    "a.b",
    "null",
    "http://",
    "http://a/",
    "http://a/b",
    "http://a?b",
    "*.a.b",
    "http://a b",
  ])
    expect([bad, isOriginPattern(bad)]).toEqual([bad, false]);
});
