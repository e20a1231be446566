/**
 * Replicas that are killed, frozen, started and stopped at random: no partition ever has two owners, and no
 * acknowledged change is lost.
 */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Member } from "../../../contract/ownership/member.ts";
import { sharedDatabase } from "../../../contract/ownership/postgres-shared.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { Chance } from "../../../contract/store/random-batches.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { sized } from "../../../setup/size.ts";
import { testDatabase } from "./database.ts";
import { faultsIn, logWrites, miscounted, writtenIn } from "./written-log.ts";

const ENDPOINTS = Array.from({ length: 40 }, (_, at) => `endpoint-${at}`);
const LEASE = 1_000;
const MAX_MEMBERS = 4;

async function world(seed: number) {
  const database = await testDatabase();
  await (await openIn(database.url)).close();
  await logWrites(database.admin);
  return { ...sharedDatabase(database.url), database, chance: new Chance(seed) };
}

class Play {
  readonly #world: Awaited<ReturnType<typeof world>>;
  readonly acknowledged = new Set<string>();
  readonly #writers = new Set<Member>();
  readonly #storing = new Set<Promise<unknown>>();
  readonly #frozen = new Set<Member>();
  /** Replicas that still answer, and all replicas so far: a killed one may not know that it is. */
  members: Member[] = [];
  readonly #ever: Member[] = [];
  /** Messages about two replicas that trusted the same partition at once. */
  readonly faults: string[] = [];

  constructor(made: Awaited<ReturnType<typeof world>>) {
    this.#world = made;
  }

  async join(): Promise<Member> {
    const times = { lease: LEASE, renewEvery: 60, margin: 80, settle: 120, reconnectFor: 5_000 };
    const joined = await this.#world.join("short", { times });
    const member = new Member(joined, await joined.store.boot());
    this.members.push(member);
    this.#ever.push(member);
    // It may be killed before it has begun.
    joined.ownership.begin(member).catch(() => undefined);
    return member;
  }

  async act(): Promise<void> {
    const { chance } = this.#world;
    const member = chance.pick([...this.members]);
    const act = chance.below(60);
    if (this.members.length === 0 || (act === 0 && this.members.length < MAX_MEMBERS))
      // A machine that is frozen for longer than a lease does not prevent later starts.
      await this.join().catch(() => undefined);
    else if (act === 1 && this.members.length > 1) this.#kill(member);
    else if (act <= 3) this.freeze(member);
    else if (act <= 6) for (const frozen of [...this.#frozen]) this.wake(frozen);
    else if (act === 7 && !this.#frozen.has(member)) await this.#end(member);
    else this.#insert(member);
    this.#look();
    await delay(chance.below(12));
  }

  /** A quick play may have had too few writers or changes to show a fault. */
  get isEnough(): boolean {
    return this.#writers.size > 2 && this.acknowledged.size > 50;
  }

  freeze(member: Member): void {
    this.#frozen.add(member);
    member.joined.freeze();
  }

  wake(member: Member): void {
    this.#frozen.delete(member);
    member.joined.wake();
  }

  async settle(): Promise<void> {
    for (const frozen of [...this.#frozen]) this.wake(frozen);
    await Promise.all(this.#storing);
  }

  #insert(member: Member): void {
    const own = ENDPOINTS.filter((id) => member.has(id));
    if (own.length === 0) return;
    const stored = member.insert(this.#world.chance.pick(own)).then(
      ({ id }) => {
        this.acknowledged.add(id);
        this.#writers.add(member);
      },
      () => undefined,
    );
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  #kill(member: Member): void {
    member.joined.kill();
    this.#remove(member);
  }

  async #end(member: Member): Promise<void> {
    this.#remove(member);
    await member.ownership.end("stop");
    await member.joined.close();
  }

  #remove(member: Member): void {
    this.#frozen.delete(member);
    this.members = this.members.filter((each) => each !== member);
  }

  #look(): void {
    for (const id of ENDPOINTS) {
      const owners = this.#ever.filter(({ ownership }) => ownership.owns(id));
      if (owners.length > 1)
        this.faults.push(
          `${owners.map(({ ownership }) => ownership.self.id).join()} validity ${id}`,
        );
    }
  }
}

describe.skipIf(postgresIsMissing !== undefined)("replicas at random", () => {
  it("never use one partition at the same time, and lose no acknowledged change", async () => {
    const made = await world(sized(1, Date.now()));
    await using database = made.database;
    await using _ = made;
    const play = new Play(made);
    await play.join();
    await play.join();
    const acts = sized(120, 1_500);
    for (let acted = 0; acted < acts || (!play.isEnough && acted < 8 * acts); acted += 1)
      await play.act();
    await play.settle();
    expect(play.faults).toEqual([]);
    const log = await writtenIn(database.admin);
    expect(faultsIn(log)).toEqual([]);
    expect(new Set(log.map(({ writer }) => writer)).size).toBeGreaterThan(2);
    expect(await miscounted(database.admin)).toEqual([]);
    const { rows } = await database.admin.query<{ id: Buffer }>("SELECT id FROM job");
    const stored = new Set(rows.map(({ id }) => id.toString()));
    expect([...play.acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    expect(play.acknowledged.size).toBeGreaterThan(50);
  }, 600_000);

  it("are detected if one writes a partition of another", async () => {
    const made = await world(1);
    await using database = made.database;
    await using _ = made;
    // The fence lets every write pass.
    await database.admin
      .query(`CREATE OR REPLACE FUNCTION refuse(what text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
      BEGIN
        IF what = 'owner' THEN RETURN true; END IF;
        RAISE EXCEPTION USING ERRCODE = 'SVR01', MESSAGE = what;
      END $body$;`);
    const play = new Play(made);
    const one = await play.join();
    await expect.poll(() => one.partitions.size).toBe(64);
    await one.insert("a");
    const two = await play.join();
    await expect.poll(() => two.partitions.size > 0).toBe(true);
    play.freeze(one);
    const late = ENDPOINTS.filter((id) => one.has(id));
    const writing = late.map((id) => one.insert(id).catch(() => undefined));
    await expect.poll(() => two.partitions.size).toBe(64);
    await two.insert(late[0] ?? "a");
    play.wake(one);
    await Promise.all(writing);
    expect(faultsIn(await writtenIn(database.admin))).toContainEqual(
      expect.stringMatching(/^replica-.* wrote partition \d+, which replica-.* has$/),
    );
    expect(await miscounted(database.admin)).not.toEqual([]);
  });
});
