/** The server of the database is lost under load, and its synchronous standby takes over. */
import { describe, expect, it } from "vitest";
import { type Postgres, postgresIsMissing, startPostgres } from "../../setup/postgres.ts";
import { asked } from "./audit.ts";
import { SmallFleet, Tally } from "./small-fleet.ts";

const hostOf = (postgres: Postgres) => new URL(postgres.url()).host;

describe.runIf(postgresIsMissing === undefined)("replicas on two database servers", () => {
  it("continue on the synchronous standby, and no acknowledged job is lost", async () => {
    await using primary = await startPostgres();
    await using standby = await primary.standby();
    const setStandbys = async (names: string) => {
      const server = names === "" ? standby : primary;
      await asked(server.url(), `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await asked(server.url(), "SELECT pg_reload_conf()");
    };
    await setStandbys("*");
    const both = `postgres://postgres@${hostOf(primary)},${hostOf(standby)}/postgres`;
    await using fleet = await SmallFleet.make(both, 2);
    for (const seat of [0, 1]) await fleet.start(seat);
    const over = new AbortController();
    const tally = new Tally();
    const load = fleet.load(over.signal, tally);
    await expect.poll(() => tally.acknowledged.length).toBeGreaterThan(50);
    await primary.stop("SIGQUIT");
    const [lostAt, before] = [performance.now(), tally.acknowledged.length];
    await asked(standby.url(), "SELECT pg_promote()");
    await setStandbys("");
    await expect.poll(() => tally.acknowledged.length).toBeGreaterThan(before + 8);
    const againMs = Math.round(performance.now() - lostAt);
    over.abort();
    await load;
    await fleet.allDone(tally);
    const { acknowledged, others } = tally;
    const figure = { jobs: acknowledged.length, others, againMs };
    console.log("figure: failover", JSON.stringify(figure));
    for (const seat of [0, 1]) expect(await fleet.stop(seat)).toBe(0);
  });
});
