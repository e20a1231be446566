/** The platforms that images of workers can be built for. */
export const PLATFORMS = ["linux/amd64", "linux/arm64"] as const;

export type Platform = (typeof PLATFORMS)[number];
