/** The exit codes of `sv-emulate`, and the code of each error. */

export const EXIT = {
  stopped: 0,
  unexpected: 1,
  usage: 2,
  port: 3,
  dataDir: 4,
  image: 5,
  unreachable: 6,
  refused: 7,
  jobNotCompleted: 8,
  stoppedAtOnce: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each code, for `--help` and the reference. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.stopped]:
    "done, or stopped after SIGINT or SIGTERM; running jobs have finished, or went back to the queue after 30 s",
  [EXIT.unexpected]: "an unexpected failure; doctor: something that is needed is missing",
  [EXIT.usage]: "wrong usage: an unknown flag, a missing target, a bad config",
  [EXIT.port]: "the address or port cannot be opened",
  [EXIT.dataDir]:
    "the data directory or store cannot be used: in use, not writable, not reachable, of another version or damaged",
  [EXIT.image]: "build: no Docker engine answers, or the image cannot be built or pushed",
  [EXIT.unreachable]: "commands for a running emulator: no emulator answers at the address",
  [EXIT.refused]:
    "commands for a running emulator: refused (wrong key, unknown id or wrong state), or not ready",
  [EXIT.jobNotCompleted]: "run: the job failed, timed out or was cancelled",
  [EXIT.stoppedAtOnce]: "stopped at once by a second signal; running jobs were not waited for",
};

/** Codes by the name of the error, so that the classes need not be loaded. */
const CODE_OF_ERROR: ReadonlyMap<string, ExitCode> = new Map([
  ["UsageError", EXIT.usage],
  ["CertificateError", EXIT.usage],
  ["ProjectPlaceError", EXIT.usage],
  ["VolumeUnusableError", EXIT.usage],
  ["NameTakenError", EXIT.usage],
  ["HandlerFileError", EXIT.usage],
  ["ImageError", EXIT.image],
  ["UnreachableError", EXIT.unreachable],
  ["RefusedError", EXIT.refused],
  ["JobNotCompletedError", EXIT.jobNotCompleted],
  ["ListenError", EXIT.port],
  ["PortInUseError", EXIT.port],
  ["StoreInUseError", EXIT.dataDir],
  ["StoreUnusableError", EXIT.dataDir],
  ["StoreDamagedError", EXIT.dataDir],
  ["StoreFullError", EXIT.dataDir],
  ["StoreLostError", EXIT.dataDir],
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return EXIT.unexpected;
  return CODE_OF_ERROR.get(error.name) ?? EXIT.unexpected;
}
