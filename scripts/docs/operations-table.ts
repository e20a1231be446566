/** The tables of operations: where they are called from `emulator/http/operations.ts`, what they do from their files' first lines. */
import { readFileSync } from "node:fs";
import { OPERATIONS } from "../../emulator/http/operations.ts";
import { readCommented } from "./comments.ts";
import { markdownTable } from "./table.ts";

const folder = "emulator/http";

/** @param prefix of the path: `/v1/` or `/v2/` */
export async function operationsTable(prefix: string): Promise<string> {
  const files = await findFiles();
  const rows = OPERATIONS.filter(({ path }) => path.startsWith(prefix)).map((operation) => {
    const file = files.get(operation);
    if (file === undefined) throw new Error(`no file exports the operation at ${operation.path}`);
    const says = readCommented(file).opening.replace(/^`[^`]*`: /, "");
    const calls = operation.methods.map((method) => `\`${method}\``).join(", ");
    return [calls, `\`${written(operation.path)}\``, capitalised(says)];
  });
  return markdownTable(["Method", "Path", "What it does"], rows);
}

/** The file of each operation, by the imports of the list. */
async function findFiles(): Promise<ReadonlyMap<unknown, string>> {
  const list = new URL(`../../${folder}/operations.ts`, import.meta.url);
  const imports = readFileSync(list, "utf8").matchAll(/^import \{ (\w+) \} from "\.\/(.+)";$/gm);
  const files = new Map<unknown, string>();
  for (const [, name = "", file = ""] of imports) {
    const { href } = new URL(file, list);
    const namespace = (await import(/* @vite-ignore */ href)) as Readonly<Record<string, unknown>>;
    files.set(namespace[name], `${folder}/${file}`);
  }
  return files;
}

/** As a reader writes it: `:endpointId` is `{endpointId}`. */
function written(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
