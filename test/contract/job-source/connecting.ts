/** The job source contract: the greeting of a source, and its reaction to a refusal. */
import { expect, test } from "vitest";
import { PROTOCOL_VERSION } from "../../../runtime/protocol/session.ts";
import { RefusedError } from "../../../runtime/source/job-source.ts";
import { Connected, job, welcome } from "./connected.ts";
import type { ScriptedService } from "./scripted-service.ts";

export function greets(start: () => Promise<ScriptedService>): void {
  test("the source greets with its version and holds nothing, and learns the terms", async () => {
    await using service = await start();
    const worker = new Connected(service.newSource());
    const session = await service.nextSession();
    await session.until(() => session.reports.length === 1);
    expect(session.reports).toEqual([
      { hello: { protocolVersion: PROTOCOL_VERSION, runtimeVersion: "1.2.3", held: [] } },
    ]);
    session.send({ welcome });
    expect(await worker.welcomed).toEqual(welcome);
    await worker.source.close();
  });

  test.each(["token", "endpoint"] as const)("a wrong %s is refused for good", async (because) => {
    await using service = await start();
    service.refuse(because);
    const worker = new Connected(service.newSource());
    await expect(worker.welcomed).rejects.toThrow(RefusedError);
    expect(worker.refusals).toEqual([expect.stringContaining("go away")]);
    expect(await worker.source.finish(job(1), { kind: "handed-back" })).toEqual({
      accepted: false,
    });
  });

  test("the source waits for a service that is not up yet", async () => {
    await using service = await start();
    await service.stop();
    const worker = new Connected(service.newSource());
    worker.source.ready(2);
    await service.restart();
    const session = await service.nextSession();
    session.send({ welcome });
    expect(await worker.welcomed).toEqual(welcome);
    await session.until(() => session.reports.some((report) => report.ready?.concurrency === 2));
    await worker.source.close();
  });

  test("readiness and credit from before the welcome are sent with the greeting", async () => {
    await using service = await start();
    const worker = new Connected(service.newSource());
    worker.source.ready(3);
    worker.source.grant(2);
    worker.source.grant(1);
    const session = await service.nextSession();
    await session.until(() => session.credit === 3);
    expect(session.reports[0]).toMatchObject({ ready: { concurrency: 3 }, credit: 3 });
    await worker.source.close();
  });
}
