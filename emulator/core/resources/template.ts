/** A template: the container configuration its workers are started from, in the interface's own field names (source: spec). */

export const TEMPLATE_CATEGORIES = ["NVIDIA", "AMD", "CPU"] as const;

export interface Template {
  /** 10 lower-case letters and digits; for a handler served from a file its endpoint's name. */
  readonly id: string;
  /** Unique. */
  readonly name: string;
  readonly imageName: string;
  readonly category: (typeof TEMPLATE_CATEGORIES)[number];
  readonly containerDiskInGb: number;
  readonly containerRegistryAuthId?: string | undefined;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isPublic: boolean;
  readonly isPlatform: boolean;
  readonly isServerless: boolean;
  /** Each `<port>/http` or `<port>/tcp`. */
  readonly ports: readonly string[];
  readonly readme: string;
  readonly volumeInGb: number;
  readonly volumeMountPath: string;
  readonly earned: number;
  readonly runtimeInMin: number;
}

/** Image names under this prefix stand for handler modules the emulator serves from files, run as processes. */
export const LOCAL_IMAGE_PREFIX = "sv.local/";

/** Whether the template came into being with its endpoint: that of a handler served from a file, under the handler's name. */
export function isEndpointBound({ id, imageName }: Template): boolean {
  return imageName === `${LOCAL_IMAGE_PREFIX}${id}`;
}
