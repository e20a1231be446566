/** The Status that the API server returns instead of an object. */

export class ApiProblem extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }

  get status() {
    const { code, reason, message } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      code,
    };
  }
}

export function notFound(kind: string, name: string): ApiProblem {
  return new ApiProblem(404, "NotFound", `${kind} "${name}" not found`);
}

export function invalid(kind: string, name: string, problems: readonly string[]): ApiProblem {
  const all = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
  return new ApiProblem(422, "Invalid", `${kind} "${name}" is invalid: ${all}`);
}
