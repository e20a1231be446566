/** The log of the service over HTTP, read and followed. */
import { expect, it } from "vitest";
import { LogFeed } from "../../../../../emulator/engine/observe/log-feed.ts";
import { startTestHttp, type TestHttp } from "../../http-harness.ts";
import { TextReader } from "../../operation/answers/text-reader.ts";

function say(service: TestHttp, endpointId: string, line: string): void {
  service.test.engine.logs.workerLine({ endpointId, workerId: "w1", line });
}

async function open(service: TestHttp, query = "") {
  const { body } = await service.open(`/emulator/logs${query}`);
  const reader = new TextReader(body);
  const next = async () => {
    const [, type, data = ""] =
      /^event: (\w+)\ndata: (.*)\n\n$/.exec(await reader.until("\n\n")) ?? [];
    expect(type).toBe("log");
    return JSON.parse(data) as Record<string, unknown>;
  };
  return { reader, next };
}

it("the log shows old lines, then new ones, of the service, of workers and of handlers", async () => {
  await using service = await startTestHttp();
  const { logs } = service.test.engine;
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  logs.alongside(silent).warn({ endpointId: "echo", err: new Error("why") }, "it is so");
  const { next } = await open(service);
  expect(await next()).toMatchObject({
    level: "warn",
    msg: "it is so",
    endpointId: "echo",
    err: { message: "why" },
  });
  const printed = { time: 1, level: "info", msg: "hi", jobId: "j", stream: "stdout" };
  say(service, "echo", JSON.stringify(printed));
  expect(await next()).toMatchObject({ msg: "hi", source: "handler", jobId: "j", workerId: "w1" });
  say(service, "echo", "no json");
  expect(await next()).toMatchObject({ msg: "no json", source: "worker", level: "info" });
});

it("the log leaves out other endpoints, shows only the last lines, and ends on request", async () => {
  await using service = await startTestHttp();
  for (const nth of [1, 2, 3]) say(service, "echo", `line ${nth}`);
  say(service, "other", "of another");
  const { reader } = await open(service, "?endpointId=echo&tail=2&ended=true");
  const text = await reader.rest();
  expect(text.match(/"msg":"[^"]*"/g)).toEqual([`"msg":"line 2"`, `"msg":"line 3"`]);
});

it.each(["tail=-1", "tail=2001", "ended=maybe", "endpointId=a&endpointId=b"])(
  "the log refuses ?%s",
  async (query) => {
    await using service = await startTestHttp();
    const { json } = await service.call("GET", `/emulator/logs?${query}`);
    expect(json).toMatchObject({ code: "invalid_request" });
  },
);

it("the log keeps a bounded number of the newest lines and characters", () => {
  const feed = new LogFeed(
    () => 0,
    () => undefined,
  );
  const line = (text: string) => feed.workerLine({ endpointId: "e", workerId: "w", line: text });
  for (let nth = 0; nth < 10_000; nth += 1) line(String(nth));
  const kept = feed.newest(5_000, undefined).map((each) => each.entry().message);
  expect(kept).toHaveLength(2_000);
  expect(kept.at(-1)).toBe("9999");
  line("x".repeat(1_900_000));
  line("y".repeat(200_000));
  expect(feed.newest(5_000, undefined).map(({ characters }) => characters)).toEqual([200_000]);
});
