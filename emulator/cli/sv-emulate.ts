#!/usr/bin/env node
// The program `sv-emulate`: what has to happen before anything else is loaded.
import module from "node:module";
import v8 from "node:v8";

const NODE_MIN = 24;

if (Number.parseInt(process.versions.node) < NODE_MIN) {
  process.stderr.write(
    `error: sv-emulate needs Node ${NODE_MIN} or newer; this is ${process.version}\n`,
  );
  process.exit(1);
}
// Else V8 collects all garbage each time some 30 MB of buffers were made, which a stream does many times a second.
v8.setFlagsFromString("--external-memory-accounted-in-global-limit");
// Compiled code is kept between starts, which makes the next one quicker.
module.enableCompileCache();
const { main } = await import("./main.ts");
process.exit(await main(process.argv.slice(2)));
