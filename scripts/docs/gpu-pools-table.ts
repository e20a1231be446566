/** The table of GPU pools and their types, from `emulator/core/catalog/gpu-types.ts`. */
import { GPU_POOLS, GPU_TYPES } from "../../emulator/core/catalog/gpu-types.ts";
import { markdownTable } from "./table.ts";

export function gpuPoolsTable(): string {
  const rows = GPU_POOLS.map((name) => {
    const types = GPU_TYPES.filter(({ pool }) => pool === name).map(({ id }) => `\`${id}\``);
    return [`\`${name}\``, types.join(", ")];
  });
  return markdownTable(["Pool", "GPU types"], rows);
}
