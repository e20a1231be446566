/** Notices the end of the package manager that started this program: a killed one leaves its programs running. */
import { system } from "../system/system.ts";

/** Variables that package managers, and `node --run`, give to the programs they run. Nested ones differ in some of them. */
const MARKS = [
  "npm_execpath",
  "npm_command",
  "npm_lifecycle_event",
  "npm_lifecycle_script",
  "npm_package_json",
  "npm_config_user_agent",
  "PNPM_PACKAGE_NAME",
  "NODE_RUN_SCRIPT_NAME",
  "NODE_RUN_PACKAGE_JSON_PATH",
];

/** Interval at which the process of the package manager is looked for. */
const LOOK_MS = 500;

/**
 * Calls `ended` once with the process id of the package manager that started this program, when it has ended. A shell between
 * the two may end or outlive it: only the package manager counts. Does nothing for a program that was started without one, or
 * that its script left running on purpose: such a program is an orphan before it has started.
 */
export function whenPackageManagerEnds(ended: (pid: number) => void): void {
  const marks = MARKS.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  if (marks.length === 0) return;
  const pid = system().unmarkedAncestor(marks);
  const start = pid === undefined ? undefined : system().startOf(pid);
  if (pid === undefined || start === undefined) return;
  const timer = setInterval(() => {
    if (system().mayRun(pid, start)) return;
    clearInterval(timer);
    ended(pid);
  }, LOOK_MS).unref();
}
