#!/usr/bin/env node
// The program `sv-emulate`: what has to happen before anything else is loaded.
import module from "node:module";

const NODE_MIN = 24;

if (Number.parseInt(process.versions.node) < NODE_MIN) {
  process.stderr.write(
    `error: sv-emulate needs Node ${NODE_MIN} or newer; this is ${process.version}\n`,
  );
  process.exit(1);
}
// Compiled code is kept between starts, which makes the next one quicker.
module.enableCompileCache();
const { main } = await import("./main.ts");
process.exit(await main(process.argv.slice(2)));
