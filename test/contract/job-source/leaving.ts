/** The job source contract: the end of a source. */
import { expect, test, vi } from "vitest";
import { connect, job } from "./connected.ts";
import type { ScriptedService } from "./scripted-service.ts";

const failure = { type: "handler_error", message: "no model" } as const;

export function leaves(start: () => Promise<ScriptedService>): void {
  test("a handler that cannot be loaded is reported before the source closes", async () => {
    await using service = await start();
    const { source, session } = await connect(service);
    await source.initFailed(failure);
    await source.close();
    await session.ended;
    expect(session.reports.at(-1)).toEqual({ initFailure: failure });
  });

  test("a close sends the last outcomes, ends the session, and may be repeated", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1)]);
    const finished = source.finish(job(1), { kind: "handed-back" });
    await source.close();
    await session.ended;
    expect(session.all("outcomes")).toMatchObject([{ outcome: { kind: "handed-back" } }]);
    expect(await finished).toEqual({ accepted: false });
    await source.close();
  });

  test("a source may be closed before it connects", async () => {
    await using service = await start();
    const source = service.newSource();
    await source.close();
    const refused = vi.fn<() => void>();
    const listener = { job: refused, revoked: refused, chunksStored: refused, drain: refused };
    const connecting = source.connect({ ...listener, reload: refused, refused });
    await expect(connecting).rejects.toThrow("closed");
    expect(refused).not.toHaveBeenCalled();
  });
}
