/** A release of a database is not a loss. */
import { expect, it } from "vitest";
import type { StoreLostError } from "../../../../emulator/core/store-error.ts";
import { openIn } from "../../../contract/store/postgres-subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { startTcpProxy } from "../../../setup/tcp-proxy.ts";
import { testDatabase, through } from "./database.ts";

it.skipIf(postgresIsMissing !== undefined)(
  "a renewal during the close of the store is not taken for a loss",
  async () => {
    await using database = await testDatabase();
    const lost: StoreLostError[] = [];
    for (let time = 0; time < 8; time += 1) {
      const store = await openIn(database.url, {
        times: { renewEvery: 1 },
        onLost: (error) => void lost.push(error),
      });
      await store.boot();
      await store.close();
    }
    expect(lost).toEqual([]);
  },
);

it.skipIf(postgresIsMissing !== undefined)(
  "a server that stops answering does not block the close of the store",
  async () => {
    await using database = await testDatabase();
    await using proxy = await startTcpProxy(Number(new URL(database.url).port));
    const store = await openIn(through(database.url, proxy.port));
    await store.boot();
    proxy.fallSilent();
    await expect(store.close()).resolves.toBeUndefined();
  },
);
