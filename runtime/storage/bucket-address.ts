/** Reads the address of an S3 service: the address for requests, the bucket, and the region for signatures. Each service has its rule. */

export interface BucketAddress {
  /** Without the bucket's name and without a slash at its end. */
  readonly endpointUrl: string;
  /** Undefined if the address names none. */
  readonly bucket: string | undefined;
  readonly region: string;
  /** True: the bucket goes into the path; false: into the host's name. */
  readonly forcePathStyle: boolean;
}

/** The rule of one service for its addresses. The host may begin with the bucket. */
interface ServiceRule {
  /** Pattern of the host without a bucket, with the region if it names one. */
  readonly host: RegExp;
  /** The region if the host names none; default: `us-east-1`. */
  readonly region?: string;
  /** Whether the host spells the region in lower case, and signatures in upper case. */
  readonly inUpperCase?: boolean;
  /** Whether the bucket has to be in the host's name; default: false, for every service takes it in the path but these. */
  readonly bucketInHost?: boolean;
}

const SERVICES: readonly ServiceRule[] = [
  {
    host: /s3[.-](?:dualstack\.)?(?<region>[a-z]{2,}(?:-[a-z]+)+-\d+)\.amazonaws\..+/,
    bucketInHost: true,
  },
  { host: /s3\.amazonaws\.com/, bucketInHost: true },
  { host: /[0-9a-f]{32}(?:\.[a-z]+)?\.r2\.cloudflarestorage\.com/, region: "auto" },
  { host: /(?<region>[a-z]+\d+)\.digitaloceanspaces\.com/ },
  { host: /s3\.(?<region>[a-z]{2}-[a-z]{3})\.scw\.cloud/ },
  { host: /s3\.(?<region>[a-z-]+)\.(?:io|perf)\.cloud\.ovh\.(?:net|us)/ },
  // Alibaba and Tencent refuse buckets in the path.
  { host: /s3\.(?<region>oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com/, bucketInHost: true },
  { host: /(?<region>oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com/, bucketInHost: true },
  { host: /cos\.(?<region>[a-z]+(?:-[a-z]+)+(?:-\d+)?)\.myqcloud\.com/, bucketInHost: true },
  { host: /storage\.googleapis\.com/, region: "auto" },
  // The volumes of the live service: the data center is the region.
  { host: /s3api-(?<region>[a-z]+-[a-z]+-\d+)\..+/, inUpperCase: true },
  // Amazon's scheme at other services, such as s3.us-west-004.backblazeb2.com.
  { host: /s3[.-](?<region>[a-z]{2,}(?:-[a-z]+)+-\d+)\..+/ },
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
    forcePathStyle: !host.takesBucket || bucket?.includes(".") === true,
  };
}

interface HostParts {
  readonly bucket: string | undefined;
  /** The host without the bucket. */
  readonly service: string;
  readonly region: string;
  /** Whether requests must have the bucket in the host's name. */
  readonly takesBucket: boolean;
}

function hostParts(hostname: string): HostParts {
  for (const { host, region = "us-east-1", inUpperCase, bucketInHost = false } of SERVICES) {
    const pattern = new RegExp(`^(?:(?<bucket>.+?)\\.)?(?<service>${host.source})$`);
    const found = pattern.exec(hostname)?.groups;
    if (found === undefined) continue;
    const named = found["region"] ?? region;
    return {
      bucket: found["bucket"],
      service: found["service"] ?? hostname,
      region: inUpperCase === true ? named.toUpperCase() : named,
      takesBucket: bucketInHost,
    };
  }
  return { bucket: undefined, service: hostname, region: "us-east-1", takesBucket: false };
}
