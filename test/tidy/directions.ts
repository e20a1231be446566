/** Allowed imports between parts of the tree: the picture of ARCHITECTURE.md as a table. */
import { importsOf, targetOf } from "./imports.ts";
import type { Source } from "./source.ts";

interface Layer {
  /** A folder (ends in "/") or one file; the first row that fits a file is its layer. */
  readonly of: string;
  /** Beside its own folder. */
  readonly mayImport: readonly string[];
  /** Packages; absent means any. */
  readonly packages?: readonly string[];
}

const purePackages = ["ipaddr.js", "zod", "node:buffer", "node:crypto", "node:util"];
const protocol = "runtime/protocol/";
const runtimeCore = "runtime/core/";
const leftovers = "runtime/leftovers/";
const system = "runtime/system/";
const proxies = "runtime/proxies/";
const core = "emulator/core/";
const sqlite = "emulator/sqlite/";
const net = "emulator/net/";
const docker = "emulator/docker/";
const handlers = "emulator/handlers/";
const ports = [
  "emulator/store/store.ts",
  "emulator/store/batch.ts",
  "emulator/store/payload.ts",
  "emulator/store/records.ts",
  "emulator/store/end-of-turn.ts",
  "emulator/store/ownership.ts",
  "emulator/launch/launcher.ts",
  "emulator/launch/pod-launcher.ts",
  "emulator/balance/health-probe.ts",
  "emulator/secrets/secret-key.ts",
  "emulator/webhooks/webhook-sender.ts",
  "emulator/trace/tracer.ts",
];

const layers: readonly Layer[] = [
  { of: "runtime/protocol/wire/codec.ts", mayImport: [], packages: ["@bufbuild/protobuf/wire"] },
  { of: protocol, mayImport: [], packages: purePackages },
  { of: runtimeCore, mayImport: [protocol], packages: purePackages },
  { of: "runtime/worker.ts", mayImport: ["runtime/"] },
  {
    of: "runtime/handler-processes.ts",
    mayImport: ["runtime/isolate/", "runtime/log/", "runtime/pipe/", "runtime/storage/", protocol],
  },
  { of: "runtime/own-worker.ts", mayImport: ["runtime/"] },
  { of: "runtime/service-source.ts", mayImport: ["runtime/"] },
  { of: "runtime/index.ts", mayImport: ["runtime/"] },
  { of: "runtime/testing.ts", mayImport: ["runtime/"] },
  { of: "runtime/vitest.ts", mayImport: ["runtime/job-matchers.ts"] },
  { of: "runtime/job-matchers.ts", mayImport: ["runtime/client/", protocol] },
  // The types of clients follow from those of handlers.
  { of: "runtime/client/handler-types.ts", mayImport: ["runtime/handler/contract.ts", protocol] },
  { of: "runtime/bin/", mayImport: ["runtime/"] },
  // Both ends of the pipe between the supervisor and the handler process speak its frames.
  // An import that fails is explained, for example by the tsconfig.json that was read for the bundle.
  {
    of: "runtime/handler/",
    mayImport: [
      "runtime/pipe/",
      "runtime/storage/",
      "runtime/load/import-hint.ts",
      runtimeCore,
      protocol,
    ],
  },
  {
    of: "runtime/isolate/",
    mayImport: ["runtime/pipe/", leftovers, system, runtimeCore, protocol],
  },
  // The work of handler process and supervisor in one process.
  {
    of: "runtime/in-process/",
    mayImport: [
      "runtime/handler/",
      "runtime/isolate/",
      "runtime/pipe/",
      "runtime/storage/",
      runtimeCore,
      protocol,
    ],
  },
  // Runs the user's server with code that the handler process uses for handlers.
  {
    of: "runtime/server/",
    mayImport: ["runtime/handler/", "runtime/load/", runtimeCore, protocol],
  },
  { of: "runtime/load/", mayImport: [leftovers, system, runtimeCore, protocol] },
  { of: "runtime/storage/", mayImport: [proxies, runtimeCore, protocol] },
  { of: proxies, mayImport: [] },
  // Calls of the operating system, without knowledge of workers.
  { of: system, mayImport: [] },
  { of: "runtime/", mayImport: [runtimeCore, protocol, "runtime/pipe/", proxies, system] },
  { of: core, mayImport: [protocol], packages: purePackages },
  // Shared tools: each knows its own technique and nothing of jobs or workers.
  { of: sqlite, mayImport: [core, protocol] },
  { of: net, mayImport: [core, protocol] },
  { of: docker, mayImport: [core, protocol] },
  { of: "emulator/engine/", mayImport: [core, protocol, ...ports] },
  {
    of: "emulator/store/",
    mayImport: ["runtime/pipe/program-file.ts", "runtime/storage/", sqlite, core, protocol],
  },
  // A worker is ended like its handler process: with all its processes. A label marks the owner of a container, as
  // a name marks the owner of a temporary directory.
  {
    of: "emulator/launch/",
    mayImport: [
      "runtime/pipe/process-tree.ts",
      "runtime/pipe/watchdog.ts",
      "runtime/leftovers/owner.ts",
      system,
      docker,
      core,
      protocol,
    ],
  },
  { of: "emulator/trace/", mayImport: [core, protocol] },
  { of: "emulator/balance/", mayImport: ["emulator/launch/launcher.ts", net, core, protocol] },
  // Receivers of webhooks are limited to public addresses, like the sources of downloads.
  {
    of: "emulator/webhooks/",
    mayImport: [
      "runtime/storage/download/address-guard.ts",
      "runtime/storage/download/loopback-hint.ts",
      proxies,
      core,
      protocol,
    ],
  },
  // A separate part: an S3 server that knows nothing of endpoints, workers or jobs.
  {
    of: "emulator/objects/",
    mayImport: ["runtime/storage/spelled-otherwise.ts", sqlite, net],
  },
  { of: "emulator/secrets/", mayImport: [sqlite, core, protocol] },
  { of: handlers, mayImport: ["emulator/engine/", "emulator/launch/", "runtime/", core, protocol] },
  { of: "emulator/reload/", mayImport: [handlers, "runtime/load/", core, protocol] },
  {
    of: "emulator/volumes/",
    mayImport: [handlers, "emulator/engine/", "emulator/objects/", sqlite, core, protocol],
  },
  { of: "emulator/image/", mayImport: ["runtime/load/", docker, core, protocol] },
  { of: "emulator/starter/", mayImport: [core, protocol] },
  // Looks at the machine, the engine and the GPUs as the launchers do.
  { of: "emulator/doctor/", mayImport: ["emulator/launch/", docker, net, core, protocol] },
  // The engine for tests; they submit jobs like any client.
  {
    of: "emulator/test-kit/",
    mayImport: ["emulator/engine/", "runtime/client/", core, protocol],
  },
  // Runs in a browser: it uses the service's interface, and rules that are data. It classifies the frames of a
  // stack like the terminal.
  {
    of: "emulator/dashboard/",
    mayImport: ["runtime/core/failure-text.ts", core, protocol],
    packages: [
      "@codemirror/commands",
      "@codemirror/lang-json",
      "@codemirror/language",
      "@codemirror/state",
      "@codemirror/view",
      "@preact/signals",
      "preact",
      "preact/hooks",
    ],
  },
  // Requests to load balancing endpoints are forwarded to the workers' servers.
  {
    of: "emulator/http/",
    mayImport: [
      "emulator/engine/",
      "emulator/live/",
      "emulator/balance/connect.ts",
      "emulator/store/ownership.ts",
      "emulator/trace/tracer.ts",
      "runtime/version.ts",
      net,
      core,
      protocol,
    ],
  },
  // A yield that is too large is split like in the runtime.
  { of: "emulator/live/", mayImport: ["emulator/engine/", runtimeCore, core, protocol] },
  {
    of: "emulator/grpc/",
    mayImport: [
      ...["emulator/engine/", "emulator/store/ownership.ts", "runtime/pipe/frame-stream.ts"],
      ...[net, core, protocol],
    ],
  },
  // The command line uses the service's interface, like any program, and watches its process like `sv-worker`. It
  // starts the slowest parts of a start before it has loaded the service.
  {
    of: "emulator/cli/",
    mayImport: [
      "emulator/index.ts",
      "emulator/http/schemas/",
      "emulator/image/",
      "emulator/starter/",
      "emulator/doctor/",
      "emulator/launch/processes/supervisor.ts",
      "emulator/store/sqlite/thread/start-thread.ts",
      handlers,
      "runtime/bin/buffer-memory.ts",
      "runtime/bin/package-manager.ts",
      "runtime/load/",
      "runtime/version.ts",
      "runtime/proxies/proxy-choice.ts",
      runtimeCore,
      core,
      protocol,
    ],
  },
  // The composition root.
  { of: "emulator/emulator.ts", mayImport: ["emulator/", "runtime/"] },
  { of: "emulator/assembly/", mayImport: ["emulator/", "runtime/"] },
  { of: "emulator/index.ts", mayImport: ["emulator/"] },
  { of: "emulator/config.ts", mayImport: ["emulator/cli/"] },
  {
    of: "emulator/options.ts",
    mayImport: [
      handlers,
      "emulator/test-kit/",
      "emulator/engine/",
      "emulator/objects/",
      "emulator/reload/",
      "emulator/launch/kubernetes/pod-template.ts",
      core,
    ],
  },
];

