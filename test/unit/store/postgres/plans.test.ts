/** Every frequent query uses its index without a sort, however many jobs there are. */
import { describe, expect, it } from "vitest";
import { DELIVERY_QUESTIONS } from "../../../../emulator/store/postgres/reads/delivery-reads.ts";
import { JOB_QUESTIONS } from "../../../../emulator/store/postgres/reads/job-reads.ts";
import { SEARCHES } from "../../../../emulator/store/postgres/reads/job-search.ts";
import { PAYLOAD_QUESTIONS } from "../../../../emulator/store/postgres/reads/payload-reads.ts";
import { REPORT_QUESTIONS } from "../../../../emulator/store/postgres/reads/report-reads.ts";
import { Session } from "../../../../emulator/store/postgres/connect/session.ts";
import { settingsOf } from "../../../../emulator/store/postgres/connect/settings.ts";
import { completed, handedOver, inserted } from "../../../contract/store/subject.ts";
import { postgresIsMissing } from "../../../setup/postgres.ts";
import { sized } from "../../../setup/size.ts";
import { testDatabase } from "./database.ts";

const JOBS = sized(10_000, 100_000);
const PER_BATCH = 5_000;

/** The index for each query. */
const INDEXES: Readonly<Record<string, string>> = {
  "job-by-id": "job_id",
  "jobs-by-seq": "job_pkey",
  "waiting-jobs": "job_waiting",
  "jobs-of-endpoint": "job_by_queue",
  "newest-jobs": "job_by_queue",
  "newest-jobs-of-status": "job_by_status",
  "due-jobs": "job_due",
  "next-due": "job_due",
  "oldest-scaling": "job_scaling",
  "search-all": "job_pkey",
  "search-queue": "job_by_queue",
  "search-pairs": "job_by_status",
  "since-moment": "job_submitted",
  payload: "payload_pkey",
  "payload-checksum": "payload_pkey",
  chunks: "chunk_batch_pkey",
  "has-chunks": "chunk_batch_pkey",
  "delivery-by-id": "delivery_id",
  "delivery-frame": "delivery_pkey",
  "newest-deliveries": "delivery_pkey",
  "due-deliveries": "delivery_due",
  "next-try": "delivery_due",
  "oldest-settled": "delivery_settled",
  "first-pending": "delivery_of_job",
  "report-by-id": "report_job_id_key",
  "newest-reports": "report_deleted",
  "oldest-report": "report_deleted",
};

/** Rows from a few pairs or partitions are merged. */
const MERGED = new Set(["search-pairs", "due-jobs", "next-due", "due-deliveries", "next-try"]);

const QUESTIONS: Readonly<Record<string, string>> = {
  ...JOB_QUESTIONS,
  ...SEARCHES,
  ...PAYLOAD_QUESTIONS,
  ...DELIVERY_QUESTIONS,
  ...REPORT_QUESTIONS,
};

/** The generic plan, which the store uses for all statements. */
async function planOf(session: Session, question: string): Promise<string> {
  await session.ask({ text: `PREPARE question AS ${question}` });
  const parameters = Math.max(0, ...[...question.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)));
  const values = Array.from({ length: parameters }, () => "NULL").join(", ");
  const { rows } = await session.ask({
    text: `EXPLAIN EXECUTE question${parameters === 0 ? "" : ` (${values})`}`,
  });
  await session.ask({ text: "DEALLOCATE question" });
  return rows.flat().join("\n");
}

async function expectIndexes(session: Session, moment: string): Promise<void> {
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const plan = await planOf(session, question);
    const used = [...plan.matchAll(/Index (?:Only )?Scan(?: Backward)? using (\w+)/g)];
    expect
      .soft(new Set(used.map(([, index]) => index)), `${name}, ${moment}\n${plan}`)
      .toEqual(new Set([INDEXES[name]]));
    expect
      .soft(plan, `${name}, ${moment}`)
      .not.toMatch(MERGED.has(name) ? /Seq Scan/ : /Sort|Seq Scan/);
  }
}

describe.skipIf(postgresIsMissing !== undefined)("queries of the store in a database", () => {
  it(`use their indexes, in an empty database and among ${JOBS} jobs`, async () => {
    await using database = await testDatabase();
    const owner = await database.open();
    const settings = settingsOf(database.url, "plans", 5_000);
    const connect = () => Session.open(settings, 30_000, () => undefined);
    const session = await connect();
    await expectIndexes(session, "empty");
    for (let made = 0; made < JOBS; made += PER_BATCH) {
      const jobs = Array.from({ length: PER_BATCH }, (_, at) => {
        const job = owner.newJob({ endpointId: `endpoint ${at % 3 === 0 ? at % 50 : 0}` });
        if (at % 4 === 0) return job;
        return at % 4 === 1 ? handedOver(job) : completed(handedOver(job));
      });
      await owner.flush(jobs.map(inserted));
    }
    await expectIndexes(session, "nothing is known of the jobs");
    await database.admin.query("ANALYZE");
    await session.end();
    const later = await connect();
    await expectIndexes(later, "analyzed");
    await later.end();
  });
});
