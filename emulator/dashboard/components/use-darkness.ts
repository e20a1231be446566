/** Whether the system asks for dark pages: what is drawn in pixels has to be drawn anew when that changes. */
import { useEffect, useState } from "preact/hooks";

export function useDarkness(): boolean {
  const [query] = useState(() => matchMedia("(prefers-color-scheme: dark)"));
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const change = () => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return isDark;
}
