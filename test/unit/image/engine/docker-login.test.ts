/** The places of docker's logins, and the registry of an image. */
import { chmod } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { registryOf } from "../../../../emulator/docker/registry-of.ts";
import { loginFor } from "../../../../emulator/image/engine/docker-login.ts";
import { webAddress } from "../../../../emulator/image/source-labels.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const auth = Buffer.from("ada:a:b").toString("base64");

afterEach(() => vi.unstubAllEnvs());

test("a registry is the first part of an image's name, or Docker's own", () => {
  expect(registryOf("registry.example/team/a:1")).toBe("registry.example");
  expect(registryOf("localhost:5000/a")).toBe("localhost:5000");
  expect(registryOf("localhost/a")).toBe("localhost");
  for (const name of ["a:1", "team/a", "docker.io/team/a"]) {
    expect(registryOf(name)).toBe("https://index.docker.io/v1/");
  }
});

test("a login in the file is valid for its registry only, also if it is stored with protocol and path", async () => {
  await using files = await temporaryTree({
    "config.json": JSON.stringify({
      auths: { "https://r.example/v1/": { auth }, "t.example": { identitytoken: "token" } },
    }),
  });
  expect(await loginFor("r.example", files.root)).toEqual({
    username: "ada",
    password: "a:b",
    serveraddress: "r.example",
  });
  const token = { identitytoken: "token", serveraddress: "t.example" };
  expect(await loginFor("t.example", files.root)).toEqual(token);
  expect(await loginFor("example", files.root)).toBeUndefined();
  expect(await loginFor("r.example", files.path("nowhere"))).toBeUndefined();
});

test("a helper is called for its registries, and a failing helper is reported", async () => {
  const helper = (script: string): string => `#!/bin/sh\n${script}\n`;
  await using files = await temporaryTree({
    "config.json": JSON.stringify({
      credHelpers: { "a.example": "a", "b.example": "b", "c.example": "c" },
      credsStore: "missing",
      auths: { "a.example": { auth } },
    }),
    "docker-credential-a": helper(`echo '{"Username":"<token>","Secret":"'"$1 $(cat)"'"}'`),
    "docker-credential-b": helper("echo credentials not found in native keychain; exit 1"),
    "docker-credential-c": helper("echo locked >&2; exit 1"),
  });
  for (const name of ["a", "b", "c"]) await chmod(files.path(`docker-credential-${name}`), 0o755);
  vi.stubEnv("PATH", `${files.root}${path.delimiter}${process.env["PATH"] ?? ""}`);
  expect(await loginFor("a.example", files.root)).toEqual({
    identitytoken: "get a.example",
    serveraddress: "a.example",
  });
  expect(await loginFor("b.example", files.root)).toBeUndefined();
  await expect(loginFor("c.example", files.root)).rejects.toThrow(
    "docker-credential-c failed: locked",
  );
  await expect(loginFor("d.example", files.root)).rejects.toThrow(
    "docker-credential-missing, which stores the logins of docker, cannot be run",
  );
});

test("a file that is not JSON is reported", async () => {
  await using files = await temporaryTree({ "config.json": "{" });
  await expect(loginFor("a.example", files.root)).rejects.toThrow("cannot be read from");
});

test.each([
  ["git@git.example:team/greet.git", "https://git.example/team/greet"],
  ["ssh://git@git.example:2222/team/greet.git", "https://git.example/team/greet"],
  ["https://ada:token@git.example/team/greet", "https://git.example/team/greet"],
  ["https://git.example/@ada/greet.git", "https://git.example/@ada/greet"],
  ["/srv/git/greet.git", ""],
  ["", ""],
])("the remote %s is the source %s", (remote, source) => {
  expect(webAddress(remote)).toBe(source);
});
