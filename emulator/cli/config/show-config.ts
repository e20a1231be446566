/** Runs `sv-emulate config`: prints what a start would serve, and what decided each setting. */
import type { ConfigInvocation } from "./config-flags.ts";
import { configReport, reportText } from "./config-report.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { settleSourced } from "../serve/settings.ts";
import { gatherInputs } from "../serve/start-inputs.ts";

/** @throws UsageError as a start would */
export async function showConfig(
  invocation: Pick<ConfigInvocation, "targets" | "flags">,
  cwd: string,
  environment: Record<string, string | undefined>,
  print: (text: string) => void,
): Promise<ExitCode> {
  const inputs = await gatherInputs(invocation, cwd, environment);
  const settings = settleSourced(invocation.flags, inputs.environment, inputs.configs, cwd);
  const report = configReport(inputs, settings, cwd);
  const { json } = invocation.flags;
  print(`${json === true ? JSON.stringify(report, undefined, 2) : reportText(report)}\n`);
  return EXIT.stopped;
}
