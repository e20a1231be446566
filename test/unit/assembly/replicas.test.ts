/** Two whole emulators on one PostgreSQL database. */
import { Buffer } from "node:buffer";
import { expect, inject, test } from "vitest";
import { type Emulator, startEmulator } from "sv-runtime/emulator";
import { freePort } from "../../setup/free-port.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";

const headers = { authorization: "key" };
const POLLED = { timeout: 15_000, interval: 50 };

async function start(store: string): Promise<Emulator> {
  const port = await freePort();
  return startEmulator({
    ...{ store, port, advertise: `http://127.0.0.1:${port}`, apiKey: "key", s3: false },
    secretKey: Buffer.alloc(32, 1).toString("base64"),
    endpoints: { echo: { handler: ({ input }: { input: unknown }) => input } },
  });
}

async function listed({ url }: Emulator) {
  const answer = await fetch(`${url}/emulator/replicas`, { headers });
  return (await answer.json()) as {
    readonly answeredBy: string;
    readonly replicas: readonly {
      readonly id: string;
      readonly address: string;
      readonly parts: readonly number[];
      readonly workers?: number;
    }[];
    readonly unowned: readonly number[];
  };
}

test.skipIf(postgresIsMissing !== undefined)(
  "list each other with what each of them has, and no more what has ended",
  async () => {
    const database = await freshDatabase(inject("sharedPostgres"));
    await using one = await start(database);
    await using two = await start(database);
    const answers = async () =>
      (await listed(one)).replicas.filter(({ workers }) => workers !== undefined).length;
    await expect.poll(answers, POLLED).toBe(2);
    const [first, second] = [await listed(one), await listed(two)];
    expect(first.answeredBy).not.toBe(second.answeredBy);
    const { replicas, unowned } = first;
    expect(new Set(replicas.map(({ address }) => address))).toEqual(new Set([one.url, two.url]));
    expect([...replicas.flatMap(({ parts }) => parts), ...unowned]).toHaveLength(64);
    await two.stop();
    const left = async () => (await listed(one)).replicas.map(({ id }) => id);
    await expect.poll(left, POLLED).toEqual([first.answeredBy]);
    expect(await (await fetch(`${one.url}/metrics`, { headers })).text()).toContain(
      'sv_part_owned{part="0"} 1',
    );
  },
);
