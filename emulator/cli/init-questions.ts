/** Asks a person in a terminal what the flags of `sv-emulate init` have not said. */
import { cancel, confirm, intro, isCancel, select, text } from "@clack/prompts";
import { STARTER_NAMES, type StarterName, STARTERS } from "../starter/starters.ts";

/** What is known of the project; undefined is asked for. */
export interface Wishes {
  readonly name: string | undefined;
  readonly starter: StarterName | undefined;
  readonly git: boolean | undefined;
  readonly install: boolean | undefined;
}

export type Settled = { readonly [K in keyof Wishes]-?: NonNullable<Wishes[K]> };

/** Thrown when the person has had enough. */
export class GivenUpError extends Error {
  override readonly name = "GivenUpError";
}

/**
 * @param problemOf what is wrong with a name for a project of a starter
 * @throws GivenUpError when a question is left with Ctrl-C or Escape, or the signal aborts
 */
export async function ask(
  wishes: Wishes,
  problemOf: (name: string, starter: StarterName) => string | undefined,
  signal: AbortSignal,
): Promise<Settled> {
  intro("A project of your own");
  const starter =
    wishes.starter ??
    answered(
      await select({
        message: "Which starter?",
        options: STARTER_NAMES.map((value) => ({ value, hint: STARTERS[value] })),
        signal,
      }),
    );
  const name =
    wishes.name ??
    answered(
      await text({
        message: "What is it called?",
        placeholder: "my-endpoint",
        defaultValue: "my-endpoint",
        validate: (written) => problemOf(written || "my-endpoint", starter),
        signal,
      }),
    );
  const git =
    wishes.git ??
    answered(await confirm({ message: "Make it a Git repository?", initialValue: true, signal }));
  const install =
    wishes.install ??
    answered(await confirm({ message: "Install its packages now?", initialValue: true, signal }));
  return { name, starter, git, install };
}

function answered<T>(answer: T | symbol): T {
  if (!isCancel(answer)) return answer as T;
  cancel("Nothing was written.");
  throw new GivenUpError("nothing was written");
}
