/** `npm run docs`: writes the generated sections of the documentation and the summaries of the operations. */
import { readFileSync, writeFileSync } from "node:fs";
import { summariesSource } from "./operations-table.ts";
import { answerTypesSource } from "./answer-types.ts";
import { settingsSource } from "./settings-source.ts";
import { PAGES, regenerated } from "./pages.ts";

for (const page of PAGES) await rewrite(page.file, (before) => regenerated(page, before));
await rewrite("emulator/http/operation/openapi/summaries.ts", summariesSource);
await rewrite("runtime/protocol/generated/answers.ts", answerTypesSource);
await rewrite("emulator/dashboard/service/generated/settings.ts", settingsSource);

async function rewrite(
  path: string,
  make: (before: string) => string | Promise<string>,
): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url);
  const before = readFileSync(file, "utf8");
  const after = await make(before);
  if (after === before) return;
  writeFileSync(file, after);
  console.log(`wrote ${path}`);
}
