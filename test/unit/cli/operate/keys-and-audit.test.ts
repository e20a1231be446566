/** The commands for API keys and for the audit. */
import { expect, test } from "vitest";
import { startTestHttp } from "../../http/http-harness.ts";
import { json, run } from "./run-command.ts";

test("a key is created and shown once, listed, used by a command, and revoked by its name", async () => {
  await using service = await startTestHttp();
  const flags = { scope: "read-only", expires: "30d" } as const;
  const made = await run(service, "keys create", "ci", { flags });
  const [, key = ""] = /^key +(sv_\S+)\n/u.exec(made) ?? [];
  expect(made).toMatch(/\nname +ci\nopens +read-only\nexpires +\d{4}-\S+ \S+\n$/u);
  expect(await run(service, "endpoints", undefined, { key })).toContain("echo");
  const listed = await run(service, "keys list");
  expect(listed).toMatch(/^KEY +NAME +OPENS +MADE +EXPIRES +LAST USED\nkey_\w+ +ci +read-only /u);
  expect(listed).not.toContain(key);
  const advance = run(service, "clock", "+1m", { key });
  await expect(advance).rejects.toThrow('the key "ci" has the scope read-only');
  expect(await run(service, "keys revoke", "ci")).toMatch(/^key_\w+ ci is revoked\n$/u);
  await expect(run(service, "endpoints", undefined, { key })).rejects.toThrow(
    "does not accept the key",
  );
  await expect(run(service, "keys revoke", "ci")).rejects.toThrow('there is no key "ci"');
});

test("a key for jobs names its endpoints, and an expired key is refused as expired", async () => {
  await using service = await startTestHttp();
  await service.test.addEndpoint("other");
  const flags = { ...json, scope: "jobs", endpoints: "echo, other", expires: "1h" } as const;
  const made = JSON.parse(await run(service, "keys create", "app", { flags })) as { key: string };
  expect(made).toMatchObject({ scope: "jobs", endpointIds: ["echo", "other"] });
  expect(await run(service, "keys list")).toContain("jobs of echo, other");
  await run(service, "clock", "+1h");
  const late = run(service, "purge", "echo", { key: made.key, flags: { yes: true } });
  await expect(late).rejects.toThrow('the API key "app" has expired at');
});

test("a token is shown as the variables of a worker, listed without other keys, and revoked", async () => {
  const workerListener = {
    fingerprint: Buffer.alloc(32, 1),
    addresses: () => ["tls://a:1", "tls://b:2"],
  };
  await using service = await startTestHttp({ workerListener });
  await run(service, "keys create", "ci", { flags: { scope: "all" } });
  const made = await run(service, "token create", "echo");
  expect(made).toMatch(/^name +echo-workers\nopens +workers of echo\n/u);
  expect(made).toContain("\nSV_SERVICE_ADDRESS=tls://a:1,tls://b:2\nSV_WORKER_TOKEN=sv_");
  expect(made).toContain(`.${workerListener.fingerprint.toString("base64url")}\n`);
  expect(made).toContain("\n  npx sv-worker handler.ts\n");
  const flags = { ...json, name: "attic", expires: "1h" } as const;
  const other = JSON.parse(await run(service, "token create", "echo", { flags })) as object;
  expect(other).toMatchObject({ name: "attic", scope: "workers", endpointIds: ["echo"] });
  const listed = await run(service, "token list");
  expect(listed.split("\n").map((line) => line.split(/ +/u)[1])).toEqual([
    ...["NAME", "attic", "echo-workers", undefined],
  ]);
  await expect(run(service, "token revoke", "ci")).rejects.toThrow('there is no token "ci"');
  expect(await run(service, "token revoke", "attic")).toContain("attic is revoked");
});

test("creating a token without a port for workers fails with the missing setting", async () => {
  await using service = await startTestHttp();
  expect(await run(service, "token create", "echo")).toMatch(
    /\nSV_WORKER_TOKEN=sv_[\w-]+\n\nthe emulator has no port for workers: start it with --worker-port/u,
  );
});

test("the audit is a table of the author and subject of each change, newest first", async () => {
  await using service = await startTestHttp();
  await run(service, "clock", "+1m");
  await run(service, "purge", "echo", { flags: { yes: true } });
  const lines = (await run(service, "audit")).split("\n");
  expect(lines[0]).toMatch(/^AT +KEY +FROM +OPERATION +ABOUT +ANSWERED$/u);
  expect(lines[1]).toMatch(/^\S+ \S+ +user +127\.0\.0\.1 +purgeQueue +echo, 0 jobs +200$/u);
  expect(lines[2]).toMatch(/ advanceClock +\+60000 ms +200$/u);
  const one = await run(service, "audit", undefined, { flags: { ...json, limit: "1" } });
  expect(JSON.parse(one)).toMatchObject([{ operation: "purgeQueue" }]);
});
