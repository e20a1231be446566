/** Parses the address of a bucket for large payloads. Missing values come from the environment variables of the AWS tools. */
import { isObjectsAddress, OBJECTS_RULE, shownAddress } from "../../core/store-address.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import { type Environment, variable } from "../../../runtime/protocol/environment/worker-env.ts";
import { readBucketAddress } from "../../../runtime/storage/bucket-address.ts";
import { Secret } from "../../../runtime/storage/secret.ts";
import type { BucketSettings } from "../../../runtime/storage/settings.ts";

export interface BlobsPlace extends BucketSettings {
  /** Prefix of the key of each blob. It is empty or ends with a slash. */
  readonly prefix: string;
}

const PARAMETERS = ["endpoint", "region", "accessKeyId", "secretAccessKey"] as const;
type Parameter = (typeof PARAMETERS)[number];

/**
 * @param text `s3://bucket/prefix?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…`; all but the bucket may be left out
 * @throws StoreUnusableError, which names what the address lacks, but no secret
 */
export function readBlobsPlace(text: string, env: Environment): BlobsPlace {
  const url = isObjectsAddress(text) ? URL.parse(text) : null;
  if (url === null) throw unusable(text, `must ${OBJECTS_RULE}`);
  if (url.username !== "" || url.password !== "") {
    throw unusable(
      text,
      "takes no keys before an @; accessKeyId and secretAccessKey are parameters",
    );
  }
  const given = parametersOf(text, url.searchParams);
  const bucket = decodeURIComponent(url.hostname);
  const region = given.region ?? variable(env, "AWS_REGION") ?? variable(env, "AWS_DEFAULT_REGION");
  const endpoint =
    given.endpoint ??
    variable(env, "AWS_ENDPOINT_URL_S3") ??
    variable(env, "AWS_ENDPOINT_URL") ??
    amazonsOwn(text, region);
  const address = readBucketAddress(endpoint, bucket);
  if (address === undefined) {
    throw unusable(
      text,
      `has an endpoint that is not an http or https URL: ${JSON.stringify(endpoint)}`,
    );
  }
  const parts = decodeURIComponent(url.pathname).split("/");
  const prefix = parts.filter((part) => part !== "").join("/");
  return {
    kind: "s3",
    ...address,
    bucket,
    region: region ?? address.region,
    ...keysOf(text, given, env),
    prefix: prefix === "" ? "" : `${prefix}/`,
  };
}

function parametersOf(text: string, found: URLSearchParams): Partial<Record<Parameter, string>> {
  const unknown = [...found.keys()].find((key) => !PARAMETERS.some((each) => each === key));
  if (unknown !== undefined) {
    throw unusable(
      text,
      `has the unknown parameter ${unknown}; known are ${PARAMETERS.join(", ")}`,
    );
  }
  return Object.fromEntries([...found].filter(([, value]) => value !== ""));
}

function amazonsOwn(text: string, region: string | undefined): string {
  if (region !== undefined) return `https://s3.${region}.amazonaws.com`;
  throw unusable(
    text,
    "needs the parameter endpoint (or AWS_ENDPOINT_URL), or a region (or AWS_REGION) for Amazon's own service",
  );
}

/** Both keys come from the same place. */
function keysOf(
  text: string,
  { accessKeyId, secretAccessKey }: Partial<Record<Parameter, string>>,
  env: Environment,
): Pick<BlobsPlace, "accessKeyId" | "secretAccessKey" | "source"> {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const source = "the address of the objects";
    return { accessKeyId, secretAccessKey: new Secret(secretAccessKey), source };
  }
  if (accessKeyId !== undefined || secretAccessKey !== undefined) {
    throw unusable(text, "needs accessKeyId and secretAccessKey both, or neither");
  }
  const id = variable(env, "AWS_ACCESS_KEY_ID");
  const secret = variable(env, "AWS_SECRET_ACCESS_KEY");
  if (id === undefined || secret === undefined) {
    throw unusable(
      text,
      "has no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the parameters accessKeyId and secretAccessKey",
    );
  }
  if (variable(env, "AWS_SESSION_TOKEN") !== undefined) {
    throw unusable(
      text,
      "would be used with the temporary keys of AWS_SESSION_TOKEN, which expire while the service runs; use permanent keys",
    );
  }
  const source = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  return { accessKeyId: id, secretAccessKey: new Secret(secret), source };
}

function unusable(text: string, what: string): StoreUnusableError {
  return new StoreUnusableError(`the address of the objects, ${shownAddress(text)}, ${what}`);
}
