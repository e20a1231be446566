/** The SSH keys of the account: replaced as a whole, and kept. */
import { expect, it } from "vitest";
import { SSH_KEY, sshKeysIn, sshKeysText } from "../../../../emulator/core/access/account.ts";
import { replaceSshKeys, sshKeys } from "../../../../emulator/engine/access/account.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../engine-harness.ts";

const KEYS = ["ssh-ed25519 AAAAC3Nz ada@example", "ecdsa-sha2-nistp256 AAAAE2Vj"];

it("the account has the latest given keys, as one record", async () => {
  const store = createMemoryStore();
  await using test = await createTestEngine(store);
  expect(sshKeys(test.engine)).toEqual([]);
  await replaceSshKeys(test.engine, ["ssh-rsa AAAAB3Nz"]);
  expect(await replaceSshKeys(test.engine, KEYS)).toEqual(KEYS);
  expect(sshKeys(test.engine)).toEqual(KEYS);
  const { records } = await store.boot();
  expect([...records.account.values()]).toEqual([{ sshKeys: KEYS }]);
});

it.each([...KEYS, "sk-ssh-ed25519@openssh.com AAAAGnNr", "ssh-rsa AAAA a comment of  words"])(
  "%j is an SSH key",
  (key) => {
    expect(key).toMatch(SSH_KEY);
  },
);

it.each(["", "ssh-rsa", "AAAAB3Nz ada", "ssh-rsa AAAA\nssh-rsa BBBB", " ssh-rsa AAAA"])(
  "%j is no SSH key",
  (key) => {
    expect(key).not.toMatch(SSH_KEY);
  },
);

it("a text of older clients has one key per line, and empty lines do not count", () => {
  expect(sshKeysIn(`${KEYS.join("\n")}\n`)).toEqual(KEYS);
  expect(sshKeysIn(sshKeysText(KEYS))).toEqual(KEYS);
  expect(sshKeysIn(" \r\n\n")).toEqual([]);
});
