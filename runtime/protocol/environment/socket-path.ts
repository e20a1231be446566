/** The maximum length of a unix socket's path. Pure. */
import { Buffer } from "node:buffer";

/** Maximum bytes of the path of a socket on macOS, without the zero at its end. Linux allows four more. */
const SOCKET_PATH_MAX_BYTES = 103;

/** The path in a gRPC address that names a unix socket; undefined for any other. */
export function unixSocketOf(address: string): string | undefined {
  return /^unix:(?:\/\/)?(.+)/u.exec(address)?.[1];
}

/** A sentence about a path that is too long for a socket, without advice; undefined if it is not too long. */
export function socketPathProblem(file: string): string | undefined {
  const lengthBytes = Buffer.byteLength(file);
  if (lengthBytes <= SOCKET_PATH_MAX_BYTES) return undefined;
  return `the path ${file} has ${lengthBytes} bytes; the path of a unix socket may have at most ${SOCKET_PATH_MAX_BYTES}`;
}
