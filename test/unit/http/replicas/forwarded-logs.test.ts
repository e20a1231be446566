/** The log of one pod or worker, requested from a replica that does not have it. */
import { expect, it } from "vitest";
import { openLog } from "../management/logs/log-reading.ts";
import { startReplicas } from "./replicas-harness.ts";

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

it("a worker's log comes from its endpoint's owner, and ends with the asked replica", async () => {
  await using replicas = await startReplicas();
  const { a, b } = replicas;
  const { worker } = await b.service.test.connectWorker();
  const path = `/live/v2/serverless/echo/workers/${worker.id}/logs`;
  const { lines, reader } = await openLog(a.service, path);
  const { logs } = b.service.test.engine;
  logs.workerLine({ endpointId: "echo", workerId: worker.id, line: "there" });
  expect(await lines(1)).toEqual(["there"]);
  const rest = reader.rest();
  await a.service.http.stop();
  expect(await rest).toBe("");
});

it("a pod's log comes from the replica that runs pods, and continues after the last read event", async () => {
  await using replicas = await startReplicas();
  const { a, b, c } = replicas;
  const body = { imageName: "me/box:1", computeType: "CPU" };
  const { json } = await c.service.call("POST", "/v1/pods", { body });
  const { id: podId } = json as { id: string };
  const log = b.service.test.engine.logs.alongside(SILENT);
  for (const line of ["one", "two"]) log.info({ podId, source: "pod" }, line);
  const path = `/live/v2/pods/${podId}/logs`;
  const first = await openLog(a.service, path);
  const { id, data } = await first.next();
  expect(data.line).toBe("one");
  const second = await openLog(c.service, path, { "last-event-id": id });
  expect(await second.lines(1)).toEqual(["two"]);
});
