/** Messages when no Docker engine can be reached. */
import { expect, test } from "vitest";
import { dockerUnreachable } from "../../../emulator/docker/docker-unreachable.ts";

const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

test("no engine at the address: how to start one, and how to name another", () => {
  const sentence = dockerUnreachable(coded("ECONNREFUSED"), undefined);
  expect(sentence).toContain("no Docker engine answers at unix:///var/run/docker.sock");
  expect(sentence).toContain("sudo systemctl start docker");
  expect(sentence).toContain("DOCKER_HOST");
  expect(dockerUnreachable(coded("ENOENT"), "unix:///x.sock")).toContain("at unix:///x.sock");
});

test("not permitted: how to get the permission", () => {
  expect(dockerUnreachable(coded("EACCES"), "")).toMatch(
    /var\/run\/docker\.sock may not use .* group docker/u,
  );
});

test("any other error: the reason", () => {
  expect(dockerUnreachable(new Error("certificate has expired"), "tcp://far:2376")).toBe(
    "the Docker engine at tcp://far:2376 cannot be reached: certificate has expired",
  );
});
