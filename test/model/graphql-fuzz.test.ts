/** Generated documents of GraphQL, valid ones and broken ones, played on a real server: none crashes it, and none is answered with a 5xx. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import { anyDocument, type FuzzDocument } from "../fuzz/graphql-arbitrary.ts";
import { sized } from "../setup/size.ts";
import { send } from "../unit/http/management/graphql/graphql-harness.ts";
import { KEY, startTestHttp, type TestHttp } from "../unit/http/http-harness.ts";

const DOCUMENTS = sized(600, 20_000);
const BATCH = 32;

const STATUSES = new Set([200, 401]);

it(`each of ${DOCUMENTS} documents is answered with data, or with the reason for its refusal`, async () => {
  await using service = await startTestHttp({ store: createMemoryStore() });
  const documents = fc.sample(anyDocument, { seed: 1, numRuns: DOCUMENTS });
  let answered = 0;
  let refused = 0;
  for (let from = 0; from < documents.length; from += BATCH) {
    const batch = documents.slice(from, from + BATCH);
    for (const hasData of await Promise.all(batch.map((each) => play(service, each)))) {
      if (hasData) answered += 1;
      else refused += 1;
    }
  }
  const defects = service.test.logged.filter(({ message }) => message.includes("defect"));
  expect(defects).toEqual([]);
  expect(Math.min(answered, refused)).toBeGreaterThan(DOCUMENTS / 20);
  expect((await service.call("GET", "/v1/endpoints")).status).toBe(200);
});

/** Returns whether it was answered with data. */
async function play(service: TestHttp, { body, isValid, key }: FuzzDocument): Promise<boolean> {
  const { status, json } = await send(service, body, { key: key ? KEY : "" });
  const what = `${body} was answered ${status} ${JSON.stringify(json)}`;
  assert.ok(STATUSES.has(status), what);
  const { data, errors } = json;
  if (errors === undefined) {
    assert.deepEqual(Object.keys(json), ["data"], what);
    assert.ok(typeof data === "object" && data !== null, what);
    return true;
  }
  assert.ok(errors.length > 0 && errors.every(({ message }) => message.length > 0), what);
  if (isValid)
    for (const { message } of errors) assert.doesNotMatch(message, /Syntax|Cannot/u, what);
  return false;
}
