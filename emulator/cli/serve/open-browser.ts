/** Opens an address in the browser of whoever sits at this machine. */
import { spawn } from "node:child_process";

/** What a platform has for it, and what stands before the address. */
function openerOf(platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  if (platform === "darwin") return ["open"];
  // No shell reads the address this way.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/**
 * The browser outlives this process, and does not hear its Ctrl-C.
 *
 * @param failed called with the sentence about what went wrong, if anything does
 */
export function openBrowser(
  url: string,
  failed: (sentence: string) => void,
  platform: NodeJS.Platform = process.platform,
): void {
  const [program, ...args] = openerOf(platform);
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  const tell = (why: string) => failed(`no browser could be opened (${why}): open ${url} yourself`);
  child.once("error", ({ message }) => tell(message));
  child.once("exit", (code) => {
    if (code !== 0) tell(`${program} ended with code ${code}`);
  });
  child.unref();
}
