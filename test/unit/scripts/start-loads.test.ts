/**
 * Modules that every start of `sv-emulate` loads, by the imports of its sources: rarely used modules are imported
 * later.
 */
import { isBuiltin } from "node:module";
import path from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { BUNDLED } from "../../../scripts/bundle-emulator.ts";

const PROGRAM = "emulator/cli/main.ts";
const SERVICE = "emulator/index.ts";

const { metafile } = await build({
  entryPoints: [PROGRAM],
  absWorkingDir: path.resolve(import.meta.dirname, "../../.."),
  bundle: true,
  splitting: true,
  outdir: "unwritten",
  write: false,
  metafile: true,
  packages: "external",
  platform: "node",
  format: "esm",
});

/** The modules and packages reached by all imports except `import()`. */
function loadedBy(...modules: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(modules);
  for (const module of loaded) {
    const { imports = [] } = metafile.inputs[module] ?? {};
    for (const { path: imported, kind } of imports) {
      if (kind !== "dynamic-import" && !isBuiltin(imported)) loaded.add(imported);
    }
  }
  return loaded;
}

function isPackage(name: string): boolean {
  return metafile.inputs[name] === undefined;
}

it("a start loads only these packages, and the bundle has them all", () => {
  const packages = [...loadedBy(PROGRAM, SERVICE)].filter(isPackage);
  expect(packages.toSorted()).toEqual([
    "@bufbuild/protobuf/wire",
    "commander",
    "find-my-way",
    "ipaddr.js",
    "uuidv7",
    "zod",
  ]);
  const names = packages.map((name) => name.split("/").slice(0, name[0] === "@" ? 2 : 1));
  expect(names.map((parts) => parts.join("/")).filter((name) => !BUNDLED.has(name))).toEqual([]);
});

it.each([
  ["the schema of configs", "emulator/cli/config/config-schema.ts"],
  ["other commands", "emulator/cli/build/build.ts"],
  ["the description of the interface", "emulator/http/operation/openapi/document.ts"],
  ["operations of the object store", "emulator/objects/operations/operations.ts"],
  ["the sender of webhooks", "emulator/webhooks/http-sender.ts"],
  ["traces", "emulator/trace/otlp-tracer.ts"],
  ["handlers that are functions", "emulator/handlers/handler-functions.ts"],
  ["the client of the test kit", "runtime/client/client.ts"],
  ["workers that speak gRPC", "emulator/grpc/grpc-workers.ts"],
])("a start does not load %s", (_, module) => {
  expect(metafile.inputs).toHaveProperty([module]);
  expect(loadedBy(PROGRAM, SERVICE)).not.toContain(module);
});

it("the command line starts the store's thread before it has loaded the service", () => {
  const loaded = loadedBy(PROGRAM);
  expect(loaded).toContain("emulator/store/sqlite/thread/start-thread.ts");
  expect(loaded).not.toContain(SERVICE);
});
