/** Opens a URL in the browser of this machine. */
import { spawn } from "node:child_process";

/** The program of a platform, and its arguments before the URL. */
function openerOf(platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  if (platform === "darwin") return ["open"];
  // Without a shell, which would read the URL.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

/**
 * The browser outlives this process, and does not get its Ctrl-C.
 *
 * @param failed called with a sentence if it fails
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