/** Folders with files that readers copy, so they may name this project only by its package name. */
const standalone = /^(examples|templates)\/[^/]+\//;

export function directionOffences(source: Source): string[] {
  const layer = layers.find((row) => fits(source.path, row.of));
  const alone = standalone.exec(source.path)?.[0];
  const ours = /^(runtime|emulator)\//.test(source.path);
  if (ours && layer === undefined) return [`${source.path} has no row in test/tidy/directions.ts`];
  return importsOf(source).flatMap(({ specifier }) => {
    const target = targetOf(source.path, specifier);
    const sentence = `${source.path} imports "${specifier}", which its layer may not`;
    if (alone !== undefined) return target?.startsWith(alone) === false ? [sentence] : [];
    if (layer === undefined) return [];
    if (target === undefined) return packageAllowed(layer, specifier) ? [] : [sentence];
    const allowed = [ownFolder(source.path), ...layer.mayImport];
    return allowed.some((place) => fits(target, place)) ? [] : [sentence];
  });
}

function packageAllowed(layer: Layer, specifier: string): boolean {
  if (specifier === "sv-runtime" || specifier.startsWith("sv-runtime/")) return false;
  return layer.packages === undefined || layer.packages.includes(specifier);
}

function fits(file: string, place: string): boolean {
  return place.endsWith("/") ? file.startsWith(place) : file === place;
}

/** The second level of the tree: `emulator/store/` for any file below it; a file at the top has only itself. */
function ownFolder(file: string): string {
  const [top, area, ...rest] = file.split("/");
  return rest.length > 0 ? `${top}/${area}/` : file;
}
