/** Checks that the server does not lose acknowledged data. */
import { StoreUnusableError } from "../../../core/store-error.ts";
import { POOLER } from "./postgres-error.ts";
import type { Session } from "./session.ts";
import type { Settings } from "./settings.ts";

const OLDEST_VERSION = 140_000;

/** The kind of a standby may be hidden from this user. Then no standby counts as synchronous unless the server names some. */
const ASYNCHRONOUS = `(SELECT count(*) FROM pg_stat_replication
  WHERE sync_state = 'async' OR sync_state IS NULL AND current_setting('synchronous_standby_names') = '')`;

/**
 * @param warn called for each setting that risks acknowledged data
 * @throws StoreUnusableError for a server that cannot keep acknowledged data; what `pg` throws
 */
export async function checkServer(
  session: Session,
  { schema, shown }: Settings,
  warn: (sentence: string) => void,
): Promise<void> {
  const { rows } = await session.ask({
    text: `SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding'),
      current_setting('synchronous_commit'), current_setting('fsync'), ${ASYNCHRONOUS},
      current_setting('search_path'), pg_backend_pid(), current_setting('data_checksums')`,
  });
  const [number, version, encoding, commit, fsync, standbys, path, pid, checksums] = (
    rows[0] ?? []
  ).map(String);
  const isServer = path === schema && Number(pid) === session.pid;
  const refusal = !isServer
    ? POOLER
    : Number(number) < OLDEST_VERSION
      ? `it is PostgreSQL ${version}, and 14 is the oldest supported version`
      : encoding !== "UTF8"
        ? `its encoding is ${encoding}; it must be made with ENCODING 'UTF8'`
        : commit === "off"
          ? "synchronous_commit is off, so that a crash of the server loses acknowledged jobs; set it to on"
          : undefined;
  if (refusal !== undefined)
    throw new StoreUnusableError(`the database ${shown} cannot be used: ${refusal}`);
  if (fsync === "off")
    warn(
      "fsync is off at the database server: a crash of its machine loses or damages what is stored",
    );
  if (checksums === "off")
    warn(
      "data_checksums is off at the database server: damage on its disk goes unnoticed; stop the server and run pg_checksums --enable",
    );
  if (Number(standbys) > 0)
    warn(
      `the database server has asynchronous standbys (${standbys}): a failover to one loses the newest acknowledged jobs`,
    );
  if (commit === "local" && Number(standbys) === 0)
    warn("synchronous_commit is local: a failover to a standby loses the newest acknowledged jobs");
}
