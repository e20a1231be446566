/** A dump that is taken while replicas work is restored into another database, and under replicas that run. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { whatIsMissing } from "../../setup/debian-program.ts";
import { asked } from "./audit.ts";
import { SmallFleet, Tally } from "./small-fleet.ts";

const run = promisify(execFile);
const dumpsAreMissing = whatIsMissing("tests of dumps", ["pg_dump", "pg_restore"]);

/** Commands as in docs/cluster.md. */
function dumps(directory: string) {
  const file = path.join(directory, "sv.dump");
  return {
    take: (url: string) => run("pg_dump", ["-Fc", "--schema=sv_runtime", "-f", file, url]),
    restore: (url: string) => run("pg_restore", ["--no-owner", "-d", url, file]),
  };
}

describe.skipIf((postgresIsMissing ?? dumpsAreMissing) !== undefined)("a dump", () => {
  it("of a running service has every job that was acknowledged before it, and a service starts on it", async () => {
    using home = temporaryDirectory();
    const dump = dumps(home.path);
    await using postgres = await startPostgres();
    await using fleet = await SmallFleet.make(postgres.url(), 2);
    for (const seat of [0, 1]) await fleet.start(seat);
    const before = new Tally();
    await fleet.load(AbortSignal.timeout(2_000), before);
    const during = new Tally();
    const over = new AbortController();
    const load = fleet.load(over.signal, during);
    await dump.take(postgres.url());
    over.abort();
    await load;
    for (const seat of [0, 1]) expect(await fleet.stop(seat)).toBe(0);
    await asked(postgres.url(), "CREATE DATABASE restored");
    await dump.restore(postgres.url("restored"));
    fleet.store = postgres.url("restored");
    for (const seat of [0, 1]) await fleet.start(seat);
    await fleet.allDone(before);
    const after = new Tally();
    await fleet.load(AbortSignal.timeout(1_000), after);
    await fleet.allDone(after);
    // The payloads of the original database belong to another service.
    expect(new Set([...before.acknowledged, ...after.acknowledged].map(({ id }) => id)).size).toBe(
      before.acknowledged.length + after.acknowledged.length,
    );
  });

  it("that is restored under running replicas is noticed: they continue with its data, or end", async () => {
    using home = temporaryDirectory();
    const dump = dumps(home.path);
    await using postgres = await startPostgres();
    await using fleet = await SmallFleet.make(postgres.url(), 2);
    const started = [await fleet.start(0), await fleet.start(1)];
    const before = new Tally();
    await fleet.load(AbortSignal.timeout(1_000), before);
    await fleet.allDone(before);
    await dump.take(postgres.url());
    const lost = new Tally();
    await fleet.load(AbortSignal.timeout(1_000), lost);
    const over = new AbortController();
    const after = new Tally();
    await asked(postgres.url(), "DROP SCHEMA sv_runtime CASCADE");
    const load = fleet.load(over.signal, after);
    await dump.restore(postgres.url());
    const ended = () => started.map(({ child }) => child.exitCode);
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    console.log("figure: put back", JSON.stringify({ ended: ended(), others: after.others }));
    over.abort();
    await load;
    for (const [seat, code] of ended().entries())
      if (code !== null) {
        expect(code).toBe(4);
        await fleet.start(seat);
      }
    await fleet.allDone(before);
    await fleet.allDone(after);
    for (const { endpoint, id } of lost.acknowledged)
      expect((await fleet.ask(0, `/v2/${endpoint}/status/${id}`)).status).toBe(404);
  });
});
