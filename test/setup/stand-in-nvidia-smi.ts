/** A stand-in for nvidia-smi that replays saved answers, or misbehaves. */
import { chmod } from "node:fs/promises";
import path from "node:path";
import { temporaryTree } from "../temporary-tree.ts";

const saved = path.resolve(import.meta.dirname, "../fixtures/nvidia-smi");

export interface StandIn extends AsyncDisposable {
  /** The path of the program. */
  readonly program: string;
  /** Its directory, for `PATH`. */
  readonly folder: string;
}

/**
 * @param machine a folder of test/fixtures/nvidia-smi: `query.txt` is its output for known fields, `list.txt` for
 * `-L`, `plain.txt` without arguments; `exit-code`, and `unknown-fields` that it refuses
 */
export async function standInNvidiaSmi(machine: string): Promise<StandIn> {
  return scriptInNvidiaSmi(`cd '${path.join(saved, machine)}' || exit 99
case "$1" in
  -L) answer=list ;;
  --query-gpu=*) answer=query ;;
  *) answer=plain ;;
esac
if [ -e unknown-fields ]; then
  while read -r field; do
    case ",\${1#--query-gpu=}," in *,"$field",*) echo "Field \\"$field\\" is not a valid field to query."; echo; exit 2 ;; esac
  done <unknown-fields
fi
[ ! -e "$answer.txt" ] || cat "$answer.txt"
[ ! -e exit-code ] || exit "$(cat exit-code)"`);
}

/** A stand-in that runs the shell script `script`. */
export async function scriptInNvidiaSmi(script: string): Promise<StandIn> {
  const tree = await temporaryTree({ "nvidia-smi": `#!/bin/sh\n${script}\n` });
  const program = tree.path("nvidia-smi");
  await chmod(program, 0o755);
  return {
    program,
    folder: tree.root,
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}
