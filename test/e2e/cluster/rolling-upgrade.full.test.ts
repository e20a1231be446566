/** Replicas are replaced by those of the next version, one after another, while clients go on; then back. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { RUNTIME_VERSION } from "../../../runtime/version.ts";
import { program } from "../emulator-process.ts";
import { asked } from "./audit.ts";
import { formerBuild, nextBuild } from "./builds.ts";
import { SmallFleet, Tally } from "./small-fleet.ts";

/** Folder with an earlier build, from which the replicas are upgraded to this source. */
const FROM = process.env["UPGRADE_FROM"];
const BETWEEN_MS = 2_000;

describe.runIf(postgresIsMissing === undefined)("replicas of two versions", () => {
  it("serve side by side while each is replaced, forwards and back, and no job is lost", async () => {
    using former =
      FROM === undefined ? { program, [Symbol.dispose]: () => undefined } : formerBuild(FROM);
    using next = nextBuild(true);
    await using postgres = await startPostgres();
    await using fleet = await SmallFleet.make(postgres.url(), 2);
    await fleet.start(0, former.program);
    await fleet.start(1, former.program);
    const over = new AbortController();
    const tally = new Tally();
    const load = fleet.load(over.signal, tally);
    const rolled = async (to: string) => {
      for (const seat of [0, 1]) {
        await delay(BETWEEN_MS);
        expect(await fleet.stop(seat)).toBe(0);
        await fleet.start(seat, to);
      }
      await delay(BETWEEN_MS);
      const rows = await asked(postgres.url(), "SELECT DISTINCT version FROM sv_runtime.replica");
      return rows.map(({ version }) => String(version));
    };
    // An earlier version may lack the next one's migration.
    if (FROM === undefined) expect(await rolled(next.program)).toEqual(["9.0.0"]);
    expect(await rolled(program)).toEqual([RUNTIME_VERSION]);
    over.abort();
    await load;
    await fleet.allDone(tally);
    const { acknowledged, others } = tally;
    console.log("figure: rolling upgrade", JSON.stringify({ jobs: acknowledged.length, others }));
    // 0: a replica that was being upgraded was not listening.
    expect(Object.keys(others).filter((status) => !["0", "503"].includes(status))).toEqual([]);
  });

  it("cannot be mixed when the next version changes data that this one uses: the next one is refused, and this one continues", async () => {
    using next = nextBuild(false);
    await using postgres = await startPostgres();
    await using fleet = await SmallFleet.make(postgres.url(), 2);
    await fleet.start(0);
    await expect(fleet.start(1, next.program)).rejects.toThrow("emulators of an older version");
    const tally = new Tally();
    await fleet.load(AbortSignal.timeout(1_000), tally);
    expect(await fleet.stop(0)).toBe(0);
    await fleet.start(1, next.program);
    await fleet.allDone(tally);
    await expect(fleet.start(0)).rejects.toThrow("was written by a newer version of sv-runtime");
  });
});
