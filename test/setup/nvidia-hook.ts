/**
 * A program instead of the NVIDIA Container Toolkit's hook: with it in its `PATH` an engine starts containers with
 * GPUs.
 */
import fs from "node:fs";
import path from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface NvidiaHook extends Disposable {
  /** Its directory, for the engine's `PATH`. */
  readonly folder: string;
  /** The requested GPU ids of each container that was started with GPUs, in the order of their starts. */
  calls(): readonly string[];
}

/** Records the devices that the engine requests, gives none, and lets the container start. */
export function nvidiaHook(): NvidiaHook {
  const temporary = temporaryDirectory();
  const calls = path.join(temporary.path, "calls");
  // The container's state comes on standard input, and has the path of its description.
  const script = `#!/bin/sh
bundle=$(sed -n 's/.*"bundle":"\\([^"]*\\)".*/\\1/p')
echo "$(sed -n 's/.*"NVIDIA_VISIBLE_DEVICES=\\([^"]*\\)".*/\\1/p' "$bundle/config.json")" >>'${calls}'
`;
  fs.writeFileSync(path.join(temporary.path, "nvidia-container-runtime-hook"), script, {
    mode: 0o755,
  });
  return {
    folder: temporary.path,
    calls: () => (fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").trim().split("\n") : []),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
}
