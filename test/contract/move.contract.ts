/** A move of a data directory into another store: afterwards both give equal answers. */
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { StoreUnusableError } from "../../emulator/core/store-error.ts";
import { moveStore } from "../../emulator/store/move/move-store.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../emulator/store/store.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { allQuestions, compare, someQuestions } from "./store/compared-reads.ts";
import { Differential } from "./store/differential.ts";
import { Chance } from "./store/random-batches.ts";
import { Owner } from "./store/subject.ts";
import { sized } from "../setup/size.ts";

const BATCHES = sized(100, 150);
const SEED = Number(process.env["STORE_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** An empty store. */
export type OpenTarget = () => Promise<{ readonly store: Store } & AsyncDisposable>;

/** @param pages sizes of the pages in which it is moved */
export function moveContract(name: string, open: OpenTarget, pages: readonly number[]): void {
  describe(`a move into ${name} (seed ${SEED})`, { timeout: 120_000 }, () => {
    const temporary = temporaryDirectory();
    const directory = path.join(temporary.path, "data");
    let from: Store;
    let both: Differential;

    beforeAll(async () => {
      from = await openSqliteStore({ directory });
      both = new Differential(from, new Chance(SEED), await from.boot());
      for (let made = 0; made < BATCHES; made += 1) await both.step(undefined);
      return async () => {
        await from.close();
        temporary[Symbol.dispose]();
      };
    });

    const questions = () => {
      const { known, owner } = both;
      const some = Array.from({ length: 30 }, (_, at) =>
        someQuestions(new Chance(SEED + at), known, owner.lastSeq),
      );
      return [...allQuestions(known, owner.lastSeq), ...some.flat()];
    };

    it.each(pages)(
      "in pages of %i copies everything, and leaves the source unchanged",
      async (page) => {
        await using target = await open();
        const moved = await moveStore({ from, to: target.store, directory, page });
        expect(moved.jobs).toBe(both.known.jobs.size);
        expect(Math.min(moved.jobs, moved.deliveries, moved.records)).toBeGreaterThan(0);
        await compare(from, target.store, questions());
        await compare(both.memory, from, questions());
      },
    );

    it("continues after an interruption", async () => {
      await using target = await open();
      let interruptions = 0;
      for (let whole = 1; ; whole += 1) {
        const to = failing(target.store, whole);
        try {
          await moveStore({ from, to, directory, batchChanges: 7, page: 3 });
          break;
        } catch (error) {
          expect(String(error)).toContain("interrupted");
          interruptions += 1;
        }
      }
      expect(interruptions).toBeGreaterThan(5);
      await compare(from, target.store, questions());
    });

    it("is refused if the target is not empty, and changes nothing there", async () => {
      await using target = await open();
      const owner = await Owner.of(target.store);
      await owner.insert({ id: "theirs" });
      const before = await target.store.boot();
      await expect(moveStore({ from, to: target.store, directory })).rejects.toThrow(
        "can only be moved into an empty one",
      );
      expect(await target.store.boot()).toEqual(before);
    });

    it("is refused while a move of another directory, or of an earlier state of this one, is unfinished", async () => {
      await using target = await open();
      const to = failing(target.store, 1);
      await expect(moveStore({ from, to, directory })).rejects.toThrow("interrupted");
      const other = moveStore({ from, to: target.store, directory: "/elsewhere" });
      await expect(other).rejects.toThrow(`a move of ${directory} into this store is unfinished`);
      const used = new Proxy(from, {
        get: (store, key: keyof Store) =>
          key === "boot"
            ? async () => ({ ...(await store.boot()), batch: 1_000_000, recordsVersion: 0 })
            : bound(store, key),
      });
      const late = moveStore({ from: used, to: target.store, directory });
      await expect(late).rejects.toThrow(StoreUnusableError);
      await expect(late).rejects.toThrow("was used after");
    });
  });
}

/** A store that disappears after this number of batches. */
function failing(store: Store, batches: number): Store {
  let left = batches;
  return new Proxy(store, {
    get(target, key: keyof Store) {
      if (key !== "flush") return bound(target, key);
      return async (batch: Parameters<Store["flush"]>[0]) => {
        left -= 1;
        if (left < 0) throw new Error("interrupted");
        await target.flush(batch);
      };
    },
  });
}

function bound(store: Store, key: keyof Store): unknown {
  const value: unknown = store[key];
  return typeof value === "function" ? (value.bind(store) as unknown) : value;
}
