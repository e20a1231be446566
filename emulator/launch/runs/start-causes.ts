/** Explains why an engine could not run the program of a container, the same for all engines. Pure. */
import { driverInWords, type GpuDevice } from "../../core/workers/gpu-allocation.ts";
import { CONTAINER_ENV } from "../container-settings.ts";

const EXEC_FORMAT = /exec format error/iu;

/** The message of the NVIDIA Container Toolkit about an image with a newer CUDA than the driver's. */
const NEEDED_CUDA = /unsatisfied condition: cuda\s*>=\s*([\d.]+)/u;

const CANNOT_RUN = "the container's program cannot be run";

export const FOREIGN_PROGRAM = `the program is for another processor than this machine's, or a script without "#!": ${CONTAINER_ENV.platform} in the env of its template chooses the platform of the image`;

export const PLATFORM_ADVICE = `${CONTAINER_ENV.platform} in the env of its template, or of the service, chooses another platform of the image; one that differs from the engine's runs by emulation, if at all`;

const NO_PLATFORM =
  /no matching manifest for|no match for platform|no image found in .* for architecture/iu;

/** Advice about an image that the registry does not have for the engine's platform. Undefined for other failures of a pull. */
export function platformAdvice(said: string): string | undefined {
  return NO_PLATFORM.test(said) ? PLATFORM_ADVICE : undefined;
}

/** @param reason why the program of a container could not be run */
export function programProblem(reason: string): string {
  if (NEEDED_CUDA.test(reason)) return cudaProblem(reason, []);
  const advice = EXEC_FORMAT.test(reason)
    ? FOREIGN_PROGRAM
    : "the template's dockerEntrypoint and dockerStartCmd name the program, or else the image does";
  return `${CANNOT_RUN}: ${reason}; ${advice}`;
}

export interface StartFacts {
  /** A sentence about an image for another platform than the engine's. */
  readonly mismatch: string | undefined;
  readonly gpus: readonly GpuDevice[];
}

/** The problem of a start, with what is known about the container. */
export function withFacts(problem: string, { mismatch, gpus }: StartFacts): string {
  if (NEEDED_CUDA.test(problem)) return cudaProblem(problem, gpus);
  // The init tries a shell for such a program. Without one in the image it says that there is no such file.
  return mismatch !== undefined && problem.startsWith(CANNOT_RUN)
    ? `${mismatch}: ${problem}`
    : problem;
}

function cudaProblem(said: string, gpus: readonly GpuDevice[]): string {
  return driverIsTooOld(`the image needs CUDA ${NEEDED_CUDA.exec(said)?.[1]}`, gpus);
}

/** @param what the beginning of the sentence */
export function driverIsTooOld(what: string, gpus: readonly GpuDevice[]): string {
  const gives = driverInWords(gpus) ?? "the driver is older";
  return `${what}, ${gives}: update the driver, or use an image with an older CUDA`;
}
