/** The log of several replicas, read at one of them. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { TextReader } from "../../operation/answers/text-reader.ts";
import {
  startReplicas,
  type TestReplica,
  type TestReplicas,
} from "../../replicas/replicas-harness.ts";

let replicas: TestReplicas;
beforeEach(async () => {
  replicas = await startReplicas();
});
afterEach(() => replicas[Symbol.asyncDispose]());

/** Writes at this time of the replica's clock, ms from the start. */
async function say({ service }: TestReplica, at: number, line: string): Promise<void> {
  const { clock, engine } = service.test;
  await clock.advance(at - (clock.now() - Date.UTC(2026, 0, 1)));
  engine.logs.workerLine({ endpointId: "echo", workerId: "w", line });
}

async function open(query: string) {
  const reader = new TextReader((await replicas.a.service.open(`/emulator/logs${query}`)).body);
  const next = async () => {
    const [, data = ""] = /^event: log\ndata: (.*)\n\n$/u.exec(await reader.until("\n\n")) ?? [];
    return JSON.parse(data) as Record<string, unknown>;
  };
  return { reader, next };
}

it("the merged log begins with the newest kept lines, by time, and ends there on request", async () => {
  const { a, b, c } = replicas;
  for (const [each, at] of [
    [b, 0],
    [c, 10],
    [a, 20],
    [b, 30],
    [a, 40],
  ] as const)
    await say(each, at, `line ${at}`);
  const { reader } = await open("?ended=true&tail=4");
  const text = await reader.rest();
  const told = [...text.matchAll(/"msg":"([^"]*)".*"replica":"(.)"/gu)].map(([, ...said]) => said);
  expect(told).toEqual([
    ["line 10", "c"],
    ["line 20", "a"],
    ["line 30", "b"],
    ["line 40", "a"],
  ]);
});

it("the merged log continues with each replica's lines, and names a silent replica", async () => {
  const { a, b, c } = replicas;
  await say(b, 0, "kept");
  const { next } = await open("?endpointId=echo");
  expect(await next()).toMatchObject({ msg: "kept", replica: "b" });
  await say(c, 0, "of c");
  expect(await next()).toMatchObject({ msg: "of c", replica: "c" });
  c.way.close();
  expect(await next()).toMatchObject({ level: "warn", msg: /does not answer/u, replica: "c" });
  await say(a, 0, "of a");
  expect(await next()).toMatchObject({ msg: "of a", replica: "a" });
});
