/** Writes the JSON schema of configs. Editors complete and check `sv.config.json` with it. */
import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { configSchema } from "../emulator/cli/config/config-schema.ts";

export function configJsonSchema(): object {
  const title = "Config of sv-emulate";
  return { ...z.toJSONSchema(configSchema, { io: "input", target: "draft-7" }), title };
}

export function writeConfigSchema(folder: string): void {
  const text = `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`;
  fs.writeFileSync(path.join(folder, "sv.config.schema.json"), text);
}
