#!/usr/bin/env node
// The program `sv-emulate`. It checks the platform before anything else is loaded.
import { needPlatform } from "../../runtime/load/need-platform.ts";

needPlatform("sv-emulate");
// Compiled code is kept, which makes the next start quicker. An `import` of the module would cost some ms.
process.getBuiltinModule("node:module").enableCompileCache();
const { main } = await import("./main.ts");
process.exit(await main(process.argv.slice(2)));
