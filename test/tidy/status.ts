/**
 * A job's status changes in the transition function only; this rule finds all other changes. A browser shows only
 * a copy of jobs.
 */
import type { AssignmentExpression, Expression, ObjectExpression } from "oxc-parser";
import { JOB_STATUSES } from "../../runtime/protocol/job-status.ts";
import { gather, type Source } from "./source.ts";

const elsewhere = /^(emulator\/(?!core\/job|dashboard\/)|runtime\/)/;
const statuses: ReadonlySet<unknown> = new Set(JOB_STATUSES);
const sqlSetsStatus = /\bSET\b[^;]*\bstatus\s*=\s*'/i;

export function statusOffences(source: Source): string[] {
  if (!elsewhere.test(source.path)) return [];
  return gather(source, (report) => ({
    AssignmentExpression: (node: AssignmentExpression) => {
      const { left } = node;
      if (left.type !== "MemberExpression" || left.object.type === "ThisExpression") return;
      const named = left.property.type === "Identifier" && left.property.name === "status";
      if (named && mayBeJobStatus(node.right)) report(node.start, "assigns a job's status");
    },
    ObjectExpression: (node: ObjectExpression) => {
      if (changesStatus(node)) report(node.start, "copies a job with another status");
    },
    Literal: (node) => {
      if (sqlSetsStatus.test(String(node.value))) report(node.start, "sets a job's status in SQL");
    },
    TemplateElement: (node) => {
      if (sqlSetsStatus.test(node.value.raw)) report(node.start, "sets a job's status in SQL");
    },
  }));
}

/** `{ ...job, status: x }`: a fresh object without a spread is allowed. */
function changesStatus(node: ObjectExpression): boolean {
  let spread = false;
  for (const property of node.properties) {
    if (property.type === "SpreadElement") spread = true;
    else if (spread && property.key.type === "Identifier" && property.key.name === "status") {
      return mayBeJobStatus(property.value);
    }
  }
  return false;
}

/** Other things have a status as well, for example an HTTP answer: a literal of theirs is allowed. */
function mayBeJobStatus(value: Expression): boolean {
  return value.type !== "Literal" || statuses.has(value.value);
}
