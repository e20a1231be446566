/** The exit code for each error of a start. */
import { expect, test } from "vitest";
import { EXIT, exitCodeOf } from "../../../emulator/cli/exit-code.ts";
import { UsageError } from "../../../emulator/cli/usage-error.ts";
import { ImageError } from "../../../emulator/image/image-error.ts";
import { ListenError, PortInUseError } from "../../../emulator/net/listen.ts";
import {
  StoreFullError,
  StoreInUseError,
  StoreUnusableError,
} from "../../../emulator/core/store-error.ts";

test.each([
  [new UsageError("u"), EXIT.usage],
  [new PortInUseError({ host: "h", port: 1 }), EXIT.port],
  [new ListenError("bad-host", "b"), EXIT.port],
  [new StoreInUseError("s"), EXIT.dataDir],
  [new StoreUnusableError("s"), EXIT.dataDir],
  [new StoreFullError("s"), EXIT.dataDir],
  [new ImageError("i"), EXIT.image],
  [new TypeError("t"), EXIT.unexpected],
  ["no error at all", EXIT.unexpected],
])("%o leads to %i", (error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});
