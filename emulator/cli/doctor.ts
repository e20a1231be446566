/** The command `doctor`: its flags, its help, and its output. */
import path from "node:path";
import { type Command, Argument } from "commander";
import { type Check, USES } from "../doctor/check.ts";
import type { Examination } from "../doctor/doctor.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import {
  DEFAULT_DATA_DIR,
  DEFAULT_HOST,
  DEFAULT_PORT,
  type Environment,
} from "./serve/setting-values.ts";
import { portIn } from "./serve/network-settings.ts";
import { byDefault, flagsOver } from "./serve/setting-source.ts";
import { painter, type Style } from "./terminal-text.ts";

/** The flags as written; one that was not given is absent. */
export interface DoctorFlags {
  readonly port?: string;
  readonly dataDir?: string;
  readonly baseImage?: string;
  readonly json?: true;
}

export interface DoctorPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly colors: boolean;
  readonly out: (text: string) => void;
}

/** @param taken called when the command was given */
export function addDoctorCommand(
  program: Command,
  taken: (uses: readonly string[], flags: DoctorFlags) => void,
): void {
  const command: Command = program
    .command("doctor")
    .summary("check what this machine lacks, and say how to mend it")
    .description(
      "Checks Node, the port, disks, the container engine and the way to NVIDIA GPUs. Changes nothing. Exits with 1 if something is missing that the given uses need.",
    )
    .addArgument(
      new Argument("[uses...]", `what the machine is to do (default: ${USES[0]})`).choices(USES),
    )
    .option("--port <port>", `the port of the service (default: SV_PORT, or ${DEFAULT_PORT})`)
    .option("--data-dir <directory>", `the data directory (default: ${DEFAULT_DATA_DIR})`)
    .option("--base-image <image>", "base image of builds (default: the one with CUDA)")
    .option("--json", "the checks as one JSON value")
    .action(() => taken(command.args, command.opts<DoctorFlags>()));
}

export async function doctor(
  { uses, flags }: { readonly uses: readonly string[]; readonly flags: DoctorFlags },
  { cwd, env, colors, out }: DoctorPlace,
): Promise<ExitCode> {
  const { port, dataDir = DEFAULT_DATA_DIR, baseImage, json } = flags;
  const [{ examine }, { defaultBaseImage }] = await Promise.all([
    import("../doctor/doctor.ts"),
    import("../image/base-image.ts"),
  ]);
  const given = USES.filter((use) => uses.includes(use));
  const examination = await examine({
    uses: given.length === 0 ? [USES[0]] : given,
    host: DEFAULT_HOST,
    port: (flagsOver(env).said("port", port, portIn) ?? byDefault(DEFAULT_PORT)).value,
    dataDirectory: path.resolve(cwd, dataDir),
    dockerHost: env["DOCKER_HOST"],
    baseImage: baseImage ?? (await defaultBaseImage()),
  });
  out(json ? `${JSON.stringify(examination)}\n` : textOf(examination, colors));
  return examination.isWell ? EXIT.stopped : EXIT.unexpected;
}

const STYLES: Readonly<Record<Check["state"], Style>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
};

/** A line for each check, and one below it that says how to mend it. */
function textOf({ checks }: Examination, colors: boolean): string {
  const paint = painter(colors);
  const width = Math.max(...checks.map(({ name }) => name.length));
  const margin = " ".repeat("warn".length + width + 4);
  const lines = checks.flatMap(({ state, name, found, cure }) => [
    `${paint(STYLES[state], state.padEnd(4))}  ${name.padEnd(width)}  ${found}`,
    ...(cure === undefined ? [] : [`${margin}→ ${cure}`]),
  ]);
  return `${lines.join("\n")}\n`;
}
