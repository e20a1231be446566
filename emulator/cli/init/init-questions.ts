/** Asks a person at a terminal for the choices that the flags of `sv-emulate init` leave open. */
import {
  cancel,
  CANCEL_SYMBOL,
  type CommonOptions,
  confirm,
  intro,
  select,
  text,
} from "@clack/prompts";
import { STARTER_NAMES, type StarterName, STARTERS } from "../../starter/starters.ts";

const EXAMPLE_NAME = "my-endpoint";

/** The choices of a project. An undefined one is asked for. */
export interface Choices {
  readonly name: string | undefined;
  readonly starter: StarterName | undefined;
  readonly git: boolean | undefined;
  readonly install: boolean | undefined;
}

export type Settled = { readonly [K in keyof Choices]-?: NonNullable<Choices[K]> };

/** Returns the problem of a name, if it has one. */
export type ProblemOf = (name: string) => string | undefined;

/** A question was left with Ctrl-C or Escape, or the signal aborted. */
export class GivenUpError extends Error {
  override readonly name = "GivenUpError";
}

/** @throws GivenUpError */
export async function ask(
  choices: Choices,
  problemOf: ProblemOf,
  terminal: CommonOptions = {},
): Promise<Settled> {
  intro("A project of your own", terminal);
  const choose = async () =>
    select({
      ...terminal,
      message: "Which starter?",
      options: STARTER_NAMES.map((value) => ({ value, hint: STARTERS[value] })),
    });
  const write = async () =>
    text({
      ...terminal,
      message: "What is it called?",
      placeholder: EXAMPLE_NAME,
      defaultValue: EXAMPLE_NAME,
      validate: (written) => problemOf(written || EXAMPLE_NAME),
    });
  const agree = async (message: string) => confirm({ ...terminal, message });
  const answered = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (answer !== CANCEL_SYMBOL) return answer;
    cancel("Nothing was written.", terminal);
    throw new GivenUpError("the questions were not answered");
  };
  return {
    starter: choices.starter ?? answered(await choose()),
    name: choices.name ?? answered(await write()),
    git: choices.git ?? answered(await agree("Make it a Git repository?")),
    install: choices.install ?? answered(await agree("Install its packages now?")),
  };
}
