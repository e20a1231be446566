#!/usr/bin/env node
// The program `sv-emulate`. It checks the platform before anything else is loaded.
import { needPlatform } from "../../runtime/load/need-platform.ts";

needPlatform("sv-emulate");
// Compiled code is kept, which makes the next start quicker. An `import` of the module would cost some ms.
process.getBuiltinModule("node:module").enableCompileCache();
const { main } = await import("./main.ts");
// The process ends below alone. An emulator keeps it running, but not in a test of `node --test`.
setInterval(() => undefined, 2 ** 30);
process.exit(await main(process.argv.slice(2)));
