/** The installation of packages in the build of a worker's image: its files, its script and its secrets. */
import type { Secrets } from "../engine/buildkit-session.ts";
import type { ContextParts } from "./build-context.ts";
import { installScript } from "./install-script.ts";
import type { Lock } from "./lock-file.ts";
import { checkPlatform } from "./lock-platform.ts";
import type { PackageImport } from "./package-imports.ts";
import { packageSettings } from "./package-settings.ts";
import { inPackages, packageSources } from "./package-sources.ts";
import type { PlaceOf } from "./worker-packages.ts";

export interface PackageInstallation {
  readonly parts: ContextParts;
  /** Secrets, by the ids of their mounts. */
  readonly secrets: Secrets;
  /** Whether the stage has secrets, because the builder cannot mount any. */
  readonly stageHasSecrets: boolean;
}

export interface InstallationTerms {
  readonly lock: Lock;
  readonly placeOf: PlaceOf;
  readonly program: string;
  /** Modules in the bundle, and what they import. */
  readonly inputPaths: readonly string[];
  readonly imports: readonly PackageImport[];
  readonly engine: { readonly arch: string; readonly hasBuildKit: boolean };
  /** Secrets of `--secret`. */
  readonly secrets: Secrets;
}

/** @throws ImageError if the lock file lacks packages of the image's platform */
export async function packageInstallation(terms: InstallationTerms): Promise<PackageInstallation> {
  const { lock, placeOf, program, imports, engine, inputPaths } = terms;
  checkPlatform(lock, engine.arch);
  const { parts, command } = await packageSources(lock, inputPaths, placeOf);
  const settings = packageSettings({
    ...{ root: lock.root, place: placeOf(lock.root), env: process.env },
    ...{ given: terms.secrets, canMount: engine.hasBuildKit },
  });
  const { mounts } = settings;
  return {
    secrets: settings.secrets,
    stageHasSecrets: settings.filesHaveSecrets,
    parts: {
      files: [
        installScript({ lock, placeOf, command, mounts, program, imports }),
        ...parts.files,
        ...settings.files.map((file) => ({ ...file, path: inPackages(file.path) })),
      ],
      directories: parts.directories,
    },
  };
}
