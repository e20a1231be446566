/** Watches writers in the database itself: records each change of a job by a process that does not own the job's partition. */
import pg from "pg";

/** A process is known by the name that its connections have; the schema and the partitions are those of the store. */
const WATCH = `
CREATE SCHEMA audit;
CREATE TABLE audit.foreign_write (at timestamptz, partition int, application text, owner text, what text, seq bigint);
CREATE FUNCTION audit.look() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  of_partition int;
  its_owner text;
BEGIN
  SELECT get_byte(sha256(endpoint_id), 0) % 64 INTO of_partition
    FROM sv_runtime.queue WHERE queue = coalesce(NEW.queue, OLD.queue);
  SELECT replica INTO its_owner FROM sv_runtime.owner WHERE partition = of_partition;
  IF of_partition IS NOT NULL
    AND current_setting('application_name') <> 'sv-runtime ' || right(coalesce(its_owner, ''), 48) THEN
    INSERT INTO audit.foreign_write VALUES (clock_timestamp(), of_partition, current_setting('application_name'), its_owner,
      TG_OP, coalesce(NEW.seq, OLD.seq));
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON sv_runtime.job FOR EACH ROW EXECUTE FUNCTION audit.look();
`;

/** A connection of the test, which reconnects after the server was away. */
export async function asked<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Watches from now on; an emulator must have created its tables. */
export async function watchWrites(url: string): Promise<void> {
  // Several statements in one query answer a list of results.
  await asked(url, WATCH);
}

/** A sentence for each write by a process that does not own the partition. */
export async function foreignWrites(url: string): Promise<readonly string[]> {
  const rows = await asked<Record<string, unknown>>(url, "SELECT * FROM audit.foreign_write");
  return rows.map((row) => JSON.stringify(row));
}
