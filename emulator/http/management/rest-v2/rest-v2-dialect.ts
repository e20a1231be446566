/** The dialect of the second version of REST, by which newer clients of the live service manage what is there (live). */
import { isReservedId } from "../../../core/resources/reserved-ids.ts";
import type { Dialect } from "../../operation/dialect.ts";
import { PROBLEM } from "./problem.ts";
import { LIVE_DIALECT } from "../../operation/dialects/live-dialect.ts";

/** Beside the live dialect, whose base path it shares; its operations bring their shapes along. */
export const REST_V2_DIALECT: Dialect = {
  ...LIVE_DIALECT,
  refusals: { jobs: PROBLEM, others: PROBLEM },
  document: {
    version: "2.0.0",
    description: "The second version of the management interface, below `/v2`.",
  },
  schemas: {},
};

/** Whether the path, behind the base path, is of the second version: jobs are below `/v2` as well. */
export function isOfRestV2(path: string): boolean {
  const [version, resource = ""] = path.split("/").filter(Boolean);
  return version === "v2" && isReservedId(resource);
}
