/**
 * Asks V8 which functions of the source the main thread runs (precise coverage), and in which order they are first called
 * (breakpoints). It is a separate thread, because a thread at a breakpoint cannot ask V8.
 */
import type { Debugger, Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";

/** A function of the source, identified by the place of its beginning. */
export interface SourceFunction {
  /** Path below the root of the tree. */
  readonly file: string;
  /** Empty for a function without a name. */
  readonly name: string;
  readonly location: Debugger.Location;
}

/** Orders of the main thread, one at a time. Each is answered with a list of functions, which may be empty. */
export type Order =
  /** Answers with the functions that were called since the last "count". */
  | "count"
  /** Notes the first call of each of these functions from now on. */
  | { readonly noteCallsOf: readonly SourceFunction[] }
  /** Answers with the noted functions, in the order of their first calls. */
  | "noted";

const SOURCE = /^(?:emulator|runtime)\//u;
const root = path.resolve(import.meta.dirname, "../..");
const functionOf = new Map<string, SourceFunction>();
const noted: SourceFunction[] = [];

const session = new Session();
session.connectToMainThread();
session.on("Debugger.paused", ({ params }) => {
  for (const breakpointId of params.hitBreakpoints ?? []) {
    const called = functionOf.get(breakpointId);
    if (called !== undefined) noted.push(called);
    void session.post("Debugger.removeBreakpoint", { breakpointId });
  }
  void session.post("Debugger.resume");
});

async function noteCallsOf(functions: readonly SourceFunction[]): Promise<void> {
  await session.post("Debugger.setBreakpointsActive", { active: false });
  for (const each of functions) {
    try {
      const { breakpointId } = await session.post("Debugger.setBreakpoint", {
        location: each.location,
      });
      functionOf.set(breakpointId, each);
    } catch {
      // V8 stops once for functions that begin with the same statement. The outer one stands for both.
    }
  }
  await session.post("Debugger.setBreakpointsActive", { active: true });
}

async function countCalls(): Promise<SourceFunction[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.flatMap(calledFunctions);
}

function calledFunctions({ url, scriptId, functions }: Profiler.ScriptCoverage): SourceFunction[] {
  if (!url.startsWith("file:")) return [];
  const file = path.relative(root, fileURLToPath(url));
  if (!SOURCE.test(file)) return [];
  const text = fs.readFileSync(fileURLToPath(url), "utf8");
  return functions.flatMap(({ functionName: name, ranges: [whole] }) => {
    if (whole === undefined || whole.count === 0) return [];
    const linesBefore = text.slice(0, whole.startOffset).split("\n");
    const lineNumber = linesBefore.length - 1;
    const columnNumber = linesBefore.at(-1)?.length ?? 0;
    return [{ file, name, location: { scriptId, lineNumber, columnNumber } }];
  });
}

async function answer(order: Order): Promise<readonly SourceFunction[]> {
  if (order === "count") return countCalls();
  if (order === "noted") return noted;
  await noteCallsOf(order.noteCallsOf);
  return [];
}

const ready = (async () => {
  await session.post("Debugger.enable");
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
})();

// The listener keeps this thread alive, which the session does not.
parentPort?.on("message", (order: Order) => {
  void ready.then(() => answer(order)).then((functions) => parentPort?.postMessage(functions, []));
});
