/** Two whole emulators on one PostgreSQL database. */
import { Buffer } from "node:buffer";
import { expect, inject, test } from "vitest";
import { type Emulator, startEmulator } from "sv-runtime/emulator";
import { misplacedAmong } from "../../contract/ownership/shared-subject.ts";
import { freePort } from "../../setup/free-port.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";

const headers = { authorization: "key" };
const POLLED = { interval: 50 };

/** Number of endpoints: enough for each of two replicas to own some. */
const NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight"];

async function start(store: string): Promise<Emulator> {
  const port = await freePort();
  return startEmulator({
    ...{ store, port, advertise: `http://127.0.0.1:${port}`, apiKey: "key", s3: false },
    secretKey: Buffer.alloc(32, 1).toString("base64"),
    endpoints: Object.fromEntries(NAMES.map((name) => [name, { handler: () => true }])),
  });
}

/**
 * Answers of the asked replica while a job of each endpoint runs: endpoints with one completed job, endpoints with a started
 * worker, and replicas with lines in the log.
 */
async function toldOf({ url }: Emulator) {
  const events = await fetch(`${url}/emulator/events`, { headers });
  const body = JSON.stringify({ input: {} });
  const run = (name: string) =>
    fetch(`${url}/v2/${name}/runsync`, { method: "POST", headers, body });
  let jobs: readonly Promise<Response>[] | undefined;
  const completed = new Set<string>();
  let text = "";
  for await (const piece of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    // Waits until the positions of all replicas are known: later events are sent.
    if (/^id: .*\n\n/mu.test(text)) jobs ??= NAMES.map((name) => run(name));
    for (const [, name = ""] of text.matchAll(/"endpointId":"(\w+)"[^\n]*"to":"COMPLETED"/gu))
      completed.add(name);
    if (completed.size === NAMES.length) break;
  }
  await Promise.all(jobs ?? []);
  const log = await (await fetch(`${url}/emulator/logs?ended=true`, { headers })).text();
  const found = (what: RegExp) => new Set([...log.matchAll(what)].map(([, each]) => each));
  const started = found(/"msg":"worker started".*"endpointId":"(\w+)"/gu);
  return { completed, started, replicas: found(/"replica":"([^"]*)"/gu) };
}

async function listed({ url }: Emulator) {
  const answer = await fetch(`${url}/emulator/replicas`, { headers });
  return (await answer.json()) as {
    readonly answeredBy: string;
    readonly replicas: readonly {
      readonly id: string;
      readonly address: string;
      readonly partitions: readonly number[];
      readonly workers?: number;
    }[];
    readonly unowned: readonly number[];
  };
}

test.skipIf(postgresIsMissing !== undefined)(
  "two replicas list each other with their workers and partitions, show all events, and forget ended replicas",
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
    expect([...replicas.flatMap(({ partitions }) => partitions), ...unowned]).toHaveLength(64);
    const misplaced = async () => misplacedAmong((await listed(one)).replicas);
    await expect.poll(misplaced, POLLED).toEqual([]);
    const all = new Set(NAMES);
    const ids = new Set(replicas.map(({ id }) => id));
    for (const asked of [one, two])
      expect(await toldOf(asked)).toEqual({ completed: all, started: all, replicas: ids });
    await two.stop();
    const left = async () => (await listed(one)).replicas.map(({ id }) => id);
    await expect.poll(left, POLLED).toEqual([first.answeredBy]);
    expect(await (await fetch(`${one.url}/metrics`, { headers })).text()).toContain(
      'sv_partition_owned{partition="0"} 1',
    );
  },
);
