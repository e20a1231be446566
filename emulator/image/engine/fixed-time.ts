/** Gives an image a fixed time in place of that of its build, so that equal files make an equal image. */
import { text } from "node:stream/consumers";
import { createHash } from "node:crypto";
import type Docker from "dockerode";
import { packContext } from "../context/build-context.ts";
import { removeNameless } from "./stage-images.ts";

/** Settings of an image; an engine adds others, which depend on the build. */
const SETTINGS = [
  ...["User", "ExposedPorts", "Env", "Entrypoint", "Cmd", "Volumes", "WorkingDir", "Labels"],
  ...["StopSignal", "Healthcheck", "Shell", "OnBuild"],
];

export interface FixedTime {
  /** In seconds since 1970. */
  readonly epoch: number;
  /** Name of the image beneath, for the history. */
  readonly beneath: string;
  readonly layersBeneath: number;
}

/**
 * Loads the image once more with another configuration: an engine takes layers that it has by their digests alone. Returns its id.
 * An engine that keeps layers in another way takes nothing, and the image stays as it is.
 *
 * @param image id of an image without a name, which is removed
 */
export async function withFixedTime(
  docker: Docker,
  image: string,
  { epoch, beneath, layersBeneath }: FixedTime,
): Promise<string> {
  const { Architecture, Variant, Os, Config, RootFS } = await docker.getImage(image).inspect();
  const layers = RootFS.Layers ?? [];
  const created = new Date(epoch * 1_000).toISOString();
  const settings = new Map<string, unknown>(Object.entries(Config));
  const config = JSON.stringify({
    ...{ architecture: Architecture, ...(Variant ? { variant: Variant } : {}), os: Os, created },
    config: Object.fromEntries(SETTINGS.map((name) => [name, settings.get(name)])),
    rootfs: { type: "layers", diff_ids: layers },
    history: layers.map((_, at) => ({
      created,
      created_by: at < layersBeneath ? `FROM ${beneath}` : "sv-emulate build",
    })),
  });
  const digest = createHash("sha256").update(config).digest("hex");
  const names = layers.map((_, at) => `layers/${at}`);
  const manifest = [{ Config: `${digest}.json`, RepoTags: null, Layers: names }];
  const archive = packContext({
    files: [
      { path: `${digest}.json`, content: config },
      { path: "manifest.json", content: JSON.stringify(manifest) },
    ],
    directories: [{ directory: import.meta.dirname, paths: new Set(), prefix: "layers" }],
  });
  const fixed = `sha256:${digest}`;
  try {
    await text(await docker.loadImage(archive, { quiet: true }));
    await docker.getImage(fixed).inspect();
  } catch {
    return image;
  }
  if (fixed !== image) await removeNameless(docker, image);
  return fixed;
}
