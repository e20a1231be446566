/** The command for the emulators that share a database. */
import { expect, test } from "vitest";
import { startTestHttp } from "../../http/http-harness.ts";
import { startReplicas } from "../../http/replicas/replicas-harness.ts";
import { json, run } from "./run-command.ts";

test("an emulator with its own store is one line without the columns about others", async () => {
  await using service = await startTestHttp();
  const [head, line] = (await run(service, "replicas")).split("\n");
  expect(head).toMatch(/^REPLICA +VERSION +STARTED +ENDPOINTS +WORKERS +RUNNING$/u);
  expect(line).toMatch(/^\S+-\d+ +\S+ +2026-01-01 00:00:00 +1 +0 +0$/u);
});

test("several replicas are listed with the one that answered, the silent ones, and partitions without an owner", async () => {
  await using replicas = await startReplicas();
  const { a, c } = replicas;
  c.way.close();
  const lines = (await run(a.service, "replicas")).split("\n");
  expect(lines[0]).toMatch(
    /^REPLICA +ADDRESS +VERSION +STARTED +LEASE ENDS +PARTITIONS +ENDPOINTS /u,
  );
  expect(lines[1]).toMatch(
    /^a +http:\S+ +1 +1970-\S+ 00:00:00 +1970-\S+ 00:00:05 .* 0 +0 +answered$/u,
  );
  expect(lines[2]).toMatch(/^b .* 1 +1 +0 +0$/u);
  expect(lines[3]).toMatch(/^c .* 0 +0 +\? +\?$/u);
  expect(lines[4]).toBe("partitions without an owner: 1");
  const whole = JSON.parse(await run(a.service, "replicas", undefined, { flags: json })) as object;
  expect(whole).toMatchObject({ answeredBy: "a", unowned: [1] });
});
