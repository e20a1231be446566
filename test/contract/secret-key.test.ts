/** Runs the secret key's contract against every adapter. */
import { Buffer } from "node:buffer";
import path from "node:path";
import { fileSecretKey } from "../../emulator/secrets/file-secret-key.ts";
import { fixedSecretKey } from "../../emulator/secrets/secret-key.ts";
import { createSystemRandom } from "../../emulator/assembly/system-clock.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { secretKeyContract } from "./secret-key.contract.ts";

secretKeyContract("given", () => ({
  ...fixedSecretKey(Buffer.alloc(32, 7)),
  [Symbol.dispose]: () => undefined,
}));

secretKeyContract("in a file", () => {
  const temporary = temporaryDirectory();
  return {
    ...fileSecretKey(path.join(temporary.path, "secret.key"), createSystemRandom()),
    [Symbol.dispose]: () => temporary[Symbol.dispose](),
  };
});
