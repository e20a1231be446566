/** Merges simultaneous orders, and splits them if a message would become too large. */
import type { HandedJob, Revocation } from "../../runtime/protocol/outcome.ts";
import type { InputAhead, ServiceOrders } from "../../runtime/protocol/session.ts";
import { PIECE_BYTES } from "../../runtime/protocol/wire/worker-wire.ts";

export class OrderBundle {
  #orders: ServiceOrders | undefined;
  #jobs: HandedJob[] = [];
  /** Lease tokens of the jobs in the last message. */
  #sent: readonly string[] = [];
  /** Revocations that must follow their jobs. */
  #late: Revocation[] = [];
  #inputAhead: InputAhead | undefined;

  add({ inputAhead, ...orders }: ServiceOrders): void {
    if (inputAhead) {
      this.#inputAhead = inputAhead;
      return;
    }
    if (orders.jobs) this.#jobs.push(...orders.jobs);
    const before = this.#orders;
    this.#orders = before ? merge(before, orders) : { ...orders, jobs: [] };
  }

  get isEmpty(): boolean {
    const isIdle = !this.#orders && this.#jobs.length === 0 && this.#late.length === 0;
    return isIdle && !this.#inputAhead;
  }

  /** Jobs that wait. */
  get jobs(): readonly HandedJob[] {
    return this.#jobs;
  }

  /**
   * The next message; undefined when there is none. A large job goes alone, and an input ahead of its job after everything else.
   *
   * @param isSending the jobs of the last message are still being sent; further jobs, and revocations that follow them, must wait
   */
  take(isSending: boolean): ServiceOrders | undefined {
    if (this.isEmpty) return undefined;
    const isRest = !this.#orders && this.#jobs.length === 0 && this.#late.length === 0;
    if (this.#inputAhead && isRest) return this.#takeInput(isSending);
    const [first] = this.#jobs;
    const isNextLarge = first !== undefined && first.input.byteLength > PIECE_BYTES;
    const jobs = isSending || (this.#orders && isNextLarge) ? [] : this.#takeJobs();
    if (jobs.length > 0) this.#sent = jobs.map(tokenOf);
    const ahead = this.#jobs.map(tokenOf);
    const orders = this.#takeOrders(isSending ? [...this.#sent, ...ahead] : ahead);
    return orders || jobs.length > 0 ? { ...orders, jobs } : undefined;
  }

  #takeInput(isSending: boolean): ServiceOrders | undefined {
    const inputAhead = this.#inputAhead;
    if (isSending || !inputAhead) return undefined;
    this.#inputAhead = undefined;
    this.#sent = [];
    return { inputAhead };
  }

  #takeJobs(): readonly HandedJob[] {
    let bytes = 0;
    let count = 0;
    for (const job of this.#jobs) {
      bytes += job.input.byteLength;
      if (count > 0 && bytes > PIECE_BYTES) break;
      count += 1;
    }
    return this.#jobs.splice(0, count);
  }

  /** Leaves out revocations of jobs that are still `ahead`. The worker must get a job first, because the job uses its credit. */
  #takeOrders(ahead: readonly string[]): ServiceOrders | undefined {
    const orders = this.#orders;
    this.#orders = undefined;
    const all = [...this.#late, ...(orders?.revocations ?? [])];
    if (all.length === 0) return orders;
    const tokens = new Set(ahead);
    this.#late = all.filter(({ leaseToken }) => tokens.has(leaseToken));
    const revocations = all.filter(({ leaseToken }) => !tokens.has(leaseToken));
    return orders || revocations.length > 0 ? { ...orders, revocations } : undefined;
  }
}

function tokenOf({ leaseToken }: HandedJob): string {
  return leaseToken;
}

function merge(a: ServiceOrders, b: ServiceOrders): ServiceOrders {
  const welcome = b.welcome ?? a.welcome;
  const reload = b.reload ?? a.reload;
  return {
    ...(welcome ? { welcome } : {}),
    jobs: [],
    revocations: [...(a.revocations ?? []), ...(b.revocations ?? [])],
    outcomeReceipts: [...(a.outcomeReceipts ?? []), ...(b.outcomeReceipts ?? [])],
    chunkReceipts: [...(a.chunkReceipts ?? []), ...(b.chunkReceipts ?? [])],
    drain: Boolean(a.drain || b.drain),
    ...(reload ? { reload } : {}),
  };
}
