/**
 * The program that ends processes whose supervisor is gone. A handler process ends itself then, unless its handler blocks its loop.
 * Arguments: the processes, each as `pid=marker`.
 */
import { endLeftover, MARKER_NAME } from "../pipe/process-tree.ts";

for (const argument of process.argv.slice(2)) {
  const [pid, marker = ""] = argument.split("=");
  void endLeftover(Number(pid), MARKER_NAME, marker);
}
