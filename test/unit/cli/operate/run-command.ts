/** Runs a command for a running emulator against a service in this process. */
import type { CommandFlags, CommandName } from "../../../../emulator/cli/operate/commands.ts";
import { runCommand } from "../../../../emulator/cli/operate/run-command.ts";
import type { Terminal } from "../../../../emulator/cli/operate/terminal.ts";
import { KEY, type TestHttp } from "../../http/http-harness.ts";

interface Asked {
  readonly flags?: CommandFlags;
  readonly key?: string;
  /** Answers of a person; default: no person. */
  readonly answer?: boolean;
  readonly signal?: AbortSignal;
  readonly out?: (text: string) => void;
  readonly tell?: (text: string) => void;
  /** The second argument. */
  readonly input?: string;
  /** Standard input. */
  readonly stdin?: string;
}

/** Output of the command. */
export async function run(
  { url }: Pick<TestHttp, "url">,
  name: CommandName,
  subject?: string,
  asked: Asked = {},
): Promise<string> {
  const { flags = {}, key = KEY, answer, signal = new AbortController().signal, input } = asked;
  let written = "";
  const terminal: Terminal = {
    out: (text) => {
      written += text;
      asked.out?.(text);
    },
    tell: (text) => asked.tell?.(text),
    read: async () => asked.stdin ?? "",
    colors: false,
    confirm: answer === undefined ? undefined : async () => answer,
    signal,
  };
  await runCommand({ name, subject, input, flags }, { SV_URL: url, SV_API_KEY: key }, terminal);
  return written;
}

export const json = { json: true } as const;

export async function submit(
  service: TestHttp,
  endpointId = "echo",
  body: object = {},
): Promise<string> {
  const whole = { input: { n: 1 }, ...body };
  const answer = await service.call("POST", `/v2/${endpointId}/run`, { body: whole });
  return (answer.json as { id: string }).id;
}
