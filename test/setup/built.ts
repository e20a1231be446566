/** Builds dist/ from the present source before tests start the programs in it. */
import { buildIfStale } from "../../scripts/build.ts";

export async function setup(): Promise<void> {
  const { typeErrors } = await buildIfStale();
  if (typeErrors !== "") console.warn(`dist/ was built despite type errors:\n${typeErrors}`);
}
