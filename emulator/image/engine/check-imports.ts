/** Imports, in a container of a built image with the least privileges, the packages that its program imports. */
import type Docker from "dockerode";
import { failedImage, ImageError } from "../image-error.ts";

export interface ImportCheck {
  /** Absolute path in the image of the module that imports. */
  readonly parent: string;
  /** Packages to import, by specifier. */
  readonly imports: ReadonlyMap<string, { readonly name: string; readonly importer: string }>;
}

/** Begins a line of the program below. */
const MARK = "sv-import-failed ";
/** Maximum time for all imports; afterwards they count as successful. */
const LIMIT_MS = 120_000;
/** Maximum time for the container, in which an import may block the program's own timer. */
const CONTAINER_MS = LIMIT_MS + 10_000;

/** Libraries of the NVIDIA driver, which only a machine with a GPU adds to a container. */
const OF_THE_DRIVER = /lib(?:cuda|nvcuvid|nvidia-[\w-]+)\.so/u;

const PROGRAM = `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [parent, ...specifiers] = process.argv.slice(1);
const from = pathToFileURL(parent).href;
setTimeout(() => process.exit(0), ${LIMIT_MS});
process.on("uncaughtException", () => {}).on("unhandledRejection", () => {});
for (const specifier of specifiers) {
  try {
    if (specifier.endsWith(".node")) createRequire(from)(specifier);
    else await import(import.meta.resolve(specifier, from));
  } catch (error) {
    console.log("\\n${MARK}" + JSON.stringify([specifier, String(error?.message ?? error)]));
  }
}
process.exit(0);
`;

/**
 * @param image its id
 * @throws ImageError that names each package which cannot be imported, and why
 */
export async function checkImports(
  docker: Docker,
  image: string,
  { parent, imports }: ImportCheck,
  signal: AbortSignal,
): Promise<void> {
  if (imports.size === 0) return;
  const output = await outputOf(docker, image, [parent, ...imports.keys()], signal).catch(
    (error: unknown) => {
      throw failedImage("the image is built, but its imports cannot be tried", error);
    },
  );
  const failures = failuresIn(output, { parent, imports });
  if (failures.length > 0) throw new ImageError(failures.join("\n"));
}

async function outputOf(
  docker: Docker,
  image: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ["node", "--experimental-import-meta-resolve", "--input-type=module"],
    Cmd: ["-e", PROGRAM, "--", ...args],
    Env: ["HOME=/tmp", "NODE_NO_WARNINGS=1"],
    Tty: true,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      Tmpfs: { "/tmp": "" },
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
    },
  });
  try {
    await container.start();
    const limit = AbortSignal.timeout(CONTAINER_MS);
    const ended = container.wait({ abortSignal: AbortSignal.any([signal, limit]) });
    await ended.catch((error: unknown) => {
      if (!limit.aborted) throw error;
    });
    return (await container.logs({ stdout: true, stderr: true })).toString();
  } finally {
    await container.remove({ force: true }).catch(() => undefined);
  }
}

function failuresIn(output: string, { parent, imports }: ImportCheck): readonly string[] {
  return output.split(/\r?\n/u).flatMap((line) => {
    if (!line.startsWith(MARK)) return [];
    const [specifier = "", reason = ""] = JSON.parse(line.slice(MARK.length)) as readonly string[];
    if (OF_THE_DRIVER.test(reason)) return [];
    const { name, importer } = imports.get(specifier) ?? { name: specifier, importer: parent };
    return [`the image cannot import ${name}, which ${importer} imports: ${reason.trim()}`];
  });
}
