/** The main function of `sv-worker`: reads arguments and environment, then serves a service, runs one job or an HTTP server. */
import { variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { RUNTIME_VERSION } from "../version.ts";
import { readCommand, type Command } from "./command.ts";
import { toldVariables } from "./program.ts";
import { readSettings, type Settings } from "./settings.ts";
import { EXIT, HELP, UsageError } from "./usage.ts";

export async function runWorkerProgram(): Promise<void> {
  try {
    const code = await runCommand(readCommand(process.argv.slice(2)));
    if (code !== undefined) process.exit(code);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nSee sv-worker --help.\n`);
    process.exit(EXIT.usage);
  }
}

/** Resolves with the exit code; with undefined if the user's own program decides when this process ends. */
async function runCommand(command: Command): Promise<number | undefined> {
  switch (command.kind) {
    case "help":
      process.stdout.write(HELP);
      return EXIT.done;
    case "version":
      process.stdout.write(`${RUNTIME_VERSION}\n`);
      return EXIT.done;
    case "run": {
      const { runOnce } = await import("./run-once.ts");
      return runOnce(handlerOf(command), command, settingsFor(command));
    }
    case "server": {
      const { startServer } = await import("./start-server.ts");
      await startServer(handlerOf(command), process.env);
      return undefined;
    }
    case "serve": {
      const { serve } = await import("./serve.ts");
      const told = toldVariables();
      const handler = told?.then((env) => ({ path: handlerOf(command), env }));
      return serve(handler ?? handlerOf(command), settingsFor(command));
    }
  }
}

/** A flag overrides the environment. */
function settingsFor({ inspect }: { readonly inspect?: string }): Settings {
  const settings = readSettings(process.env);
  return inspect === undefined ? settings : { ...settings, inspect };
}

function handlerOf({ handler }: { readonly handler?: string }): string {
  const found = handler ?? variable(process.env, WORKER_ENV.handler);
  if (found !== undefined) return found;
  throw new UsageError(`There is no handler: give one, or set ${WORKER_ENV.handler}.`);
}
