/**
 * The log of one pod or worker as the live service streams it: its begin, its new lines, and where a reader
 * continues.
 */
import { describe, expect, it } from "vitest";
import { made, startTestHttp, type TestHttp } from "../../http-harness.ts";
import { openLog } from "./log-reading.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A line of the service about a pod, or of the pod. */
function say({ test }: TestHttp, fields: object, message: string): void {
  test.engine.logs.alongside(SILENT).info({ ...fields }, message);
}

const write = (service: TestHttp, podId: string, line: string) =>
  say(service, { podId, source: "pod" }, line);

async function createPod(service: TestHttp): Promise<string> {
  const body = { imageName: "me/box:1", computeType: "CPU" };
  return made(service, "/v1/pods", body);
}

describe("the log of a pod", () => {
  it("has its lines and the service's about it, then new ones, and none of other pods", async () => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    say(service, { podId: id, runId: "r" }, "pod started");
    write(service, "another", "not this one");
    write(service, id, "hello");
    const stream = await openLog(service, `/live/v2/pods/${id}/logs`);
    expect(stream.headers).toMatchObject({ "content-type": "text/event-stream" });
    const ts = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect((await stream.next()).data).toEqual({ source: "system", line: "pod started", ts });
    expect((await stream.next()).data).toEqual({ source: "container", line: "hello", ts });
    write(service, "another", "nor this");
    write(service, id, "two\nlines");
    expect((await stream.next()).data.line).toBe("two\nlines");
  });

  it("begins with the requested number of lines of the requested source", async () => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    for (const nth of [1, 2, 3]) write(service, id, `written ${nth}`);
    say(service, { podId: id }, "said");
    const path = `/live/v2/pods/${id}/logs`;
    const last = await openLog(service, `${path}?tail=2`);
    expect(await last.lines(2)).toEqual(["written 3", "said"]);
    const none = await openLog(service, `${path}?tail=0`);
    const written = await openLog(service, `${path}?tail=1&source=container`);
    const said = await openLog(service, `${path}?source=system`);
    expect(await written.lines(1)).toEqual(["written 3"]);
    expect(await said.lines(1)).toEqual(["said"]);
    write(service, id, "more");
    say(service, { podId: id }, "said more");
    expect(await none.lines(2)).toEqual(["more", "said more"]);
    expect(await written.lines(1)).toEqual(["more"]);
    expect(await said.lines(1)).toEqual(["said more"]);
  });

  it("begins at the requested time, whatever the tail", async () => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    write(service, id, "before");
    await service.test.clock.advance(1_000);
    const since = new Date(service.test.clock.now()).toISOString();
    write(service, id, "then");
    write(service, id, "after");
    const { lines } = await openLog(service, `/live/v2/pods/${id}/logs?since=${since}&tail=1`);
    expect(await lines(2)).toEqual(["then", "after"]);
  });

  it("continues after the reader's last line, also among lines of one time", async () => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    for (const nth of [1, 2, 3]) write(service, id, `line ${nth}`);
    const path = `/live/v2/pods/${id}/logs?tail=0&since=2000-01-01T00:00:00Z`;
    const { next } = await openLog(service, path);
    await next();
    const second = await next();
    expect(second.data.line).toBe("line 2");
    const again = await openLog(service, path, { "last-event-id": second.id });
    expect(await again.lines(1)).toEqual(["line 3"]);
    const byMoment = await openLog(service, path, { "last-event-id": second.data.ts });
    write(service, id, "line 4");
    await service.test.clock.advance(1);
    write(service, id, "line 5");
    expect(await byMoment.lines(2)).toEqual(["line 4", "line 5"]);
  });

  it("ends with the pod, and with the service", async () => {
    await using service = await startTestHttp();
    const [first, second] = [await createPod(service), await createPod(service)];
    const ofFirst = await openLog(service, `/live/v2/pods/${first}/logs`);
    const ofSecond = await openLog(service, `/live/v2/pods/${second}/logs`);
    await service.call("DELETE", `/v1/pods/${first}`);
    const ended = ofFirst.reader.rest();
    await service.test.clock.advance(15_000);
    expect(await ended).toMatch(/^(?:: .*\n\n)?$/);
    const stopped = ofSecond.reader.rest();
    await service.http.stop();
    expect(await stopped).toMatch(/^(?:: .*\n\n)*$/);
  });

  it("ends for a reader that does not keep up, which continues after its last line", async () => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    const path = `/live/v2/pods/${id}/logs`;
    const { reader, next } = await openLog(service, path);
    write(service, id, "line 0");
    const { id: seen } = await next();
    for (let nth = 1; nth <= 10_001; nth += 1) write(service, id, `line ${nth}`);
    expect(await reader.rest()).not.toContain("event:");
    const again = await openLog(service, path, { "last-event-id": seen });
    // The number of kept lines.
    expect(await again.lines(1)).toEqual(["line 8002"]);
  });

  it("is kept open by comments while it is idle", async () => {
    await using service = await startTestHttp();
    const { reader } = await openLog(service, `/live/v2/pods/${await createPod(service)}/logs`);
    await service.test.clock.advance(15_000);
    expect(await reader.until("\n\n")).toMatch(/^: /);
  });

  it.each([
    ["tail=-1", {}, "parameter 'tail': minimum: got -1, want 0"],
    ["tail=5001", {}, "parameter 'tail': maximum: got 5001, want 5000"],
    ["source=both", {}, "parameter 'source': value must be one of 'container', 'system'"],
    ["since=yesterday", {}, "parameter 'since': is not a time (RFC 3339)"],
    ["", { "last-event-id": "3" }, "header 'Last-Event-ID': is not the id of an event"],
  ])("refuses ?%s %j", async (query, headers, line) => {
    await using service = await startTestHttp();
    const id = await createPod(service);
    const { status, json } = await service.call("GET", `/live/v2/pods/${id}/logs?${query}`, {
      headers,
    });
    expect(status).toBe(422);
    expect((json as { errors: string[] }).errors[0]).toContain(line);
  });
});

describe("the log of a worker", () => {
  it("has its lines while the worker exists and afterwards", async () => {
    await using service = await startTestHttp();
    const { worker } = await service.test.connectWorker();
    const { logs, fleet } = service.test.engine;
    const line = (workerId: string, text: string) =>
      logs.workerLine({ endpointId: "echo", workerId, line: text });
    line(worker.id, '{"time":1000,"level":"info","msg":"printed","stream":"stdout"}');
    line("another", "not this");
    say(service, { endpointId: "echo", workerId: worker.id }, "worker ready");
    const path = `/live/v2/serverless/echo/workers/${worker.id}/logs`;
    const { next, lines } = await openLog(service, path);
    expect((await next()).data).toEqual({
      source: "container",
      line: "printed",
      ts: "1970-01-01T00:00:01.000Z",
    });
    expect((await next()).data).toMatchObject({ source: "system", line: "worker ready" });
    line(worker.id, "plain");
    expect(await lines(1)).toEqual(["plain"]);
    expect(fleet.find(worker.id)).toBeDefined();
  });
});

it.each([
  ["/live/v2/pods/none/logs", "there is no pod"],
  ["/live/v2/serverless/none/workers/w/logs", "endpoint not found"],
  ["/live/v2/serverless/echo/workers/none/logs", "has no worker"],
])("%s is answered with a problem", async (path, detail) => {
  await using service = await startTestHttp();
  const { status, json } = await service.call("GET", path);
  expect({ status, json }).toMatchObject({ status: 404, json: { title: "Not Found" } });
  expect((json as { detail: string }).detail).toContain(detail);
});
