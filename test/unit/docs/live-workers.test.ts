/** The page about workers of the live service has every operation that they call, with its path. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { LIVE_WORKER_OPERATIONS } from "../../../emulator/http/live-workers/operations.ts";

const PAGE = new URL("../../../docs/live-workers.md", import.meta.url);

it.each(Object.values(LIVE_WORKER_OPERATIONS))("$path", async ({ methods, path }) => {
  const written = path
    .replace("/v2/:endpointId", "…")
    .replace(":workerId", "{worker}")
    .replace(":jobId", "{job}");
  expect(await readFile(PAGE, "utf8")).toContain(`\`${methods[0]} ${written}`);
});
