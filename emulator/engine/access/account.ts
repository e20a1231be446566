/** Reads and replaces the SSH keys of the account. */
import { ACCOUNT_ID } from "../../core/access/account.ts";
import type { StepPort } from "../steps/step-port.ts";

export function sshKeys({ steps }: StepPort): readonly string[] {
  return steps.records.find("account", ACCOUNT_ID)?.sshKeys ?? [];
}

/** Replaces all keys; running pods keep theirs. @throws ServiceError storage_full */
export async function replaceSshKeys(
  { steps }: StepPort,
  keys: readonly string[],
): Promise<readonly string[]> {
  await steps.commit((step) => step.putRecord("account", ACCOUNT_ID, { sshKeys: keys }));
  return keys;
}
