/** The dialect of the second version of REST, for newer clients of the live service (live). */
import { isReservedId } from "../../../core/resources/endpoints/reserved-ids.ts";
import type { Dialect } from "../../operation/dialect.ts";
import { PROBLEM } from "./problem.ts";
import { LIVE_DIALECT } from "../../operation/dialects/live-dialect.ts";

/** Shares the base path of the live dialect; its operations have shapes of their own. */
export const REST_V2_DIALECT: Dialect = {
  ...LIVE_DIALECT,
  refusals: { jobs: PROBLEM, others: PROBLEM },
  document: {
    version: "2.0.0",
    description: "The second version of the management interface, below `/v2`.",
  },
  schemas: {},
};

/** Whether the path, after the base path, belongs to the second version: jobs are below `/v2` as well. */
export function isOfRestV2(path: string): boolean {
  const [version, resource = ""] = path.split("/").filter(Boolean);
  return version === "v2" && isReservedId(resource);
}
