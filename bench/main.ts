/** `npm run bench`: measures the cost of the service, each figure beside a floor or peer from the same run. */
import fs from "node:fs";
import path from "node:path";
import type { Bench } from "./bench.ts";
import { builtEmulator } from "./emulator-process.ts";
import type { RowResult } from "./line.ts";
import { LoadClient } from "./load/load-client.ts";
import { describeMachine, machineLine } from "./machine.ts";
import { type Options, parseOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { writeReport } from "./report.ts";
import { container } from "./rows/container.ts";
import { counts } from "./rows/counts.ts";
import { crowd, crowdOnPostgres } from "./rows/crowd.ts";
import { database } from "./rows/database.ts";
import { extraProcess } from "./rows/extra-process.ts";
import { forwarded } from "./rows/forwarded.ts";
import { followed } from "./rows/followed.ts";
import { idleLatency } from "./rows/idle-latency.ts";
import { largeJob } from "./rows/large-job.ts";
import { live } from "./rows/live.ts";
import { memory } from "./rows/memory.ts";
import { mixed } from "./rows/mixed.ts";
import { pickup } from "./rows/pickup.ts";
import { postgres } from "./rows/postgres.ts";
import { queueDepth, queueDepthOnPostgres } from "./rows/queue-depth.ts";
import { reload } from "./rows/reload.ts";
import type { Row } from "./rows/row.ts";
import { ready } from "./rows/ready.ts";
import { replicas } from "./rows/replicas.ts";
import { sessions } from "./rows/sessions.ts";
import { spawn } from "./rows/spawn.ts";
import { gap } from "./rows/gap.ts";
import { single } from "./rows/single.ts";
import { start } from "./rows/start.ts";
import { streaming } from "./rows/streaming.ts";
import { submit } from "./rows/submit.ts";
import { takeover } from "./rows/takeover.ts";
import { throughput } from "./rows/throughput.ts";
import { upload } from "./rows/upload.ts";
import { coloured, plain, terminalTable } from "./table.ts";

const ROWS: readonly Row[] = [
  idleLatency,
  pickup,
  live,
  extraProcess,
  throughput,
  single,
  submit,
  followed,
  forwarded,
  largeJob,
  mixed,
  streaming,
  spawn,
  start,
  container,
  ready,
  takeover,
  reload,
  queueDepth,
  crowd,
  database,
  postgres,
  queueDepthOnPostgres,
  crowdOnPostgres,
  replicas,
  sessions,
  memory,
  upload,
  gap,
  counts,
];
const ROUNDS = 7;
const QUICK_ROUNDS = 3;
const REMOVAL = { recursive: true, force: true };
const root = path.resolve(import.meta.dirname, "..");

async function run(options: Options): Promise<void> {
  if (options.against !== undefined) builtEmulator(options.against);
  const startedAt = new Date();
  const base = path.join(root, ".sv");
  fs.mkdirSync(base, { recursive: true });
  const folder = fs.mkdtempSync(path.join(base, "bench-"));
  process.once("exit", () => fs.rmSync(folder, REMOVAL));
  const progress = new Progress();
  const machine = await describeMachine(folder);
  await using client = new LoadClient();
  const { quick, against } = options;
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  const bench: Bench = { quick, rounds, against, folder, client, progress };
  const results: RowResult[] = [];
  for (const row of ROWS.filter(({ id }) => options.rows.includes(id))) {
    progress.begin(row.id);
    results.push(await resultOf(row, bench));
    // The next row may need the disk space.
    for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), REMOVAL);
  }
  progress.end();
  const paint = process.stdout.isTTY ? coloured : plain;
  console.log(`\n${machineLine(machine)}\n\n${terminalTable(results, paint)}\n`);
  const files = writeReport(path.join(root, "bench/results"), {
    startedAt: startedAt.toISOString(),
    tookMs: Date.now() - startedAt.getTime(),
    options,
    machine,
    rows: results,
  });
  console.log(files.map((file) => path.relative(process.cwd(), file)).join("\n"));
}

/** The reason takes the place of a row that cannot be measured. The other rows are still useful. */
async function resultOf(row: Row, bench: Bench): Promise<RowResult> {
  const { id, title } = row;
  try {
    return { id, title, lines: await row.measure(bench) };
  } catch (error) {
    process.exitCode = 1;
    const reason = error instanceof Error ? error.message : String(error);
    const notes = [`not measured: ${reason}`];
    return { id, title, lines: [{ what: id, unit: "ms", ours: undefined, notes }] };
  }
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => process.exit(code));
}

try {
  await run(
    parseOptions(
      process.argv.slice(2),
      ROWS.map(({ id }) => id),
    ),
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
