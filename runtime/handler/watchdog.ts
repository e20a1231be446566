/** A thread of the handler process that ends it when its supervisor is gone, even while the handler blocks its loop. */
import { Socket } from "node:net";
import { LIFELINE_FD } from "../pipe/frame-kinds.ts";
import { killOwnTree } from "../pipe/process-tree.ts";

// The supervisor keeps the other end open as long as it lives, and never writes to it.
const lifeline = new Socket({ fd: LIFELINE_FD, readable: true, writable: false });
lifeline.on("close", killOwnTree).on("error", killOwnTree).resume();
