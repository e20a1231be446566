/** Reads the address of an S3 service: the address for requests, the bucket, and the region for signatures. */

export interface BucketAddress {
  /** Without the bucket's name and without a slash at its end. */
  readonly endpointUrl: string;
  /** Undefined if the address names none. */
  readonly bucket: string | undefined;
  readonly region: string;
  /** True: the bucket goes into the path; false: into the host's name. */
  readonly forcePathStyle: boolean;
}

/** Patterns of services' hosts; each may begin with the bucket. */
const HOSTS: readonly RegExp[] = [
  // Amazon's scheme, which others use too: s3.eu-west-1.amazonaws.com, s3.us-west-004.backblazeb2.com.
  /^(?:(?<bucket>.+)\.)?(?<service>s3[.-](?:dualstack\.)?(?<region>[a-z]{2,}(?:-[a-z]+)+-\d+)\..+)$/,
  /^(?:(?<bucket>.+)\.)?(?<service>s3\.amazonaws\.com)$/,
  /^(?:(?<bucket>.+)\.)?(?<service>[0-9a-f]{32}(?:\.[a-z]+)?\.r2\.cloudflarestorage\.com)$/,
  /^(?:(?<bucket>.+)\.)?(?<service>(?<region>[a-z]+\d+)\.digitaloceanspaces\.com)$/,
];

/**
 * @param text the address, `https://host[:port][/path]`
 * @param given the bucket's name, if known; a path of the address that does not end with it belongs to the service @returns undefined if `text` is no http or https URL
 */
export function readBucketAddress(
  text: string,
  given: string | undefined,
): BucketAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const host = hostParts(url.hostname);
  const path = url.pathname.split("/").filter((part) => part !== "");
  const bucket = given ?? host.bucket ?? path.at(-1);
  const isInHost = bucket !== undefined && bucket === host.bucket;
  if (!isInHost && bucket === path.at(-1)) path.pop();
  const hostname = isInHost ? host.service : url.hostname;
  const port = url.port === "" ? "" : `:${url.port}`;
  return {
    endpointUrl: [`${url.protocol}//${hostname}${port}`, ...path].join("/"),
    bucket,
    region: host.region,
    // No certificate matches a host name that begins with a bucket name with dots.
    forcePathStyle: !hostname.includes(".amazonaws.com") || bucket?.includes(".") === true,
  };
}

interface HostParts {
  readonly bucket: string | undefined;
  /** The host without the bucket. */
  readonly service: string;
  readonly region: string;
}

function hostParts(hostname: string): HostParts {
  const scheme = HOSTS.find((host) => host.test(hostname));
  const { bucket, service = hostname, region } = scheme?.exec(hostname)?.groups ?? {};
  const otherwise = service.endsWith(".r2.cloudflarestorage.com") ? "auto" : "us-east-1";
  return { bucket, service, region: region ?? otherwise };
}
