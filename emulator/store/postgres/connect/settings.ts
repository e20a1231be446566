/** Derives the settings of database connections from the address. */
import type { ClientConfig } from "pg";
import { StoreUnusableError } from "../../../core/store-error.ts";
import { TYPE_PARSERS } from "../values/columns.ts";

export interface Settings {
  readonly schema: string;
  /** The address without its password, for messages. */
  readonly shown: string;
  /** One entry for each server of the address. One of the servers accepts writes. */
  readonly servers: readonly ClientConfig[];
}

const DEFAULT_SCHEMA = "sv_runtime";
const SCHEMA_FORM = /^[a-z_][a-z0-9_]{0,62}$/;
const CONNECT_MS = 5_000;
/** Maximum length of the name of a connection. The server cuts longer names. */
const MAX_NAME = 63;
/** Length of the unique end of a replica's name. */
const MAX_REPLICA = 48;

/**
 * Settings of each connection. They make every query use its index, because the planner's statistics may be from a time when a
 * queue was empty. `idle_in_transaction` frees the locks of a process that was stopped or cut off in a transaction.
 */
function sessionOptions(schema: string, leaseMs: number): string {
  const settings = {
    search_path: schema,
    default_transaction_isolation: "read\\ committed",
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
    enable_sort: "off",
    enable_incremental_sort: "off",
    jit: "off",
    plan_cache_mode: "force_generic_plan",
    idle_in_transaction_session_timeout: leaseMs,
    max_parallel_workers_per_gather: 0,
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

/** End of the names of the replica's connections, unique to this replica. */
export function sessionNameEnd(replica: string): string {
  return ` ${replica.slice(-MAX_REPLICA)}`;
}

/** @throws StoreUnusableError when `url` is not the address of a database */
export function settingsOf(url: string, replica: string, leaseMs: number): Settings {
  const addresses = parse(url);
  const named = addresses[0]?.searchParams.get("schema");
  const schema = named ?? DEFAULT_SCHEMA;
  if (!SCHEMA_FORM.test(schema))
    throw new StoreUnusableError(
      `the schema of the database must be lower-case letters, digits and underscores, not "${schema}"`,
    );
  for (const { searchParams } of addresses) {
    for (const ours of ["schema", "target_session_attrs"]) searchParams.delete(ours);
    const own = [searchParams.get("options") ?? "", sessionOptions(schema, leaseMs)];
    searchParams.set("options", own.join(" ").trim());
    const name = searchParams.get("application_name") ?? "sv-runtime";
    const end = sessionNameEnd(replica);
    searchParams.set("application_name", name.slice(0, MAX_NAME - end.length) + end);
  }
  return {
    schema,
    shown: addresses.map(({ host }) => host).join(",") + (addresses[0]?.pathname ?? ""),
    servers: addresses.map(({ href }) => ({
      connectionString: href,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      types: TYPE_PARSERS,
    })),
  };
}

/** Scheme and user; hosts, with commas between them; the rest. */
const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/su;

/** Returns the address of each server. All servers have the same database. */
function parse(url: string): readonly URL[] {
  const [, before = "", hosts, after = ""] = FORM.exec(url) ?? [];
  const addresses = hosts?.split(",").map((host) => `${before}${host}${after}`);
  if (addresses === undefined || !addresses.every((address) => URL.canParse(address)))
    throw new StoreUnusableError("the address of the database must begin with postgres://");
  return addresses.map((address) => new URL(address));
}
