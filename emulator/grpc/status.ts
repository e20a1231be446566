/** Status codes of gRPC, with which sessions end. Those of @grpc/grpc-js would load all of it. */
export const STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type Status = (typeof STATUS)[keyof typeof STATUS];

const NAMES = new Map(Object.entries(STATUS).map(([name, code]) => [code, name]));

export function statusName(code: Status): string {
  return NAMES.get(code) ?? String(code);
}
