/**
 * The cluster of the package's compose file from a user's side: started with one command, called, damaged and
 * removed.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { whatIsMissing } from "../../setup/debian-program.ts";
import { dockerIsMissing, firewallIsMissing, startDocker } from "../../setup/docker.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { swiftIsMissing } from "../../setup/swift.ts";
import { eventually } from "../jobs/observe.ts";
import { ComposeProject, type Output, type ShownReplicas } from "./compose-project.ts";

const SOON = { interval: 200 };
const LARGE = 2_000_000;

const isMissing =
  dockerIsMissing ??
  // Containers find each other by rules of the firewall in each.
  firewallIsMissing() ??
  postgresIsMissing ??
  swiftIsMissing ??
  whatIsMissing("the test of the compose file", ["docker-compose", "caddy"]);

/** Waits for two live replicas, both of which the proxy uses, and for an owner of each partition. */
async function bothAreThere(project: ComposeProject): Promise<void> {
  const answered = new Set<string>();
  const look = async () => {
    const shown = await project.ask<ShownReplicas>("/emulator/replicas");
    answered.add(shown?.answeredBy ?? "");
    const alive = shown?.replicas.map(({ id }) => id) ?? [];
    return [alive.length, alive.filter((id) => answered.has(id)).length, shown?.unowned.length];
  };
  await expect.poll(look, SOON).toEqual([2, 2, 0]);
}

async function waitForJob(project: ComposeProject, input: object): Promise<Output> {
  const job = await project.ask("/v2/greet/runsync", { input });
  if (job?.output === undefined) throw new Error(`the job ended as ${job?.status}`);
  return job.output;
}

/** The service of the compose file that has the endpoint. */
async function ownerOf(project: ComposeProject): Promise<string> {
  const { from } = await waitForJob(project, { name: "Ada" });
  const shown = await project.ask<ShownReplicas>("/emulator/replicas");
  const replica = shown?.replicas.find(({ id }) => id.startsWith(from));
  return new URL(replica?.address ?? "").hostname;
}

/** Submits job after job, each until it is accepted; returns the name that each is to greet by the job's id. */
class Load {
  readonly names = new Map<string, string>();
  /** Submissions without a good answer; each may have created a job. */
  refused = 0;
  readonly #project: ComposeProject;

  constructor(project: ComposeProject) {
    this.#project = project;
  }

  async run(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const name = String(this.names.size);
      const accepted = await this.#project.ask("/v2/greet/run", { input: { name } });
      if (accepted === undefined) this.refused += 1;
      else this.names.set(accepted.id, name);
      await delay(accepted === undefined ? 200 : 20);
    }
  }

  async goesOn(): Promise<void> {
    const enough = this.names.size + 20;
    const look = async () => (this.names.size > enough ? true : undefined);
    await eventually("more jobs are accepted", look);
  }

  /** Waits until each job has its greeting. Returns the hosts that ran the jobs. */
  async allDone(): Promise<ReadonlySet<string>> {
    const hosts = new Set<string>();
    for (const [id, name] of this.names) {
      const look = async () => {
        const job = await this.#project.ask(`/v2/greet/status/${id}`);
        if (job?.output?.greeting !== `Hello, ${name}!`) return undefined;
        hosts.add(job.output.from);
        return true;
      };
      await eventually(`job ${id} greets ${name}`, look);
    }
    return hosts;
  }
}

/** Stops one replica while jobs are submitted, and starts it again. */
async function loseOwner(project: ComposeProject, load: Load, how: "kill" | "stop"): Promise<void> {
  const over = new AbortController();
  const running = load.run(over.signal);
  try {
    await load.goesOn();
    const owner = await ownerOf(project);
    await project.compose(how, owner);
    await load.goesOn();
    await project.compose("start", owner);
    await bothAreThere(project);
  } finally {
    over.abort();
    await running;
  }
}

test.skipIf(isMissing !== undefined)(
  "the compose file makes a cluster that loses no job when a replica is killed or stopped, and leaves nothing behind",
  async () => {
    await using docker = await startDocker();
    await using project = await ComposeProject.make(docker);
    await project.compose("up", "-d");
    await bothAreThere(project);

    expect((await waitForJob(project, { name: "Ada", count: LARGE })).rest).toHaveLength(LARGE);
    const size = ["-size", `+${Math.floor(LARGE / 1024)}k`];
    const find = ["exec", "-T", "bucket", "find", "/tmp", "-name", "*.data", ...size];
    expect((await project.compose(...find)).stdout.trim().split("\n")).toHaveLength(1);

    const load = new Load(project);
    await loseOwner(project, load, "kill");
    await loseOwner(project, load, "stop");
    expect((await load.allDone()).size).toBe(2);

    const health = await project.ask<{
      readonly jobs: { readonly completed: number; readonly failed: number };
    }>("/v2/greet/health");
    // The large answer, and the answers that show the owner.
    const expected = load.names.size + 3;
    expect(health?.jobs.failed).toBe(0);
    expect(health?.jobs.completed).toBeGreaterThanOrEqual(expected);
    expect(health?.jobs.completed).toBeLessThanOrEqual(expected + load.refused);
    console.log(
      "figure: compose",
      JSON.stringify({ jobs: load.names.size, refused: load.refused }),
    );

    await project.compose("down", "-v");
    expect(await project.left()).toEqual([]);
  },
  600_000,
);
