/** Each operation declares the replica that answers it. */
import { expect, it } from "vitest";
import { askGraphql } from "../../../../emulator/http/management/graphql-handler.ts";
import { OPERATIONS } from "../../../../emulator/http/operations.ts";
import { REST_V2_OPERATIONS } from "../../../../emulator/http/management/rest-v2-operations.ts";
import { LIVE_WORKER_OPERATIONS } from "../../../../emulator/http/live-workers/operations.ts";

const all = Object.entries({
  ...OPERATIONS,
  ...REST_V2_OPERATIONS,
  ...LIVE_WORKER_OPERATIONS,
  askGraphql,
});

it.each(all)("%s declares its owner, by the endpoint in its path or otherwise", (_, operation) => {
  const namesEndpoint = operation.path.includes("/:endpointId");
  expect(operation.owner !== undefined).toBe(!namesEndpoint);
});

it("the operations that submit jobs are run, runsync and the OpenAI paths", () => {
  const submitting = all.filter(([, { submits }]) => submits !== undefined).map(([name]) => name);
  expect(submitting).toEqual(["run", "runsync", "askOpenai", "readOpenai"]);
});
