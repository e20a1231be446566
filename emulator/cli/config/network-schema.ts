/** The keys of a config about the addresses and callers of the service. */
import { z } from "zod";
import { isOriginPattern, ORIGIN_PATTERN_RULE } from "../../core/access/allowed-origins.ts";
import { HOST_PATTERN_RULE, isHostPattern } from "../../core/access/host-names.ts";
import { isProxyPattern, PROXY_PATTERN_RULE } from "../../core/access/trusted-proxies.ts";
import { isWorkerAddress, WORKER_ADDRESS_RULE } from "../../core/workers/worker-address.ts";
import { DEFAULT_HOST, DEFAULT_PORT, S3_OFF } from "../serve/setting-values.ts";
import { arrayOf, integer, must, optional, text } from "./fields.ts";

export const network = {
  port: optional(integer(0, 65_535), "port to listen on; 0 takes any free one", DEFAULT_PORT),
  host: optional(
    text("be a host name or an address"),
    "address or host name to listen on",
    DEFAULT_HOST,
  ),
  tlsCert: optional(
    text("be the path of a file"),
    "the [certificate](operating.md#https) for HTTPS, as `--tls-cert`",
  ),
  tlsKey: optional(text("be the path of a file"), "its private key, as `--tls-key`"),
  workerPort: optional(
    integer(0, 65_535),
    "port for [workers from elsewhere](elsewhere.md), as `--worker-port`",
  ),
  workerAddress: optional(
    text(WORKER_ADDRESS_RULE).refine(isWorkerAddress, { error: must(WORKER_ADDRESS_RULE) }),
    "address for these workers, as `--worker-address`",
  ),
  allowedHosts: optional(
    arrayOf(
      text(HOST_PATTERN_RULE).refine(isHostPattern, { error: must(HOST_PATTERN_RULE) }),
      "names",
    ),
    "further [names](operating.md#hosts-and-origins) of the service, as `--allowed-host`",
    [],
  ),
  allowedOrigins: optional(
    arrayOf(
      text(ORIGIN_PATTERN_RULE).refine(isOriginPattern, { error: must(ORIGIN_PATTERN_RULE) }),
      "origins",
    ),
    "[origins](operating.md#hosts-and-origins) of pages that may call the service, as `--allowed-origin`",
    [],
  ),
  trustProxy: optional(
    arrayOf(
      text(PROXY_PATTERN_RULE).refine(isProxyPattern, { error: must(PROXY_PATTERN_RULE) }),
      "addresses",
    ),
    "trusted [proxies](operating.md#behind-a-proxy), for `X-Forwarded-…` headers, as `--trust-proxy`",
    [],
  ),
  s3Port: optional(
    z.union([z.literal(S3_OFF), integer(0, 65_535)], {
      error: must(`be an integer from 0 to 65535, or "${S3_OFF}"`),
    }),
    "port of the [object store](object-store.md); by default the one above `port`",
  ),
};
