/** Messages when no Docker engine can be reached. */
import { expect, test } from "vitest";
import { dockerUnreachable } from "../../../emulator/docker/docker-unreachable.ts";

const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

test("without an engine at the address, the message says how to start one, and how to name another", () => {
  const sentence = dockerUnreachable(coded("ECONNREFUSED"), undefined);
  expect(sentence).toContain("no Docker engine answers at unix:///var/run/docker.sock");
  expect(sentence).toContain("sudo systemctl start docker");
  expect(sentence).toContain("DOCKER_HOST");
  expect(dockerUnreachable(coded("ENOENT"), "unix:///x.sock")).toContain("at unix:///x.sock");
});

test("without the permission, the message says how to get it", () => {
  expect(dockerUnreachable(coded("EACCES"), "")).toMatch(
    /this user may not use .*docker\.sock; .* group docker/u,
  );
});

test("for any other error, the message has the reason", () => {
  expect(dockerUnreachable(new Error("certificate has expired"), "tcp://far:2376")).toBe(
    "the Docker engine at tcp://far:2376 cannot be reached: certificate has expired",
  );
});
